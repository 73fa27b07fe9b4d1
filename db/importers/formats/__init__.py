"""One module for each format: ``takes`` recognises it and ``read`` turns it into an ``ImportedFile``."""
