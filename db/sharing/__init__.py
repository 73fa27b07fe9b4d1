"""What other sites show of a board: badges and the feed of changes."""
