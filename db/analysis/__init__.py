"""Comparisons between runs: paired tests, ablations, learning curves."""
