-- Batches wait in files that grow: how many bytes of each are in the database. NULL for a file of one batch.
ALTER TABLE ingested_batches ADD COLUMN bytes BIGINT;
