"""Tests of dashboard.ui."""
