"""Tests of db.analysis."""
