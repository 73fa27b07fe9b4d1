"""Tests of engine.data."""
