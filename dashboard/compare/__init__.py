"""Parts of the comparison page."""
