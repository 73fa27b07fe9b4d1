"""Parts of the leaderboard page."""
