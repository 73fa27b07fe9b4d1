"""Tests of dashboard.compare."""
