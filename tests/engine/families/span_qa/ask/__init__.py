"""Tests of engine.families.span_qa.ask."""
