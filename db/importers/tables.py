"""Tables from strangers: CSV, TSV, JSON Lines and lists of JSON objects, read under limits.

A cell is data, whatever it begins with; a formula is never evaluated here, and an export must defuse it.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from db.base import table_files
from db.base.errors import SubmissionError
from db.importers import safe_json, values
from db.importers.safe_json import FileError, quoted

MOST_COLUMNS = 500
MOST_ROWS = 500_000
_HEADER = 200
_LONGEST_FIELD = 131_072
"""Characters of a field of CSV."""
_MOST_RAGGED = 20
_DELIMITER_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons"}


@dataclass(frozen=True)
class Cell:
    """Where a value stands in a table.

    Attributes:
        file: The table's file.
        unit: What a row is called: "line" or "row".
        row: Its number in the file, from 1.
        column: The column's name.
    """

    file: str
    unit: str
    row: int
    column: str

    def __str__(self) -> str:
        """Word it without the file, which the caller names."""
        return f"{self.unit} {self.row:,}, column {quoted(self.column)}"


@dataclass(frozen=True)
class Table:
    """A table in memory.

    Attributes:
        name: The file's, for messages.
        columns: Their names, each once.
        cells: One list per column: texts, numbers, booleans or None.
        unit: What a row is called in messages: "line" or "row".
        places: The number of each row in its file.
        unread: Columns that hold lists, dates or the like, and are not among ``columns``.
        decimal_commas: Whether a comma in a number is a decimal one, as where semicolons part the fields.
    """

    name: str
    columns: tuple[str, ...]
    cells: tuple[list[Any], ...]
    unit: str
    places: Sequence[int]
    unread: tuple[str, ...] = ()
    decimal_commas: bool = False

    def __len__(self) -> int:
        """Rows."""
        return len(self.places)

    def column(self, name: str) -> list[Any]:
        """The cells of a column."""
        return self.cells[self.columns.index(name)]

    def cell(self, row: int, column: str) -> Cell:
        """Where a cell stands in the file.

        Args:
            row: Its index, from 0.
            column: The column's name.
        """
        return Cell(self.name, self.unit, self.places[row], column)


def check_names(name: str, columns: Sequence[str], location: str) -> None:
    """Refuse names of columns that nobody could map.

    Raises:
        SubmissionError: One is missing, too long, or there twice, or there are too many.
    """
    if len(columns) > MOST_COLUMNS:
        raise FileError(name, location, f"{len(columns):,} columns; at most {MOST_COLUMNS} are read.")
    seen: set[str] = set()
    for number, column in enumerate(columns, 1):
        if not column:
            raise FileError(name, location, f"column {number} has no name; name it.")
        if len(column) > _HEADER:
            raise FileError(name, location, f"the name of column {number} has more than {_HEADER} characters.")
        if column in seen:
            raise FileError(name, location, f"the column {quoted(column)} stands twice; keep one.")
        seen.add(column)


def delimited(name: str, words: str) -> Table:
    """The table of a CSV or TSV text whose first line names the columns.

    Raises:
        SubmissionError: Quotes do not close, a line has more or fewer fields than the first, or a limit is passed.
    """
    delimiter = _delimiter(name, words)
    if words.count(delimiter) + words.count("\n") > safe_json.MOST_VALUES:
        raise FileError(name, "", f"more than {safe_json.MOST_VALUES:,} fields; split the file.")
    if delimiter == "\t":
        try:
            return _parsed(name, words, delimiter, csv.QUOTE_MINIMAL)
        except SubmissionError:  # data sets come as TSV in which a quotation mark is a letter
            return _parsed(name, words, delimiter, csv.QUOTE_NONE)
    return _parsed(name, words, delimiter, csv.QUOTE_MINIMAL)


def _delimiter(name: str, words: str) -> str:
    head = next((line for line in io.StringIO(words) if line.strip()), "")
    if name.lower().endswith((".tsv", ".tab")) and "\t" in head:
        return "\t"
    return table_files.delimiter(head)


def _parsed(name: str, words: str, delimiter: str, quoting: int) -> Table:
    reader = csv.reader(io.StringIO(words, newline=""), delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
    columns: list[str] = []
    rows: list[list[str]] = []
    places: list[int] = []
    ragged: list[tuple[int, int]] = []
    try:
        for fields in filter(_is_filled, reader):
            if not columns:
                columns = _header(name, fields, reader.line_num)
                continue
            if len(fields) != len(columns):
                ragged.append((reader.line_num, len(fields)))
                if len(ragged) >= _MOST_RAGGED:
                    break
                continue
            if len(rows) >= MOST_ROWS:
                raise FileError(name, f"line {reader.line_num:,}", f"more than {MOST_ROWS:,} rows; split the file.")
            rows.append(fields)
            places.append(reader.line_num)
    except csv.Error as error:
        raise FileError(
            name, f"line {max(reader.line_num, 1):,}", f"no valid CSV ({error}); write it again with quoted texts."
        ) from None
    if not columns:
        raise FileError(name, "", "the table is empty.")
    if ragged:
        location, counts = _ragged(ragged)
        message = f"{counts} where the header has {len(columns)}"
        message += f" (fields are parted by {_DELIMITER_NAMES[delimiter]}); quote texts that hold them."
        raise FileError(name, location, message)
    cells = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in columns]
    return Table(name, tuple(columns), tuple(cells), "line", places, decimal_commas=delimiter == ";")


def _is_filled(fields: list[str]) -> bool:
    """Whether a line has a field that is not empty."""
    # The limit of the csv module holds for the whole process, and other readers raise it.
    if max(map(len, fields), default=0) > _LONGEST_FIELD:
        raise csv.Error(f"field larger than field limit ({_LONGEST_FIELD})")
    return any(fields)


def _ragged(rows: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """Word the lines with another number of fields than the header, all of them in one message."""
    if len(rows) == 1:
        return f"line {rows[0][0]:,}", f"{rows[0][1]} fields"
    more = " and more" if len(rows) >= _MOST_RAGGED else ""
    lines_ = ", ".join(f"{line:,} ({count})" for line, count in rows)
    return f"lines {lines_}{more}", "another number of fields"


def _header(name: str, fields: list[str], line: int) -> list[str]:
    names = [field.strip() for field in fields]
    if len(names) > 1 and not names[0]:
        names[0] = "column 1"  # the row numbers that pandas writes
    location = f"line {line:,}"
    if all(isinstance(values.plain(field), int | float) for field in names):
        raise FileError(name, location, "the first line holds numbers; it must name the columns.")
    check_names(name, names, location)
    return names


def lines(name: str, words: str) -> Table:
    """The table of a JSON Lines text: one object a line.

    Raises:
        SubmissionError: A line is no JSON object, or a limit is passed.
    """
    if words.count(",") + words.count("{") > safe_json.MOST_VALUES:
        raise FileError(name, "", f"more than {safe_json.MOST_VALUES:,} values; split the file.")
    records, places = [], []
    for number, line in enumerate(words.split("\n"), 1):
        if line.strip():
            records.append(safe_json.json_value(name, line, f"line {number:,}"))
            places.append(number)
    return from_records(name, records, "line", places)


def from_records(name: str, records: Sequence[Any], unit: str = "row", places: Sequence[int] | None = None) -> Table:
    """The table of JSON objects; a key that an object lacks is an empty cell.

    Raises:
        SubmissionError: One is no object, or a limit is passed.
    """
    numbers = places if places is not None else range(1, len(records) + 1)
    if len(records) > MOST_ROWS:
        raise FileError(name, "", f"{len(records):,} rows; at most {MOST_ROWS:,} are read.")
    columns: dict[str, list[Any]] = {}
    records = [_flat(record) for record in records]
    for number, record in zip(numbers, records, strict=True):
        if not isinstance(record, dict):
            raise FileError(
                name, f"{unit} {number:,}", 'no JSON object; each row is one, such as {"id": "1", "predicted": "0"}.'
            )
        columns.update((key, []) for key in record if key not in columns)
        if len(columns) > MOST_COLUMNS or len(columns) * len(records) > 2 * safe_json.MOST_VALUES:
            raise FileError(name, f"{unit} {number:,}", "too many different keys for a table.")
    for record in records:
        for key, column in columns.items():
            column.append(record.get(key))
    return _of_columns(name, columns, unit, numbers)


def of_pandas(data: Any) -> dict[str, list[Any]] | None:
    """The columns of a table that pandas wrote as an object: of lists, of objects by row, or split; else None."""
    if not isinstance(data, dict) or not data:
        return None
    rows = data.get("data")
    names = data.get("columns")
    if isinstance(rows, list) and isinstance(names, list) and all(isinstance(name, str) for name in names):
        whole = bool(names) and all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return {name: [row[index] for row in rows] for index, name in enumerate(names)} if whole else None
    columns = [list(part.values()) if isinstance(part, dict) else part for part in data.values()]
    lists = [part for part in columns if isinstance(part, list)]
    numbered = all(not isinstance(part, dict) or all(key.isdigit() for key in part) for part in data.values())
    if len(lists) < len(columns) or not numbered or len({len(part) for part in lists}) != 1 or not lists[0]:
        return None
    plain = not any(isinstance(cell, dict | list) for part in lists for cell in part)
    return dict(zip(data, lists, strict=True)) if plain else None


def _flat(record: Any) -> Any:
    """A record with the figures and facts of a claim, which may lie in objects of their own, beside the rest."""
    if not isinstance(record, dict):
        return record
    made: dict[str, Any] = {}
    for key, value in record.items():
        inner = value if key in ("metrics", "training") and isinstance(value, dict) else None
        made.update(
            {key: value} if inner is None else {f"{key}.{name}": inner_value for name, inner_value in inner.items()}
        )
    return made


def _of_columns(name: str, columns: dict[str, list[Any]], unit: str, places: Sequence[int]) -> Table:
    deep = [key for key, cells in columns.items() if any(isinstance(cell, dict | list) for cell in cells)]
    flat = {key.strip(): cells for key, cells in columns.items() if key not in deep}
    if len(flat) + len(deep) != len(columns):
        raise FileError(name, "", "two keys differ in spaces alone; rename one.")
    if not flat:
        raise FileError(name, "", "the table has no columns of texts or numbers.")
    check_names(name, list(flat), "")
    return Table(name, tuple(flat), tuple(flat.values()), unit, places, tuple(deep))


def from_columns(
    name: str, columns: dict[str, list[Any]], unread: Iterable[str], places: Sequence[int] | None = None
) -> Table:
    """The table of columns of equal length, such as those of a Parquet file.

    Args:
        name: The file's, for messages.
        columns: By name.
        unread: What the file holds besides.
        places: The row numbers; None: from 1 on.

    Raises:
        SubmissionError: A column has no usable name.
    """
    length = len(next(iter(columns.values()), []))
    table = _of_columns(name, columns, "row", places or range(1, length + 1))
    return Table(name, table.columns, table.cells, "row", table.places, (*table.unread, *unread))
