"""Tests of engine.base."""
