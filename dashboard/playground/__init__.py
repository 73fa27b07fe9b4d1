"""The playground: models asked in the browser, side by side."""
