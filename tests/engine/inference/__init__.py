"""Tests of engine.inference."""
