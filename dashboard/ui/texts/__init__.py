"""Every text of the board: one module a language, the same names in each."""
