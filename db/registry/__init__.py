"""Tasks, metrics, number formats and parameter counts: facts as data."""
