"""Writing tables of texts with what a model says of them."""

import csv
import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from engine.base.errors import DataError
from engine.data.tables.read import Chunk, Table

Added = dict[str, Sequence[str | float | None]]
"""New columns by name, one value per row."""


class Writer(ABC):
    """An output file that is being written, used as a context manager."""

    @abstractmethod
    def write(self, chunk: Chunk, added: Added) -> None:
        """Write rows with the new columns behind their own."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def check_target(path: Path) -> None:
    """Refuse a name that ``create`` has no form for.

    Raises:
        DataError: Says which there are.
    """
    if path.suffix.lower() not in _FORMS:
        raise DataError(f"{path}: the output's name must end in {', '.join(_FORMS)}.")


def create(place: Path, form: str, table: Table, added: dict[str, pa.DataType]) -> Writer:
    """Begin an output file.

    Args:
        place: Where it is written.
        form: A suffix, such as ``.csv``.
        table: The input, for its columns.
        added: New columns and their types.
    """
    return _FORMS[form.lower()](place, table, added)


@contextmanager
def replacing(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a place to write to, which takes the name ``path`` at the end; after an error nothing is left of it.

    Raises:
        DataError: A file of that name is there and ``force`` was not given; it stays as it is.
    """
    _refuse_existing(path, force)
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}.")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        _refuse_existing(path, force)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _refuse_existing(path: Path, force: bool) -> None:
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file.")
    if path.exists() and not force:
        raise DataError(f"{path} is there already and was left as it is. Overwrite it with --force.")


class _ParquetWriter(Writer):
    def __init__(self, place: Path, table: Table, added: dict[str, pa.DataType]) -> None:
        self._inner = table.schema
        self._added = [pa.field(name, kind) for name, kind in added.items()]
        schema = pa.schema([*self._inner, *self._added], metadata=self._inner.metadata)
        self._file = pq.ParquetWriter(place, schema, compression="zstd")

    def write(self, chunk: Chunk, added: Added) -> None:
        rows = chunk.rows if isinstance(chunk.rows, pa.Table) else _as_arrow(chunk.rows, self._inner)
        for field in self._added:
            rows = rows.append_column(field, pa.array(added[field.name], field.type))
        self._file.write_table(rows)

    def close(self) -> None:
        self._file.close()


class _DelimitedWriter(Writer):
    delimiter = ","

    def __init__(self, place: Path, table: Table, added: dict[str, pa.DataType]) -> None:
        self._columns, self._added = table.columns, list(added)
        self._file = place.open("w", encoding="utf-8", newline="")
        # The line end CR LF, as RFC 4180 says: with a bare line feed Python leaves a CR inside a value unquoted.
        self._csv = csv.writer(self._file, delimiter=self.delimiter, lineterminator="\r\n")
        self._csv.writerow([*self._columns, *self._added])

    def write(self, chunk: Chunk, added: Added) -> None:
        rows = chunk.rows if isinstance(chunk.rows, list) else _as_dicts(chunk.rows)
        new = zip(*(added[name] for name in self._added), strict=True)
        self._csv.writerows(
            [*(_cell(row.get(name)) for name in self._columns), *map(_cell, values)]
            for row, values in zip(rows, new, strict=True)
        )

    def close(self) -> None:
        self._file.close()


class _TabbedWriter(_DelimitedWriter):
    delimiter = "\t"


class _JsonlWriter(Writer):
    def __init__(self, place: Path, table: Table, added: dict[str, pa.DataType]) -> None:
        self._file = place.open("w", encoding="utf-8", newline="\n")
        self._added = list(added)

    def write(self, chunk: Chunk, added: Added) -> None:
        rows = chunk.rows if isinstance(chunk.rows, list) else _as_dicts(chunk.rows)
        new = zip(*(added[name] for name in self._added), strict=True)
        for row, values in zip(rows, new, strict=True):
            whole = {**row, **dict(zip(self._added, values, strict=True))}
            self._file.write(json.dumps(whole, ensure_ascii=False) + "\n")

    def close(self) -> None:
        self._file.close()


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


_FORMS: dict[str, type[_ParquetWriter | _DelimitedWriter | _JsonlWriter]] = {
    ".csv": _DelimitedWriter,
    ".tsv": _TabbedWriter,
    ".jsonl": _JsonlWriter,
    ".parquet": _ParquetWriter,
}
