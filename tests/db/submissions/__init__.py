"""Tests of db.submissions."""
