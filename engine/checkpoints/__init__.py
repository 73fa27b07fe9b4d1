"""Checkpoints: their format, adapters, and where they are."""
