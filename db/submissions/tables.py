"""Check the tables that come with a row, predictions and curves, and bring them into one form."""

import contextlib
import hashlib
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from db.base.problems import Code, ValueProblemError
from db.importers.values import kind
from db.submissions import limits

MAX_ID, MAX_ANSWER, MAX_SERIES = 200, 2000, 60
"""Characters of an example's id, of an answer and of a curve's name at most."""

MAX_COLUMN = 30_000_000
"""Characters of a whole column at most."""


class TableProblemError(ValueProblemError):
    """A table that cannot be used; ``field`` names it or one of its columns."""

    def __init__(self, field: str, code: Code, **params: object) -> None:
        """Keep the field beside the code."""
        super().__init__(code, **params)
        self.field = field


def predictions(frame: object) -> pd.DataFrame:
    """Check predictions.

    Returns:
        ``example_id, predicted, score`` in this order; a missing answer stays missing.

    Raises:
        TableProblemError: They cannot be used.
    """
    table = _table(frame, "predictions", ("example_id", "predicted"), limits.PREDICTIONS)
    ids = _texts(table["example_id"], "predictions.example_id", MAX_ID, required=True)
    answers = _texts(table["predicted"], "predictions.predicted", MAX_ANSWER)
    scores = _numbers(_column(table, "score"), "predictions.score", 0.0, 1.0)
    return pd.DataFrame(
        {
            "example_id": pd.Series(ids, dtype="str"),
            "predicted": pd.Series(answers, dtype="str"),
            "score": np.asarray(scores, dtype="float32"),
        }
    )


def curves(frame: object) -> pd.DataFrame:
    """Check curves.

    Returns:
        ``series, step, epoch, value`` in this order; where a step comes twice, its later value.

    Raises:
        TableProblemError: They cannot be used.
    """
    table = _table(frame, "curves", ("series", "step", "value"), limits.POINTS)
    series = _texts(table["series"], "curves.series", MAX_SERIES, required=True)
    steps = _numbers(table["step"].tolist(), "curves.step", 0.0, 2.0**53, required=True)
    numbers = _numbers(table["value"].tolist(), "curves.value", -math.inf, math.inf, required=True)
    epochs = _numbers(_column(table, "epoch"), "curves.epoch", 0.0, 1e9)
    if any(step % 1 for step in steps):
        raise TableProblemError("curves.step", Code.NOT_WHOLE_NUMBERS)
    result = pd.DataFrame(
        {
            "series": pd.Series(series, dtype="str"),
            "step": np.asarray(steps, dtype="int64"),
            "epoch": np.asarray(epochs, dtype="float64"),
            "value": np.asarray(numbers, dtype="float64"),
        }
    )
    return result.drop_duplicates(["series", "step"], keep="last", ignore_index=True)


def answers_hash(predictions: pd.DataFrame) -> str:
    """Hash the answers, whatever the order of the examples."""
    digest = hashlib.sha256()
    for name, answer in sorted(zip(predictions["example_id"], predictions["predicted"].fillna(""), strict=True)):
        digest.update(f"{len(name)}:{name}{len(answer)}:{answer}".encode())
    return digest.hexdigest()


def size(frame: pd.DataFrame | None) -> int:
    """Estimate the bytes of a table."""
    if frame is None:
        return 0
    return int(sum(frame[name].str.len().sum() if frame[name].dtype == "str" else 8 * len(frame) for name in frame))


def _column(table: pd.DataFrame, name: str) -> list[object]:
    return table[name].tolist() if name in table else [None] * len(table)


def _table(frame: object, field: str, required: Sequence[str], limit: int) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise TableProblemError(field, Code.NOT_TABLE, kind=kind(frame))
    missing = [name for name in required if name not in frame.columns]
    if missing:
        raise TableProblemError(field, Code.COLUMN_MISSING, columns=" and ".join(missing))
    if frame.columns.has_duplicates:
        raise TableProblemError(field, Code.COLUMN_TWICE)
    if frame.empty:
        raise TableProblemError(field, Code.NO_ROWS)
    if len(frame) > limit:
        raise TableProblemError(field, Code.TOO_MANY_ROWS, count=len(frame), limit=limit)
    return frame


def _texts(column: pd.Series, field: str, limit: int, *, required: bool = False) -> list[str | None]:
    result: list[str | None] = []
    left = MAX_COLUMN
    for row, value in enumerate(column.tolist(), start=1):
        cell = _as_text(value)
        if cell is None and value is not None and not (isinstance(value, float) and math.isnan(value)):
            raise TableProblemError(field, Code.CELL_NOT_TEXT, row=row, kind=kind(value))
        if required and not cell:
            raise TableProblemError(field, Code.CELL_EMPTY, row=row)
        if cell and len(cell) > limit:
            raise TableProblemError(field, Code.CELL_TOO_LONG, row=row, length=len(cell), limit=limit)
        invalid = next((sign for sign in cell or "" if sign == "\0" or "\ud800" <= sign <= "\udfff"), None)
        if invalid:
            raise TableProblemError(field, Code.CELL_HIDDEN_CHARACTER, row=row, character=f"U+{ord(invalid):04X}")
        left -= len(cell or "")
        if left < 0:
            raise TableProblemError(field, Code.COLUMN_TOO_LARGE, limit=MAX_COLUMN // 10**6)
        result.append(cell)
    return result


def _as_text(value: object) -> str | None:
    """Turn a cell into text; ids and labels that a table holds as numbers are texts too."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer) and abs(int(value)) < 2**64:
        return str(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else None


def _numbers(column: Sequence[object], field: str, low: float, high: float, *, required: bool = False) -> list[float]:
    result: list[float] = []
    for row, value in enumerate(column, start=1):
        missing = value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
        if missing and not required:
            result.append(math.nan)
            continue
        number = math.nan
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            with contextlib.suppress(OverflowError):
                number = float(value)
        if not math.isfinite(number):
            raise TableProblemError(field, Code.CELL_NOT_FINITE, row=row)
        if not low <= number <= high:
            raise TableProblemError(field, Code.CELL_OUT_OF_RANGE, row=row, low=low, high=high)
        result.append(number)
    return result
