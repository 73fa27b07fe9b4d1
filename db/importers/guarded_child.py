"""Binary tables from strangers, read in a process of its own, which may be ended by one of them.

A page of a Parquet file or a member of a workbook may have some kilobytes and unpack to gigabytes, on some damaged
footers pyarrow ends the process that reads them, and a database may hold a view that computes for ever. So a copy of
the process of ``db.storage.untrusted`` loads this file and bounds its memory and time by the numbers below; nothing but
that copy is lost. It imports nothing of the project.

The request has the ``lengths`` of the files. The answer is a line of JSON a file, with ``columns``, ``unread`` and
``places`` (the row numbers, where they are not 1, 2, 3 ...), or ``refused`` or ``damaged`` with the reason.
"""

import io
import json
import math
import sqlite3
import zipfile
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

WORKBOOK = b"PK\x03\x04"
DATABASE = b"SQLite format 3\0"

MEMORY = 1536 * 1024 * 1024
SECONDS = 60
MOST_COLUMNS = 500
MOST_ROWS = 500_000
MOST_CELLS = 3_000_000
CHARACTERS = 50_000_000
"""Of all texts together: one long text may stand in every row of a small file."""


class RefusedError(Exception):
    """The file is whole and is not taken; the message says why."""


def parquet(content: bytes) -> dict[str, Any]:
    """The flat columns of texts and numbers of a Parquet file, and the names of the others.

    Raises:
        RefusedError: It has too much of something, a column twice, or an infinite number.
    """
    file = pq.ParquetFile(pa.BufferReader(content))
    arrow = file.schema_arrow
    if len(set(arrow.names)) < len(arrow.names):
        raise RefusedError("a column stands twice; keep one.")
    usable = [field.name for field in arrow if _usable(field.type)]
    _check_size(file.metadata.num_rows, len(file.schema), len(usable))
    texts = [field.name for field in arrow if _is_text(field.type)]
    # Texts stay in their dictionaries until they are measured.
    again = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    data = again.read(columns=usable, use_threads=False)
    _check_size(data.num_rows, len(file.schema), len(usable))
    made: dict[str, list[Any]] = {}
    characters = 0
    for name in usable:
        characters += sum(_characters(chunk) for chunk in data.column(name).chunks)
        if characters > CHARACTERS:
            raise RefusedError(f"more than {CHARACTERS:,} characters in all; split the file.")
        made[name] = [cell for chunk in data.column(name).chunks for cell in _cells(chunk)]
    for name, cells in made.items():
        for row, cell in enumerate(cells):
            if isinstance(cell, float) and not math.isfinite(cell):
                if math.isinf(cell):
                    raise RefusedError(
                        f"row {row + 1:,}, column {name[:60]!r}: an infinite number; leave the cell empty."
                    )
                cells[row] = None
    return {"columns": made, "unread": [name for name in arrow.names if name not in made]}


