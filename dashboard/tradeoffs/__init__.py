"""Parts of the trade-off page."""
