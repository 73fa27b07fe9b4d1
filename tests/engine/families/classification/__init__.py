"""Tests of engine.families.classification."""
