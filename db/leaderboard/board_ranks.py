"""What ranks of a board's rows rest on: their intervals, and the runs behind them that answered the same examples."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.statistics.ranking import Estimates, PairedRows
from db.storage.outcomes import Outcomes

PRINTED = "reported"
"""The source of printed rows."""


def taking_part(rows: pd.DataFrame, *, printed: bool) -> NDArray[np.bool_]:
    """Which rows are ranked.

    A printed figure may be of other training data, the best of many settings or of a hidden test: it is ranked among
    measured and submitted rows only on request, and where a board has no others.
    """
    ours = (rows["source"] != PRINTED).to_numpy(dtype=bool)
    scored = rows["score"].notna().to_numpy(dtype=bool)
    return np.ones(len(rows), dtype=bool) if printed or not (ours & scored).any() else ours


def estimates(rows: pd.DataFrame, sign: float) -> Estimates:
    """Scores with their errors, turned so that more is better."""
    value, low, high, spread, error, seeds = (
        rows[name].to_numpy(dtype=float, na_value=np.nan)
        for name in ("score", "low", "high", "spread", "error", "seeds")
    )
    ends = (low, high) if sign > 0 else (-high, -low)
    single = Estimates.of_intervals(sign * value, *ends)
    mean = seeds > 1
    below, above = (np.where(mean, error, side) for side in (single.below, single.above))
    spreads, counts = np.where(mean, spread, np.nan), np.where(mean, seeds, 1.0)
    # Seeds of another installation, scattered as it likes, would make rows of this one tie.
    return Estimates(sign * value, below, above, spreads, counts, rows["owner"].isna().to_numpy(dtype=bool))


def tested(sets: Sequence[Outcomes], row_of: NDArray[np.intp], seeds: NDArray[np.float64]) -> list[PairedRows]:
    """Rows whose runs all answered the same examples.

    Args:
        sets: Of the runs of the board.
        row_of: The row of each run, -1 for none.
        seeds: Seeds behind each row.
    """
    return [
        group for outcome_set in sets if len((group := _tested(outcome_set, row_of[outcome_set.runs], seeds)).rows) > 1
    ]


def _tested(outcome_set: Outcomes, row_of: NDArray[np.intp], seeds: NDArray[np.float64]) -> PairedRows:
    rows, members = np.unique(row_of[row_of >= 0], return_counts=True)
    rows = rows[members == seeds[rows]].astype(np.intp)
    mean = (row_of == rows[:, None]) / seeds[rows][:, None]  # takes runs to rows
    covariance = mean @ outcome_set.covariance @ mean.T
    own, count = (mean > 0) @ outcome_set.covariance.diagonal(), seeds[rows]
    # What two seeds of a row share; what they do not is in the variance over seeds.
    shared = (count**2 * covariance.diagonal() - own) / np.maximum(1, count * (count - 1))
    np.fill_diagonal(covariance, np.where(count > 1, np.maximum(shared, 0), covariance.diagonal()))
    total = covariance.diagonal()[:, None] + covariance.diagonal() - 2 * covariance
    variance = np.maximum(total, 0) / outcome_set.n
    if outcome_set.totals is not None:
        return PairedRows(rows, variance, None)
    right = mean @ outcome_set.both.diagonal()
    return PairedRows(rows, variance, np.round(right[:, None] - mean @ outcome_set.both @ mean.T))
