"""Networks that name hidden words: the head of a teacher, and students by DistilBERT's triple loss."""
