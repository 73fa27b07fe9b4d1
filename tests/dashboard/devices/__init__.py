"""Tests of dashboard.devices."""
