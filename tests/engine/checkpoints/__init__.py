"""Tests of engine.checkpoints."""
