"""Tests of db.storage."""
