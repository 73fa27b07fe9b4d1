"""Blind comparison: two hidden models answer, the visitor votes, and then sees their names."""
