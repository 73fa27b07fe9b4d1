"""Question answering: a model marks where in a text the answer stands."""
