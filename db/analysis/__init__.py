"""Comparisons between runs: paired tests, agreement, related runs; what runs teach together is in ``findings``."""
