"""Tests of ``featherboard predict``."""
