"""Tables of texts in files: CSV, TSV, JSONL and Parquet, read and written in chunks, so that none must fit memory."""

from engine.data.tables.read import TEXT_COLUMNS, Chunk, Table, open_table, pair_columns, text_column
from engine.data.tables.write import check_target, create, replacing

__all__ = [
    "TEXT_COLUMNS",
    "Chunk",
    "Table",
    "check_target",
    "create",
    "open_table",
    "pair_columns",
    "replacing",
    "text_column",
]
