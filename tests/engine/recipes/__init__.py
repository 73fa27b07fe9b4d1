"""Tests of engine.recipes."""
