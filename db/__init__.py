"""What is true: the only code that opens the database.

Nothing here imports torch or streamlit. ``store`` opens and closes the file, ``changes`` says what is written,
``runs`` writes the life of a run, ``queries`` reads for people, ``exchange`` moves runs between installations.
"""
