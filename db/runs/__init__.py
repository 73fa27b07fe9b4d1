"""Runs: writing them, reading one of them, moving them between installations."""
