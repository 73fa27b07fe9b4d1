"""Tests of db.registry."""
