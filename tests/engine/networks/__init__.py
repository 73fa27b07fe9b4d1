"""Tests of engine.networks."""
