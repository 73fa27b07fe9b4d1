"""The parts of the page Moderation. It shows and asks; ``db.submissions`` lets in and decides."""
