"""Tests of engine.trainer."""
