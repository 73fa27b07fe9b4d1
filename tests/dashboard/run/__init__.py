"""Tests of dashboard.run."""
