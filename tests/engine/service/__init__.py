"""Tests of engine.service."""
