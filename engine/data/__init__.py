"""Training and test data: corpora, tables, tokenizers."""
