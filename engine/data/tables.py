"""Tables of texts in files: columns of the input, and output with what a model predicts."""

import csv
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from db.base.atomic import atomic_write
from db.base.chunked_tables import Chunk, Table
from engine.base.errors import DataError

TEXT_COLUMNS = ("document", "text", "review", "sentence", "title")
"""Names of the column of texts that are tried, in this order."""

PAIR_COLUMNS = (("premise", "hypothesis"), ("sentence1", "sentence2"), ("text1", "text2"))
"""Names of the columns of pairs, the default first."""

Added = dict[str, Sequence[str | float | None]]
"""New columns by name, one value per row."""

Write = Callable[[Chunk, Added], object]
"""Writes rows to an output file, with the new columns behind their own."""


def text_column(table: Table, name: str | None) -> str:
    """The column that holds the texts: the one of that name, or the first of ``TEXT_COLUMNS`` that exists.

    Raises:
        DataError: It is missing; the message lists the columns.
    """
    for column in (name,) if name is not None else TEXT_COLUMNS:
        if column in table.columns:
            return column
    missing = f"no column {name!r}" if name is not None else f"no column called {', '.join(TEXT_COLUMNS)}"
    raise DataError(f"{table.path}: there is {missing}; name the one with the texts by --column. {_listed(table)}")


def pair_columns(table: Table, names: tuple[str, str]) -> tuple[str, str]:
    """The two columns of a table of pairs, where both exist; GLUE and KLUE call theirs ``sentence1`` and ``sentence2``.

    Raises:
        DataError: One is missing; the message lists the columns.
    """
    usual = next((pair for pair in PAIR_COLUMNS if {*pair} <= {*table.columns}), None)
    names = usual if usual and names == PAIR_COLUMNS[0] else names
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise DataError(
            f"{table.path}: there is no column {missing[0]!r}; name the two by --premise and --hypothesis. "
            f"{_listed(table)}"
        )
    if names[0] == names[1]:
        raise DataError(f"{table.path}: premise and hypothesis cannot both be the column {names[0]!r}.")
    return names


def _listed(table: Table) -> str:
    return f"Found: {', '.join(map(repr, table.columns)) or 'none'}."


def check_target(path: Path) -> None:
    """Refuse a name that ``create`` has no format for.

    Raises:
        DataError: Says which there are.
    """
    if path.suffix.lower() not in _WRITERS:
        raise DataError(f"{path}: the output's name must end in {', '.join(_WRITERS)}.")


def create(path: Path, suffix: str, table: Table, added: dict[str, pa.DataType]) -> AbstractContextManager[Write]:
    """Begin an output file, which is finished at the end of the context.

    Args:
        path: Where it is written.
        suffix: Says the format, such as ``.csv``.
        table: The input, for its columns.
        added: New columns and their types.
    """
    return _WRITERS[suffix.lower()](path, table, added)


@contextmanager
def replacing(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a path to write to, which takes the name ``path`` at the end; after an error nothing is left of it.

    Raises:
        DataError: A file of that name exists and ``force`` is false; it stays as it is.
    """
    _refuse_existing(path, force)
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}.")
    with atomic_write(path) as part:
        yield part
        _refuse_existing(path, force)


def _refuse_existing(path: Path, force: bool) -> None:
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file.")
    if path.exists() and not force:
        raise DataError(f"{path} exists and was left as it is. Overwrite it with --force.")


@contextmanager
def _parquet(path: Path, table: Table, added: dict[str, pa.DataType]) -> Iterator[Write]:
    fields = [pa.field(name, kind) for name, kind in added.items()]
    schema = pa.schema([*table.schema, *fields], metadata=table.schema.metadata)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:

        def write(chunk: Chunk, new: Added) -> None:
            rows = chunk.rows if isinstance(chunk.rows, pa.Table) else _as_arrow(chunk.rows, table.schema)
            for field in fields:
                rows = rows.append_column(field, pa.array(new[field.name], field.type))
            file.write_table(rows)

        yield write


@contextmanager
def _delimited(path: Path, table: Table, added: Collection[str], delimiter: str = ",") -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        # The line end CR LF, as RFC 4180 says: with a bare line feed Python leaves a CR inside a value unquoted.
        lines = csv.writer(file, delimiter=delimiter, lineterminator="\r\n")
        lines.writerow([*table.columns, *added])
        yield lambda chunk, new: lines.writerows(
            [*(_cell(row.get(name)) for name in table.columns), *map(_cell, values)]
            for row, values in _with_values(chunk, [new[name] for name in added])
        )


@contextmanager
def _jsonl(path: Path, _: Table, added: Collection[str]) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        yield lambda chunk, new: file.writelines(
            json.dumps({**row, **dict(zip(added, values, strict=True))}, ensure_ascii=False) + "\n"
            for row, values in _with_values(chunk, [new[name] for name in added])
        )


def _with_values(chunk: Chunk, new: list[Sequence[Any]]) -> Iterable[tuple[dict[str, Any], tuple[Any, ...]]]:
    """Each row of a chunk, and its values of the new columns."""
    rows = chunk.rows if isinstance(chunk.rows, list) else _as_dicts(chunk.rows)
    return zip(rows, zip(*new, strict=True), strict=True)


def _as_arrow(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    columns = []
    for field in schema:
        values = [row.get(field.name) for row in rows]
        if pa.types.is_string(field.type):
            values = [value if value is None or isinstance(value, str) else _json(value) for value in values]
        columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _as_dicts(rows: pa.Table) -> list[dict[str, Any]]:
    """Rows of values that JSON knows; what is not a number is a missing value, and a date is its ISO form."""
    return [{name: _plain(value, name) for name, value in row.items()} for row in rows.to_pylist()]


def _plain(value: Any, column: str) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): _plain(inner, column) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, column) for inner in value]
    if isinstance(value, bytes):
        raise DataError(f"The column {column!r} holds bytes, which only Parquet can keep; write to a .parquet file.")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_WRITERS: dict[str, Callable[[Path, Table, dict[str, pa.DataType]], AbstractContextManager[Write]]] = {
    ".csv": _delimited,
    ".tsv": partial(_delimited, delimiter="\t"),
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
