"""Simulations of the statistics: how often what the board states is false."""
