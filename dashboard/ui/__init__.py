"""What all pages share: theme, texts, formatting, cached reads."""
