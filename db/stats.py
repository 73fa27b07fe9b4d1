"""Uncertainty: intervals and the ranks that they allow."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
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


def rank_ranges(values: NDArray[np.float64], lows: NDArray[np.float64], highs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Ranks with ties that the data cannot resolve, best first, for values where more is better.

    A row's best rank counts the rows whose interval lies wholly above its own; its worst rank also counts those that
    overlap it. A row without an interval is a point. A NaN value has no rank.

    Args:
        values: Shape (rows,).
        lows: Lower ends, NaN where unknown.
        highs: Upper ends, NaN where unknown.

    Returns:
        Shape (rows, 2): the best and the worst rank of each row, 1 and more; 0 where it has none.
    """
    low = np.where(np.isnan(lows), values, lows)
    high = np.where(np.isnan(highs), values, highs)
    known = ~np.isnan(values)
    # Sorted ends and a binary search: the board may hold 100,000 rows, whose pairs would not fit in memory.
    sorted_low, sorted_high = np.sort(low[known]), np.sort(high[known])
    total = int(known.sum())
    best = 1 + total - np.searchsorted(sorted_low, high, side="right")
    worst = total - np.searchsorted(sorted_high, low, side="left")
    return np.where(known[:, None], np.column_stack((best, np.maximum(best, worst))), 0)


def rank_texts(ranks: NDArray[np.intp]) -> list[str]:
    """Ranks of ``rank_ranges`` as people read them, such as ``1`` and ``2-4``; empty where there is none."""
    best, worst = (pa.array(ends).cast(pa.string()) for ends in ranks.T)
    tied = pc.binary_join_element_wise(best, worst, "-")
    alone, none = pa.array(ranks[:, 0] == ranks[:, 1]), pa.array(ranks[:, 0] == 0)
    texts: list[str] = pc.if_else(none, "", pc.if_else(alone, best, tied)).to_pylist()
    return texts
