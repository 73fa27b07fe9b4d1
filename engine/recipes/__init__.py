"""Recipes: a variant with every hyperparameter, named."""
