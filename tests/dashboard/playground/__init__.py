"""Tests of dashboard.playground."""
