"""Tests, one file per feature."""
