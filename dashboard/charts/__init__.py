"""Figures: a data frame in, a Plotly figure out."""
