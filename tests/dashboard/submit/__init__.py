"""Tests of dashboard.submit."""
