"""Tests of engine.benchmarks."""
