"""Intervals, tests and scores: arrays in, numbers out."""
