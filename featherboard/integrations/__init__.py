"""Log from the training libraries that people use; each module imports its library."""
