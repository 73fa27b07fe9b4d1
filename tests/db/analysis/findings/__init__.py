"""Tests of what the runs of a board teach together."""
