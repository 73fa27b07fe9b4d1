"""Runs, recipes, models and files for tests."""
