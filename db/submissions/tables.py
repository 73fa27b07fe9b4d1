"""The tables that come with a row, as they are taken: predictions and curves, checked and in one form."""

import hashlib
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from db.submissions import limits
from db.submissions.claim import FieldError
from db.submissions.claim_values import kind, shown

LONGEST_ID, LONGEST_ANSWER, LONGEST_SERIES = 200, 2000, 60
"""Characters of an example's id, of an answer and of a curve's name at most."""

LONGEST_COLUMN = 30_000_000
"""Characters of a whole column at most."""


def predictions(frame: object) -> pd.DataFrame | FieldError:
    """``example_id, predicted, score`` in this order; an answer that is missing stays missing.

    Args:
        frame: Whatever was given as predictions.
    """
    table = _table(frame, "predictions", ("example_id", "predicted"), limits.PREDICTIONS)
    if isinstance(table, FieldError):
        return table
    ids = _texts(table["example_id"], "predictions.example_id", LONGEST_ID, needed=True)
    answers = _texts(table["predicted"], "predictions.predicted", LONGEST_ANSWER)
    scores = _numbers(table["score"] if "score" in table else [None] * len(table), "predictions.score", 0.0, 1.0)
    for one in (ids, answers, scores):
        if isinstance(one, FieldError):
            return one
    return pd.DataFrame(
        {
            "example_id": pd.Series(ids, dtype="str"),
            "predicted": pd.Series(answers, dtype="str"),
            "score": np.asarray(scores, dtype="float32"),
        }
    )


def curves(frame: object) -> pd.DataFrame | FieldError:
    """``series, step, epoch, value`` in this order; of a step that comes twice the later value stays.

    Args:
        frame: Whatever was given as curves.
    """
    table = _table(frame, "curves", ("series", "step", "value"), limits.POINTS)
    if isinstance(table, FieldError):
        return table
    series = _texts(table["series"], "curves.series", LONGEST_SERIES, needed=True)
    steps = _numbers(table["step"], "curves.step", 0.0, 2.0**53, needed=True)
    values = _numbers(table["value"], "curves.value", -math.inf, math.inf, needed=True)
    epochs = _numbers(table["epoch"] if "epoch" in table else [None] * len(table), "curves.epoch", 0.0, 1e9)
    for one in (series, steps, values, epochs):
        if isinstance(one, FieldError):
            return one
    found = pd.DataFrame(
        {
            "series": pd.Series(series, dtype="str"),
            "step": np.asarray(steps, dtype="float64"),
            "epoch": epochs,
            "value": values,
        }
    )
    if (found["step"] % 1 != 0).any():
        return FieldError("curves.step", "must be whole numbers")
    return found.astype({"step": "int64"}).drop_duplicates(["series", "step"], keep="last", ignore_index=True)


def answers_hash(said: pd.DataFrame) -> str:
    """The same for the same answers to the same examples, in whatever order."""
    pairs = sorted(zip(said["example_id"], said["predicted"].fillna(""), strict=True))
    digest = hashlib.sha256()
    for name, answer in pairs:
        digest.update(f"{len(name)}:{name}{len(answer)}:{answer}".encode())
    return digest.hexdigest()


def size(frame: pd.DataFrame | None) -> int:
    """Roughly the bytes that a table takes."""
    if frame is None:
        return 0
    return int(sum(frame[name].str.len().sum() if frame[name].dtype == "str" else 8 * len(frame) for name in frame))


def _table(frame: object, field: str, needed: Sequence[str], most: int) -> pd.DataFrame | FieldError:
    if not isinstance(frame, pd.DataFrame):
        return FieldError(field, f"must be a table, and {kind(frame)} was given")
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        return FieldError(field, f"have no column {' and no column '.join(missing)}")
    if frame.columns.has_duplicates:
        return FieldError(field, "have a column twice")
    if frame.empty:
        return FieldError(field, "hold no row")
    if len(frame) > most:
        return FieldError(field, f"hold {len(frame):,} rows; {most:,} is the most")
    return frame


def _texts(column: pd.Series, field: str, most: int, *, needed: bool = False) -> list[str | None] | FieldError:
    found: list[str | None] = []
    left = LONGEST_COLUMN
    for row, value in enumerate(column.tolist(), start=1):
        told = _as_text(value)
        if told is None and value is not None and not (isinstance(value, float) and math.isnan(value)):
            return FieldError(field, f"row {row}: must be text or a whole number, and {kind(value)} was given")
        wrong = _wrong(told or "", most) if told else ("must not be empty" if needed else None)
        if wrong:
            return FieldError(field, f"row {row}: {wrong}")
        left -= len(told or "")
        if left < 0:
            return FieldError(field, f"hold more than {LONGEST_COLUMN // 10**6} million characters")
        found.append(told)
    return found


def _as_text(value: object) -> str | None:
    """Ids and labels that a table holds as numbers are texts too; missing ones stay missing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer) and abs(int(value)) < 2**64:
        return str(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else None


def _wrong(told: str, most: int) -> str | None:
    if len(told) > most:
        return f"has {len(told):,} characters; {most:,} is the most"
    try:
        told.encode()
    except UnicodeEncodeError:
        return "holds half of a character"
    if "\0" in told:
        return f"{shown(told)} holds a character that cannot be shown, U+0000"
    return None


def _numbers(
    column: object, field: str, least: float, most: float, *, needed: bool = False
) -> list[float] | FieldError:
    values: list[object] = column.tolist() if isinstance(column, pd.Series) else list(column)  # type: ignore[call-overload]
    found: list[float] = []
    for row, value in enumerate(values, start=1):
        missing = value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
        if missing and not needed:
            found.append(math.nan)
            continue
        number = None
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
        if number is None or not math.isfinite(number):
            return FieldError(field, f"row {row}: must be a finite number")
        if not least <= number <= most:
            return FieldError(field, f"row {row}: must lie between {least:g} and {most:g}")
        found.append(number)
    return found
