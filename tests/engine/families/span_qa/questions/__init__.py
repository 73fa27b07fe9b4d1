"""Tests of engine.families.span_qa.questions."""
