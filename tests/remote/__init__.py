"""Runs sent between machines."""
