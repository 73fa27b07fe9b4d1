"""Tests of db.bootstrap."""
