"""Tests of the page of a model."""
