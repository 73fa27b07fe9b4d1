"""Tests of db.runs.bundles."""
