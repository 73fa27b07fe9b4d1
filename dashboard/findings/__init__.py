"""Findings below a board: matched pairs, ablations, data scaling."""
