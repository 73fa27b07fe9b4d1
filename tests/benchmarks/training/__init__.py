"""Steps and whole trainings against other ways of doing the same."""
