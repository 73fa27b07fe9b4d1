"""Errors, devices, progress and provenance."""
