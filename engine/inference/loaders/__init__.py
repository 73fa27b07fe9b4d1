"""Reading a model for one runtime or another; ``engine.inference.loading`` chooses."""
