"""Tests of dashboard.moderation."""
