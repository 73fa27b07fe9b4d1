"""Tests of engine.cli."""
