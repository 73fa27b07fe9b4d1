"""Reading tables of texts.

CSV, TSV and JSONL are read twice. The first time finds the columns, counts the rows and refuses a bad one with its
number, before hours of work are spent on those above it.
"""

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

from engine.base.errors import DataError

TEXT_COLUMNS = ("document", "text", "review", "sentence")
"""Where the text is looked for, in this order."""


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table.

    Attributes:
        texts: One per row; None where there is none.
        rows: All columns, as Arrow where the file has types of its own, else one dict per row.
        also: The texts of further columns that were asked for, by their names.
    """

    texts: list[str | None]
    rows: pa.Table | list[dict[str, Any]]
    also: dict[str, list[str | None]] = field(default_factory=dict)


class Table(ABC):
    """A file with rows.

    Attributes:
        path: The file.
        columns: Names of the columns, in order.
        size: Number of rows.
    """

    path: Path
    columns: list[str]
    size: int

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The columns' types, for Parquet."""

    @abstractmethod
    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """All rows in order, ``size`` at a time, with the texts of ``column`` and of further ones."""


def open_table(path: Path) -> Table:
    """Look at a file's rows; the form follows from the name's suffix.

    Raises:
        DataError: Not there, of another form, damaged, not UTF-8, or a row that does not fit; names the row.
    """
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise DataError(f"{path}: the name must end in {', '.join(_FORMS)}.")
    if not path.is_file():
        raise DataError(f"There is no file {path}.")
    table = form(path)
    repeated = [name for place, name in enumerate(table.columns) if name in table.columns[:place]]
    if repeated:
        raise DataError(f"{path}: two columns are called {repeated[0]!r}; rename one of them.")
    return table


def text_column(table: Table, wanted: str | None) -> str:
    """The column that holds the texts: the one asked for, or the first of ``TEXT_COLUMNS`` that is there.

    Raises:
        DataError: It is not there; the message lists the columns.
    """
    for name in (wanted,) if wanted is not None else TEXT_COLUMNS:
        if name in table.columns:
            return name
    looked = f"no column {wanted!r}" if wanted is not None else f"no column called {', '.join(TEXT_COLUMNS)}"
    there = ", ".join(map(repr, table.columns)) or "none"
    raise DataError(f"{table.path}: there is {looked}; name the one with the texts by --column. Found: {there}.")


def pair_columns(table: Table, wanted: tuple[str, str]) -> tuple[str, str]:
    """The two columns of a table of pairs, where both are there.

    Raises:
        DataError: One is not; the message lists the columns.
    """
    lacking = [name for name in wanted if name not in table.columns]
    if lacking:
        there = ", ".join(map(repr, table.columns)) or "none"
        raise DataError(
            f"{table.path}: there is no column {lacking[0]!r}; name the two by --premise and --hypothesis. "
            f"Found: {there}."
        )
    if wanted[0] == wanted[1]:
        raise DataError(f"{table.path}: premise and hypothesis cannot both be the column {wanted[0]!r}.")
    return wanted


class ParquetTable(Table):
    """Parquet: typed columns, the number of rows is known."""

    def __init__(self, path: Path) -> None:
        """Read the footer."""
        self.path = path
        with self._told():
            self._file = pq.ParquetFile(path, buffer_size=2**20)
            self._schema = self._file.schema_arrow
            self.columns, self.size = list(self._schema.names), int(self._file.metadata.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """The file's own."""
        return self._schema

    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """See ``Table.chunks``."""
        for name in (column, *also):
            self._require_text(name, alone=not also)
        with self._told():
            for batch in self._file.iter_batches(batch_size=size):
                rows = pa.Table.from_batches([batch], schema=self._schema)
                yield Chunk(
                    rows.column(column).to_pylist(), rows, {name: rows.column(name).to_pylist() for name in also}
                )

    def _require_text(self, column: str, *, alone: bool) -> None:
        kind = self._schema.field(column).type
        held = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not any(is_text(held) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)):
            option = "--column" if alone else "--premise or --hypothesis"
            raise DataError(f"{self.path}: the column {column!r} holds {kind}, not text; name another by {option}.")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise DataError(f"{self.path}: cannot be read as Parquet ({reason}). Is it cut off?") from error


