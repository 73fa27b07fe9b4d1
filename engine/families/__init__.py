"""Model families: classification, span question answering, masked language models."""
