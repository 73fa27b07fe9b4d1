"""Making, filling and checking a database."""
