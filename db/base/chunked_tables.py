"""Tables in files, read in chunks, so that they need not fit memory: CSV, TSV, JSON, JSON lines and Parquet."""

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from db.base.errors import DataError, one_line
from db.base.table_files import delimiter, json_objects, lines


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table.

    Attributes:
        texts: One per row; None where there is none.
        rows: All columns, as Arrow where the file has types of its own, else one dict per row.
        also: The texts of further columns that were requested, by their names.
    """

    texts: list[str | None]
    rows: pa.Table | list[dict[str, Any]]
    also: dict[str, list[str | None]] = field(default_factory=dict)


class Table(ABC):
    """A file with rows, read in chunks, so that it need not fit memory.

    Text files are read twice. The first time finds the columns, counts the rows and refuses a bad one with its number,
    before hours of work are spent on those above it.

    Attributes:
        path: The file.
        columns: Names of the columns, in order.
        size: Number of rows.
        schema: The columns' types, for Parquet.
    """

    path: Path
    columns: list[str]
    size: int
    schema: pa.Schema

    @abstractmethod
    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """All rows in order, ``size`` at a time, with the texts of ``column`` and of further ones."""


def open_table(path: Path) -> Table:
    """Open a file of rows; its suffix says the format.

    Raises:
        DataError: Missing, of another format, damaged, not UTF-8, or a row that does not fit; names the row.
    """
    kind = _TABLES.get(path.suffix.lower())
    if kind is None:
        raise DataError(f"{path}: the name must end in {', '.join(_TABLES)}.")
    if not path.is_file():
        raise DataError(f"There is no file {path}.")
    table = kind(path)
    repeated = [name for index, name in enumerate(table.columns) if name in table.columns[:index]]
    if repeated:
        raise DataError(f"{path}: two columns are called {repeated[0]!r}; rename one of them.")
    return table


class _ParquetTable(Table):
    """Parquet: typed columns, the number of rows is known."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._guarded():
            self._file = pq.ParquetFile(path, buffer_size=2**20)
            self.schema = self._file.schema_arrow
            self.columns, self.size = list(self.schema.names), int(self._file.metadata.num_rows)

    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """See ``Table.chunks``."""
        option = "--premise or --hypothesis" if also else "--column"
        for name in (column, *also):
            kind = self.schema.field(name).type
            values = kind.value_type if pa.types.is_dictionary(kind) else kind
            if not any(is_text(values) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)):
                raise DataError(f"{self.path}: the column {name!r} holds {kind}, not text; name another by {option}.")
        with self._guarded():
            for batch in self._file.iter_batches(batch_size=size):
                rows = pa.Table.from_batches([batch], schema=self.schema)
                texts = {name: rows.column(name).to_pylist() for name in (column, *also)}
                yield Chunk(texts[column], rows, {name: texts[name] for name in also})

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise DataError(f"{self.path}: cannot be read as Parquet ({one_line(error)}). Is it cut off?") from error


class _LineTable(Table):
    """A file of lines; values of the rows are plain Python ones."""

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Rows with the number of the line that they end on."""

    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """See ``Table.chunks``."""
        rows = self._rows()
        while chunk := list(islice(rows, size)):
            texts = {name: [self._text(line, row.get(name), name) for line, row in chunk] for name in (column, *also)}
            yield Chunk(texts[column], [row for _, row in chunk], {name: texts[name] for name in also})

    def _text(self, line: int, value: object, column: str) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise DataError(f"{self.path}, line {line}: {column} is not a text but {json.dumps(value)[:40]}.")


class _DelimitedTable(_LineTable):
    """CSV and TSV with a header; every value stays the text that it is in the file.

    ``.txt`` is the format of the official NSMC files: tabs, and a quotation mark is a character like any other.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.columns = path, []
        header = next((line for _, line in lines(path) if line.strip()), "")
        self._delimiter = delimiter(header) if path.suffix.lower() == ".csv" else "\t"
        self.size = sum(1 for _ in self._rows())
        if not self.columns:
            raise DataError(f"{path}: is empty; the first line must name the columns.")
        self.schema = pa.schema([(name, pa.string()) for name in self.columns])

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        csv.field_size_limit(2**31 - 1)
        suffix = self.path.suffix.lower()
        reader = csv.reader(
            (line for _, line in lines(self.path)),
            csv.excel,
            delimiter=self._delimiter,
            quoting=csv.QUOTE_NONE if suffix == ".txt" else csv.QUOTE_MINIMAL,
            strict=True,
        )
        header: list[str] | None = None
        try:
            for row in filter(None, reader):
                if header is None:
                    header = self.columns = row
                    continue
                if len(row) != len(header):
                    raise DataError(
                        f"{self.path}, line {reader.line_num}: {len(row)} values, but the header names {len(header)}."
                    )
                yield reader.line_num, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise DataError(
                f"{self.path}, line {reader.line_num}: {error}. A lone quotation mark? In a file that ends in .txt "
                "(tabs between values) it is an ordinary character."
            ) from error


class _JsonlTable(_LineTable):
    """One JSON object a line; a row may lack a column."""

    def __init__(self, path: Path) -> None:
        self.path, self.size = path, 0
        kinds: dict[str, set[str]] = {}
        for _, row in self._rows():
            self.size += 1
            for name, value in row.items():
                kinds.setdefault(name, set()).add(_kind(value))
        self.columns = list(kinds)
        if not self.columns:
            raise DataError(f"{path}: is empty; each line must be a JSON object.")
        # Types that hold every value; a column of mixed or nested values becomes JSON text.
        self.schema = pa.schema([(name, _arrow_type(seen - {"null"})) for name, seen in kinds.items()])

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return json_objects(self.path)


class _JsonTable(_JsonlTable):
    """A JSON file with a list of objects, alone or as ``data``; or with a list for each column."""

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            value = json.loads("".join(line for _, line in lines(self.path)))
        except (json.JSONDecodeError, RecursionError) as error:
            raise DataError(f"{self.path}: no JSON that can be read ({one_line(error)}).") from None
        value = value.get("data", value) if isinstance(value, dict) else value
        if (
            isinstance(value, dict)
            and len({len(part) if isinstance(part, list) else -1 for part in value.values()}) == 1
        ):
            value = [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
        if not isinstance(value, list):
            raise DataError(f"{self.path}: holds no list of objects, such as KLUE's files are.")
        for number, row in enumerate(value, 1):
            if not isinstance(row, dict):
                raise DataError(f"{self.path}, item {number}: is not a JSON object.")
            yield number, row


def _kind(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "int" if -(2**63) <= value < 2**63 else "other"
    return {type(None): "null", bool: "bool", float: "float", str: "str"}.get(type(value), "other")


def _arrow_type(kinds: set[str]) -> pa.DataType:
    if kinds == {"int", "float"}:
        return pa.float64()
    plain = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64()}
    return plain.get(next(iter(kinds)), pa.string()) if len(kinds) == 1 else pa.string()


_TABLES: dict[str, type[_ParquetTable | _DelimitedTable | _JsonlTable | _JsonTable]] = {
    ".csv": _DelimitedTable,
    ".tsv": _DelimitedTable,
    ".txt": _DelimitedTable,
    ".json": _JsonTable,
    ".jsonl": _JsonlTable,
    ".parquet": _ParquetTable,
}
