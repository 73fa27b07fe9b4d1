"""Results of evaluation tools and benchmarks; each module recognises one and reads it into an ``ImportedFile``."""