def _check_size(count: int, leaves: int, columns: int) -> None:
    if leaves > MOST_COLUMNS:
        raise RefusedError(f"{leaves:,} columns; at most {MOST_COLUMNS} are read.")
    if count > MOST_ROWS or count * columns > MOST_CELLS:
        message = f"{count:,} rows of {columns} columns; at most {MOST_ROWS:,} rows and {MOST_CELLS:,} cells are read; "
        raise RefusedError(message + "split the file.")


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _usable(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is_text(inner) or bool(
        pa.types.is_integer(inner) or pa.types.is_floating(inner) or pa.types.is_boolean(inner)
    )


def _characters(chunk: Any) -> int:
    if not pa.types.is_dictionary(chunk.type):
        return 0
    lengths = [len(text) if isinstance(text, str) else 0 for text in chunk.dictionary.to_pylist()]
    return sum(lengths[index] for index in chunk.indices.to_pylist() if index is not None)


def _cells(chunk: Any) -> list[Any]:
    if not pa.types.is_dictionary(chunk.type):
        return list(chunk.to_pylist())
    known = chunk.dictionary.to_pylist()
    return [None if index is None else known[index] for index in chunk.indices.to_pylist()]


def workbook(content: bytes) -> dict[str, Any]:
    """The first sheet of an Excel workbook that holds a table, and the names of the other sheets.

    The header is the first row with two filled cells: titles may stand above it. A cell that Excel shows as a
    percentage becomes one, ``87.84%``: its value alone would be taken for a percentage under such a header.

    Raises:
        RefusedError: No sheet holds a table, or it has too much of something.
    """
    import openpyxl  # noqa: PLC0415 - a third of a second, for workbooks alone

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    made: dict[str, Any] | None = None
    others: list[str] = []
    for worksheet in book.worksheets:
        table = _of_worksheet(worksheet) if made is None and worksheet.sheet_state == "visible" else None
        made = made or table
        if table is None:
            others.append(f"sheet {worksheet.title}")
    if made is None:
        raise RefusedError("no sheet holds a table whose first row names the columns.")
    return {**made, "unread": [*made["unread"], *others]}


def _of_worksheet(worksheet: Any) -> dict[str, Any] | None:
    header: list[str] = []
    rows: list[list[Any]] = []
    places: list[int] = []
    for number, cells in enumerate(worksheet.iter_rows(), 1):
        filled = [_shown(cell) for cell in cells]
        if not header:
            if sum(cell is not None for cell in filled) >= 2:
                header = ["" if cell is None else str(cell).strip() for cell in filled]
                while not header[-1]:
                    header.pop()
                _check_size(0, len(header), len(header))
        elif any(cell is not None for cell in filled):
            rows.append((filled + [None] * len(header))[: len(header)])
            places.append(number)
            _check_size(len(rows), len(header), len(header))
    if not rows:
        return None
    if len(set(header)) < len(header):
        raise RefusedError("two columns have the same name, or none; name each of them.")
    made = {name: list(column) for name, column in zip(header, zip(*rows, strict=True), strict=True)}
    plain = (str, int, float, bool, type(None))
    dates = [name for name, cells in made.items() if not all(isinstance(cell, plain) for cell in cells)]
    return {"columns": {key: made[key] for key in made if key not in dates}, "unread": dates, "places": places}


def _shown(cell: Any) -> Any:
    value = cell.value
    if value is None or cell.data_type == "e" or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and "%" in str(cell.number_format):
        return f"{value * 100:.10g}%"
    return value


_RUNS = """
    SELECT run_uuid, name, status, start_time, end_time FROM runs
    WHERE lifecycle_stage = 'active' ORDER BY start_time, run_uuid LIMIT ?
"""
_LOGGED = {
    "metrics": "SELECT run_uuid, key, CASE WHEN is_nan THEN NULL ELSE value END FROM latest_metrics",
    "params": "SELECT run_uuid, key, value FROM params",
}


def mlflow_database(content: bytes) -> dict[str, Any]:
    """The runs of an MLflow database, in the columns of ``search_runs``.

    Raises:
        RefusedError: It is a database of something else, or has too many runs.
    """
    with sqlite3.connect(":memory:") as database:
        database.deserialize(content)
        database.execute("PRAGMA trusted_schema = OFF")
        # A view under one of these names could run anything.
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"runs", "latest_metrics", "params"} <= tables:
            raise RefusedError(
                "a SQLite database that is not MLflow's: it has no tables runs, latest_metrics and params."
            )
        runs = database.execute(_RUNS, (MOST_ROWS,)).fetchall()
        names = ("run_id", "tags.mlflow.runName", "status", "start_time", "end_time")
        records = {run[0]: dict(zip(names, run, strict=True)) for run in runs}
        keys = dict.fromkeys(names)
        for group, query in _LOGGED.items():
            for run, key, value in database.execute(query):
                if run in records:
                    records[run][f"{group}.{key}"] = value
                    keys[f"{group}.{key}"] = None
                    _check_size(len(records), len(keys), len(keys))
    return {"columns": {key: [record.get(key) for record in records.values()] for key in keys}, "unread": []}


_DAMAGED = (
    *(pa.ArrowException, OSError, ValueError, OverflowError, LookupError),
    *(sqlite3.Error, zipfile.BadZipFile, TypeError, AttributeError, SyntaxError),
)
"""What the libraries raise on damaged files; openpyxl's parser of XML raises a SyntaxError."""


def answer(content: bytes) -> dict[str, Any]:
    """The columns of a file, or why there are none."""
    read = workbook if content.startswith(WORKBOOK) else mlflow_database if content.startswith(DATABASE) else parquet
    try:
        return read(content)
    except RefusedError as why:
        return {"refused": str(why)}
    except MemoryError:
        return {"refused": f"it unpacks to more than {MEMORY // 2**20} MiB; split the file."}
    except _DAMAGED as error:
        return {"damaged": str(error)[:200] or type(error).__name__}


def respond(request: dict[str, Any], source: BinaryIO, target: BinaryIO) -> None:
    """Answer for each file, all of which are read before."""
    content = io.BytesIO(source.read())
    for length in request["lengths"]:
        target.write(json.dumps(answer(content.read(length)), ensure_ascii=False).encode() + b"\n")
        target.flush()
