"""The overview: three facts, then all models against all tasks."""
