"""Training libraries that log to the board, each with the real library on a tiny model."""
