"""Parts of the devices page."""
