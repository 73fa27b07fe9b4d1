"""Predictions, one row an example."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from db.importers import values
from db.importers.result import ImportedFile, listed, predictions_frame
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table

T = TypeVar("T")

_MOST_PROBLEMS = 20
"""Cells that one message names."""


def read(table: Table, mapping: Mapping[str, str]) -> ImportedFile:
    """The predictions of a table.

    Ids that are there twice stay: whether they are missing, double or foreign is counted where they are verified.

    Args:
        table: The rows.
        mapping: Columns and the fields that they fill: ``example_id``, ``predicted`` and perhaps ``score``.

    Raises:
        SubmissionError: A field is missing, foreign to predictions, or a cell does not fit it.
    """
    column = {field: name for name, field in mapping.items()}
    foreign = [field for field in column if field not in ("example_id", "predicted", "score")]
    if foreign:
        message = f"{foreign[0]} is no field of predictions; map claims and predictions in two files."
        raise FileError(table.name, f"mapping of {quoted(column[foreign[0]])}", message)
    for field in ("example_id", "predicted"):
        if field not in column:
            present = ", ".join(shown(name, 40) for name in table.columns[:20])
            raise FileError(table.name, "", f"no column is mapped to {field}; choose one of {present}.")
    if not len(table):
        raise FileError(table.name, "", "the table has names of columns and no rows.")
    problems: list[FileError] = []
    ids = _read(table, column["example_id"], _id, "", problems)
    predicted = _read(table, column["predicted"], _text, "", problems)
    scores, notes = _scores(table, column.get("score"), problems)
    if problems:
        raise _joined(table, problems)
    silent = sum(cell is None or cell == "" for cell in table.column(column["predicted"]))
    if silent:
        notes.insert(0, f"{silent:,} of {len(table):,} rows have no prediction; each counts as an empty answer.")
    unused = [name for name in table.columns if name not in mapping]
    frame = predictions_frame(ids, predicted, scores)
    return ImportedFile("predictions", predictions=frame, unknown=listed([*unused, *table.unread]), notes=tuple(notes))


def _read(
    table: Table, column: str, reader: Callable[[Table, str, int, Any], T], instead: T, problems: list[FileError]
) -> list[T]:
    """Read each cell of a column; problems are collected, up to a limit."""
    result = []
    for row, cell in enumerate(table.column(column)):
        try:
            result.append(reader(table, column, row, cell))
        except FileError as problem:
            problems.append(problem)
            if len(problems) >= _MOST_PROBLEMS:
                raise _joined(table, problems) from None
            result.append(instead)
    return result


def _joined(table: Table, problems: list[FileError]) -> FileError:
    """One error for all cells that do not fit."""
    first, *others = problems
    more = [f"{problem.location}: {problem.problem}" for problem in others]
    return FileError(table.name, first.location, " ".join([first.problem, *more]))


def _text(table: Table, column: str, row: int, cell: Any) -> str:
    """A cell as text: 1 and 1.0 are the label "1"."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        raise FileError(table.name, str(table.cell(row, column)), "true or false; write the label or the answer.")
    if isinstance(cell, float):
        whole = values.whole(cell, least=-(2**53))
        return str(cell if whole is None else whole)
    return str(cell)


def _id(table: Table, column: str, row: int, cell: Any) -> str:
    made = _text(table, column, row, cell).strip()
    if not made or len(made) > 200:
        what = "no example id; every row needs one." if not made else "an example id of more than 200 characters."
        raise FileError(table.name, str(table.cell(row, column)), what)
    return made


def _score(table: Table, column: str, row: int, cell: Any) -> float:
    plain = values.plain(cell)
    number = values.number(plain)
    if number is None and not values.is_missing(plain):
        raise FileError(table.name, str(table.cell(row, column)), f"{quoted(cell)} is no finite number.")
    return float("nan") if number is None else number


def _scores(table: Table, column: str | None, problems: list[FileError]) -> tuple[list[float], list[str]]:
    missing = [float("nan")] * len(table)
    if column is None:
        return missing, []
    scores = _read(table, column, _score, float("nan"), problems)
    if any(score < 0 or score > 1 for score in scores):
        return missing, [f"The column {quoted(column)} holds no probabilities from 0 to 1 and was left out."]
    return scores, []
