"""Tests of db.base."""
