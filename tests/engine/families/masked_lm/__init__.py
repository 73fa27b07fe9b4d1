"""Tests of engine.families.masked_lm."""
