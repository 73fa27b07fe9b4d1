"""Tests of db.importers."""
