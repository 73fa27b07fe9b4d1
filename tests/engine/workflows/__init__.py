"""Tests of engine.workflows."""
