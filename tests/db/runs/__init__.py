"""Tests of db.runs."""
