"""The store beside those of other trackers."""
