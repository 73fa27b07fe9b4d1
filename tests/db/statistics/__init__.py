"""Tests of db.statistics."""
