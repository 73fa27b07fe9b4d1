"""Scores of numbers: how well answers follow the gold numbers, with Fisher's interval."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.registry.metrics import CORRELATIONS
from db.statistics.intervals import Interval

SCORES = CORRELATIONS
"""By the keys of ``db.registry.metrics.METRICS``."""

_NORMAL = 1.959964
_SPEARMAN = 1.06
"""Factor of the variance of Fisher's z for ranks (Fieller, Hartley and Pearson 1957)."""


def as_text(number: float) -> str:
    """Write a number as the predictions table stores it; it has a point, by which it is told from a class."""
    return np.format_float_positional(number, trim="0")


def as_numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Read answers; what is no finite number gets the mean of the others, which says nothing."""
    numbers = np.array([_number(text) for text in texts], dtype=np.float64)
    known = np.isfinite(numbers)
    return np.where(known, numbers, numbers[known].mean() if known.any() else 0.0)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def score(name: str, gold: NDArray[np.float64], predicted: NDArray[np.float64]) -> tuple[float, Interval]:
    """A correlation and its 95% interval; 0 where one side is constant.

    Args:
        name: One of ``SCORES``.
        gold: Shape (examples,).
        predicted: Shape (examples,).
    """
    sides = (gold, predicted)
    if name != "pearson":
        sides = (pd.Series(gold).rank().to_numpy(), pd.Series(predicted).rank().to_numpy())
    if len(gold) < 2 or any(np.ptp(side) == 0 for side in sides):
        return 0.0, Interval(-1.0, 1.0)
    value = float(np.clip(np.corrcoef(*sides)[0, 1], -1.0, 1.0))
    if len(gold) <= 3 or abs(value) == 1.0:
        return value, Interval(value, value) if len(gold) > 3 else Interval(-1.0, 1.0)
    half = _NORMAL * np.sqrt((1.0 if name == "pearson" else _SPEARMAN) / (len(gold) - 3))
    return value, Interval(float(np.tanh(np.arctanh(value) - half)), float(np.tanh(np.arctanh(value) + half)))


def score_texts(name: str, gold: Sequence[str], answers: Sequence[str]) -> tuple[float, Interval]:
    """The same for numbers as texts."""
    return score(name, as_numbers(gold), as_numbers(answers))
