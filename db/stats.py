"""Uncertainty: intervals and the ranks that they allow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest


@dataclass(frozen=True)
class Interval:
    """A 95% interval, in the unit of its value."""

    low: float
    high: float


def wilson(correct: int, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a share of ``correct`` out of ``n`` (Wilson 1927), by SciPy.

    It stays inside [0, 1] and holds its level for shares near 0 and 1 and for the small mini corpora, where the normal
    approximation does not.

    Raises:
        ValueError: ``n`` is not positive or ``correct`` is outside 0..n.
    """
    if n <= 0 or not 0 <= correct <= n:
        raise ValueError(f"a share needs 0 <= correct <= n and n > 0, got {correct} of {n}")
    found = binomtest(correct, n).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact McNemar test (McNemar 1947): can two classifiers be told apart on the same examples?

    Args:
        only_first: Examples that only the first answers right.
        only_second: Examples that only the second answers right.

    Returns:
        The two-sided p-value; 1 where they never differ.
    """
    differing = only_first + only_second
    return float(binomtest(only_first, differing).pvalue) if differing else 1.0


def rank_ranges(values: NDArray[np.float64], lows: NDArray[np.float64], highs: NDArray[np.float64]) -> list[str]:
    """Ranks with ties that the data cannot resolve, best first, for values where more is better.

    A row's best rank counts the rows whose interval lies wholly above its own; its worst rank also counts those that
    overlap it. A row without an interval is a point. NaN values get an empty rank.

    Args:
        values: Shape (rows,).
        lows: Lower ends, NaN where unknown.
        highs: Upper ends, NaN where unknown.

    Returns:
        Texts such as ``1``, ``2-4``.
    """
    low = np.where(np.isnan(lows), values, lows)
    high = np.where(np.isnan(highs), values, highs)
    known = ~np.isnan(values)
    # Sorted ends and a binary search: the board may hold 100,000 rows, whose pairs would not fit in memory.
    sorted_low, sorted_high = np.sort(low[known]), np.sort(high[known])
    total = int(known.sum())
    best = 1 + total - np.searchsorted(sorted_low, high, side="right")
    worst = total - np.searchsorted(sorted_high, low, side="left")
    return [
        "" if not ok else (f"{first}" if first >= last else f"{first}-{last}")
        for ok, first, last in zip(known, best.tolist(), worst.tolist(), strict=True)
    ]
