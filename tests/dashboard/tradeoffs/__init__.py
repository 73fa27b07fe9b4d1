"""Tests of dashboard.tradeoffs."""
