"""Tests of dashboard.findings."""
