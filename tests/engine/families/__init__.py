"""Tests of engine.families."""
