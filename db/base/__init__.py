"""Errors, paths, time and secrets: what everything else stands on."""
