"""Ranks with ties that the intervals of the values cannot resolve."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


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
