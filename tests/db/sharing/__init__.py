"""Tests of badges and of the feed."""
