"""Parquet from strangers: flat columns of texts and numbers, read under limits; metadata of pandas is not looked at."""

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from db.importers import pages, rows, safe
from db.importers.rows import Table

MAGIC = b"PAR1"
_UNPACKED = 256 * 1024 * 1024
_CELLS = 2 * safe.MOST_VALUES


def table(name: str, content: bytes) -> Table:
    """The table of a Parquet file; columns of lists, dates, decimals and bytes are listed and not read.

    Raises:
        SubmissionError: It is damaged, or unpacks to more than 256 MiB or 500,000 rows.
    """
    safe.check_size(name, content)
    try:
        with pa.BufferReader(content) as source:
            return _read(name, content, source)
    except (pa.ArrowException, OSError, ValueError, OverflowError, IndexError) as error:
        reason = safe.shown(str(error).strip() or type(error).__name__, 120)
        raise safe.refuse(name, "", f"no Parquet file that can be read ({reason}); write it again.") from None


def _read(name: str, content: bytes, source: Any) -> Table:
    file = pq.ParquetFile(source, thrift_string_size_limit=10_000_000, thrift_container_size_limit=100_000)
    schema, arrow = file.schema, file.schema_arrow
    if len(schema) > rows.MOST_COLUMNS:
        raise safe.refuse(name, "", f"{len(schema):,} columns; at most {rows.MOST_COLUMNS} are read.")
    top = [field.name for field in arrow]
    if len(set(top)) < len(top):
        raise safe.refuse(name, "", "a column stands twice; keep one.")
    wanted = {
        schema.column(number).name: number
        for number in range(len(schema))
        if schema.column(number).max_repetition_level == 0
        and schema.column(number).path in top
        and _usable(arrow.field(schema.column(number).path).type)
    }
    _check_groups(name, content, file.metadata, sorted(wanted.values()))
    texts = [column for column in wanted if _is_text(arrow.field(column).type)]
    # Texts stay in their dictionaries: one long text may stand in every row.
    again = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts, memory_map=False, pre_buffer=False)
    data = again.read(columns=list(wanted), use_threads=False)
    columns = {column: _cells(data.column(column)) for column in wanted}
    return rows.from_columns(name, columns, [column for column in top if column not in wanted])


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _usable(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is_text(inner) or bool(
        pa.types.is_integer(inner) or pa.types.is_floating(inner) or pa.types.is_boolean(inner)
    )


def _check_groups(name: str, content: bytes, metadata: Any, wanted: list[int]) -> None:
    """Refuse what would not fit, by the sizes that reading allocates by."""
    count = unpacked = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        count += group.num_rows
        if not 0 <= group.num_rows <= rows.MOST_ROWS or count > rows.MOST_ROWS or count * len(wanted) > _CELLS:
            raise safe.refuse(name, "", f"more than {rows.MOST_ROWS:,} rows or {_CELLS:,} cells; split the file.")
        for column in wanted if group.num_rows else ():
            chunk = group.column(column)
            if chunk.num_values > group.num_rows:
                raise ValueError("a column has more values than rows")
            start = chunk.data_page_offset
            if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
                start = min(start, chunk.dictionary_page_offset)
            found = pages.of_chunk(content, start, chunk.total_compressed_size)
            unpacked += found.unpacked
            if unpacked > _UNPACKED:
                raise safe.refuse(name, "", f"it unpacks to more than {_UNPACKED // 2**20} MiB; split the file.")
            if pages.GROWING in found.encodings:
                raise safe.refuse(name, f"column {safe.quoted(chunk.path_in_schema)}",
                                  "DELTA_BYTE_ARRAY is not taken; write with the default encoding.")  # fmt: skip


def _cells(column: Any) -> list[Any]:
    """The values of a column, each distinct text made once."""
    cells: list[Any] = []
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            known = chunk.dictionary.to_pylist()
            cells += [None if index is None else known[index] for index in chunk.indices.to_pylist()]
        else:
            cells += chunk.to_pylist()
    return cells