class _RowTable(Table):
    """A file of lines; values of the rows are plain Python ones."""

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Rows with the number of the line that they end on."""

    def chunks(self, column: str, size: int, also: Sequence[str] = ()) -> Iterator[Chunk]:
        """See ``Table.chunks``."""
        rows = self._rows()
        while numbered := list(islice(rows, size)):
            texts = {
                name: [self._text(number, row.get(name), name) for number, row in numbered] for name in (column, *also)
            }
            yield Chunk(texts[column], [row for _, row in numbered], {name: texts[name] for name in also})

    def _text(self, number: int, value: object, column: str) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise DataError(f"{self.path}, line {number}: {column} is not a text but {json.dumps(value)[:40]}.")


class DelimitedTable(_RowTable):
    """CSV and TSV with a header; every value stays the text that it is in the file.

    ``.txt`` is the form of the official NSMC files: tabs, and a quotation mark is a character like any other.
    """

    def __init__(self, path: Path) -> None:
        """Read all rows once."""
        self.path, self.columns, self.size = path, [], 0
        for _ in self._rows():
            self.size += 1
        if not self.columns:
            raise DataError(f"{path}: is empty; the first line must name the columns.")

    @property
    def schema(self) -> pa.Schema:
        """Text in every column."""
        return pa.schema([(name, pa.string()) for name in self.columns])

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        csv.field_size_limit(2**31 - 1)
        suffix = self.path.suffix.lower()
        dialect = csv.excel if suffix == ".csv" else csv.excel_tab
        lines = _lines(self.path)
        plain = suffix == ".txt"
        reader = csv.reader(lines, dialect, quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL, strict=True)
        header: list[str] | None = None
        try:
            for row in reader:
                if not row:
                    continue
                if header is None:
                    header = self.columns = row
                elif len(row) != len(header):
                    raise DataError(
                        f"{self.path}, line {reader.line_num}: {len(row)} values, but the header names {len(header)}."
                    )
                else:
                    yield reader.line_num, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise DataError(
                f"{self.path}, line {reader.line_num}: {error}. A lone quotation mark? In a file that ends in .txt "
                "(tabs between values) it is an ordinary character."
            ) from error


class JsonlTable(_RowTable):
    """One JSON object a line; a row may lack a column."""

    def __init__(self, path: Path) -> None:
        """Read all rows once."""
        self.path, self.size = path, 0
        kinds: dict[str, set[str]] = {}
        for _, row in self._rows():
            self.size += 1
            for name, value in row.items():
                kinds.setdefault(name, set()).add(_kind(value))
        self.columns, self._kinds = list(kinds), kinds
        if not self.columns:
            raise DataError(f"{path}: is empty; each line must be a JSON object.")

    @property
    def schema(self) -> pa.Schema:
        """Types that hold every value; a column of mixed or nested values becomes JSON text."""
        return pa.schema([(name, _arrow_type(kinds - {"null"})) for name, kinds in self._kinds.items()])

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in enumerate(_lines(self.path), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if "\\u" in line:
                    json.dumps(row, ensure_ascii=False).encode()
            except json.JSONDecodeError as error:
                raise DataError(
                    f"{self.path}, line {number}: {error.msg} at character {error.pos + 1}; each line must be a JSON "
                    "object."
                ) from None
            except (UnicodeEncodeError, RecursionError) as error:
                raise DataError(f"{self.path}, line {number}: cannot be used ({error}).") from None
            if not isinstance(row, dict):
                raise DataError(f"{self.path}, line {number}: is not a JSON object.")
            yield number, row


def _lines(path: Path) -> Iterator[str]:
    """Lines with their ends; only a line feed ends one, since texts hold U+2028 and the like."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path}, line {number}: not UTF-8 (byte 0x{line[error.start]:02x}). A Korean file is often CP949; "
                    "convert it: iconv -f cp949 -t utf-8."
                ) from None


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, int) and not isinstance(value, bool):
        return "int" if -(2**63) <= value < 2**63 else "other"
    return {bool: "bool", float: "float", str: "str"}.get(type(value), "other")


def _arrow_type(kinds: set[str]) -> pa.DataType:
    plain = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string()}
    if kinds == {"int", "float"}:
        return pa.float64()
    return plain.get(next(iter(kinds)), pa.string()) if len(kinds) == 1 else pa.string()


_FORMS: dict[str, type[ParquetTable | DelimitedTable | JsonlTable]] = {
    ".csv": DelimitedTable,
    ".tsv": DelimitedTable,
    ".txt": DelimitedTable,
    ".jsonl": JsonlTable,
    ".parquet": ParquetTable,
}
