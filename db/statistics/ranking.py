"""Ranks with ties that the data cannot resolve: no more than one board of equal models in 20 has a false order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import bdtr

from db.statistics.seed_means import critical
from db.statistics.significance import LEVEL

Floats = NDArray[np.float64]
_Z = 1.959964


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores where more is better, with what is known of their errors. All of shape (rows,).

    Attributes:
        value: Scores; NaN has no rank.
        below: Standard error towards less that comes from the examples; NaN where there is no interval.
        above: Standard error towards more.
        spread: Standard deviation over the seeds; NaN for a single run, whose rank holds for that run.
        seeds: Number of seeds behind the score.
        pooling: Whether the row's spread counts for the variance over seeds of all rows; None: of every row.
    """

    value: Floats
    below: Floats
    above: Floats
    spread: Floats
    seeds: Floats
    pooling: NDArray[np.bool_] | None = None

    @classmethod
    def of_intervals(cls, value: Floats, low: Floats, high: Floats) -> "Estimates":
        """Estimates of single runs from their 95% intervals."""
        return cls(value, (value - low) / _Z, (high - value) / _Z, np.full(len(value), np.nan), np.ones(len(value)))


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Rows with predictions on the same examples.

    Attributes:
        rows: Positions, shape (k,).
        variance: Of each difference of two rows, as far as the examples make it; shape (k, k).
        ahead: Examples that the row is right on and the column's is not; shape (k, k). Two single runs are compared by
            McNemar's test on them; None where scores are no counts of right answers.
    """

    rows: NDArray[np.intp]
    variance: Floats
    ahead: Floats | None


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of rows.

    Attributes:
        ends: Shape (rows, 2): best and worst rank of each row, from 1; 0 where it has none.
        about: Shape (rows,): position of a row that has a score and no interval, by its score alone; 0 elsewhere.
        ties: Shape (rows, 2): rows that no paired test, and rows that no interval, separates from each.
    """

    ends: NDArray[np.intp]
    about: NDArray[np.intp]
    ties: NDArray[np.intp]

    def texts(self) -> list[str]:
        """Ranks as people read them: ``1``, ``2-4``, ``~5`` for a row without an interval; empty without a score."""
        best, worst = (pa.array(ends).cast(pa.string()) for ends in self.ends.T)
        tied = pc.binary_join_element_wise(best, worst, "-")
        about = pc.binary_join_element_wise("~", pa.array(self.about).cast(pa.string()), "")
        alone = pa.array(self.ends[:, 0] == self.ends[:, 1])
        definite = pc.if_else(alone, best, tied)
        other = pc.if_else(pa.array(self.about > 0), about, "")
        texts: list[str] = pc.if_else(pa.array(self.ends[:, 0] > 0), definite, other).to_pylist()
        return texts


def rank_ranges(
    estimates: Estimates, tested: Sequence[PairedRows] = (), among: NDArray[np.bool_] | None = None
) -> Ranks:
    """Rank rows, best first, so that all orders that it states hold together with 95% confidence.

    A row's best rank counts the rows that are certainly better, its worst rank leaves out those that are certainly
    worse. Two rows of one ``PairedRows`` are ordered by the paired test, corrected by Holm for all tested pairs; any
    other two by intervals that are widened until all of them hold at once (Bonferroni). The two families share the
    5% by their numbers of pairs.

    The variance over seeds is estimated from all rows with several seeds (their own where it is larger): three seeds
    alone know too little of it for so many comparisons.

    Args:
        estimates: The rows.
        tested: Disjoint sets of rows.
        among: Rows that take part; the others have no rank. None for all.
    """
    scored = ~np.isnan(estimates.value)
    if among is not None:
        scored &= among
    ranked = scored & ~np.isnan(estimates.below + estimates.above)
    count = int(ranked.sum())
    of_seeds, freedom = _seed_variance(estimates, ranked)
    groups = [_within(group, ranked) for group in tested]
    groups = [group for group in groups if len(group.rows) > 1]
    pairs, tests = max(1, _pairs(count)), sum(_pairs(len(group.rows)) for group in groups)
    low, high = _simultaneous(estimates, of_seeds, freedom, LEVEL * (1 - tests / pairs) / max(1, count))
    lows, highs = np.sort(low[ranked]), np.sort(high[ranked])  # 100,000 rows: their pairs would not fit in memory
    better = count - np.searchsorted(lows, high, side="right")
    worse = np.searchsorted(highs, low, side="left")
    by_test = np.zeros(len(scored), dtype=np.intp)
    for group, above in zip(groups, _ordered(groups, estimates, of_seeds, freedom, LEVEL * tests / pairs), strict=True):
        rows = group.rows
        by_interval = low[rows][:, None] > high[rows]
        better[rows] += above.sum(axis=0) - by_interval.sum(axis=0)
        worse[rows] += above.sum(axis=1) - by_interval.sum(axis=1)
        by_test[rows] = len(rows) - 1 - above.sum(axis=0) - above.sum(axis=1)
    ends = np.where(ranked[:, None], np.column_stack((1 + better, count - worse)), 0)
    values = np.sort(estimates.value[scored])
    about = np.where(scored & ~ranked, 1 + len(values) - np.searchsorted(values, estimates.value, side="right"), 0)
    ties = np.where(ranked, ends[:, 1] - ends[:, 0], 0)
    return Ranks(ends, about, np.column_stack((np.where(ranked, by_test, 0), ties - np.where(ranked, by_test, 0))))


SMALLEST_P = 1e-12


def pair_tests(group: PairedRows, estimates: Estimates) -> list[tuple[int, int, float, float, float, float]]:
    """Test every two rows as the ranks do: means over seeds by both kinds of variance, single runs by McNemar's test.

    The interval of two single runs is that of normal differences.

    Args:
        group: The rows.
        estimates: Of all rows, where more is better.

    Returns:
        First and second row by their places in the group, second minus first in the unit of the scores, lower and upper
        end of its 95% interval, and the two-sided p-value of this test alone, ``SMALLEST_P`` at least.
    """
    of_seeds, freedom = _seed_variance(estimates, ~np.isnan(estimates.value))
    difference, variance, share, exact, exact_p = _prepare(group, estimates, of_seeds)
    tests = []
    for first, second in combinations(range(len(group.rows)), 2):
        pair = second, first
        size, error, part = float(difference[pair]), float(np.sqrt(variance[pair])), float(share[pair])
        half = float(critical(part, freedom)) * error
        p = float(exact_p[pair]) if exact[pair] else _p_value(size, error, part, freedom)
        tests.append((first, second, size, size - half, size + half, p))
    return tests


def _p_value(difference: float, error: float, share: float, freedom: float) -> float:
    """The level at which a difference equals its critical value; see ``seed_means.critical``."""
    if error == 0:
        return 1.0 if difference == 0 else SMALLEST_P
    ratio = abs(difference) / error

    def above(level: float) -> float:
        return float(critical(share, freedom, level)) - ratio

    p = SMALLEST_P if above(SMALLEST_P) <= 0 else float(brentq(above, SMALLEST_P, 1.0))
    # At 5% the critical values of two seeds are fitted, and larger than what the other levels follow.
    return max(p, LEVEL) if above(LEVEL) >= 0 else p


def _pairs(rows: int) -> int:
    return rows * (rows - 1) // 2


def _within(group: PairedRows, ranked: NDArray[np.bool_]) -> PairedRows:
    taking_part = ranked[group.rows]
    square = np.ix_(taking_part, taking_part)
    ahead = None if group.ahead is None else group.ahead[square]
    return PairedRows(group.rows[taking_part], group.variance[square], ahead)


def _seed_variance(estimates: Estimates, ranked: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Variance of each score that comes from its seeds, 0 for single runs, and the degrees of freedom behind it."""
    several = ranked & (estimates.seeds > 1) & ~np.isnan(estimates.spread)
    own = several if estimates.pooling is None else several & estimates.pooling
    together = own if own.any() else several
    freedom = float((estimates.seeds[together] - 1).sum())
    if not freedom:
        return np.zeros(len(ranked)), np.inf
    pooled = float(((estimates.seeds[together] - 1) * estimates.spread[together] ** 2).sum()) / freedom
    variance = np.zeros(len(ranked))
    variance[several] = np.maximum(estimates.spread[several] ** 2, pooled) / estimates.seeds[several]
    return variance, freedom


def _simultaneous(estimates: Estimates, of_seeds: Floats, freedom: float, level: float) -> tuple[Floats, Floats]:
    """Ends of the intervals at another level."""
    ends = []
    for sign, error in ((-1, estimates.below), (1, estimates.above)):
        total = of_seeds + error**2
        share = np.divide(of_seeds, total, out=np.zeros_like(total), where=total > 0)
        width = critical(share, freedom, level) * np.sqrt(total) if level > 0 else np.full(len(total), np.inf)
        ends.append(estimates.value + sign * width)
    return ends[0], ends[1]


def _ordered(
    groups: Sequence[PairedRows], estimates: Estimates, of_seeds: Floats, freedom: float, level: float
) -> list[NDArray[np.bool_]]:
    """Which rows of each group are certainly better than which, by Holm's step-down rule over all groups."""
    prepared = [_prepare(group, estimates, of_seeds) for group in groups]
    total = sum(_pairs(len(group.rows)) for group in groups)
    rejected, before = 0, -1
    above: list[NDArray[np.bool_]] = []
    while rejected > before:  # each round gives the pairs that are left the level of those that are decided
        before = rejected
        each = level / max(1, total - rejected)
        above = [
            (difference > 0)
            & np.where(exact, p <= each, difference > critical(share, freedom, each) * np.sqrt(variance))
            for difference, variance, share, exact, p in prepared
        ]
        rejected = sum(int(matrix.sum()) for matrix in above)
    return above


def _prepare(group: PairedRows, estimates: Estimates, of_seeds: Floats) -> tuple[Floats, ...]:
    """Differences of rows, their variances and the seeds' share in them; for two single runs McNemar's p-value."""
    rows = group.rows
    difference = estimates.value[rows][:, None] - estimates.value[rows]
    seeds = of_seeds[rows][:, None] + of_seeds[rows]
    variance = seeds + group.variance
    share = np.divide(seeds, variance, out=np.zeros_like(variance), where=variance > 0)
    if group.ahead is None:
        return difference, variance, share, np.zeros_like(seeds, dtype=bool), np.ones_like(variance)
    differing = group.ahead + group.ahead.T
    p = np.minimum(1.0, 2 * bdtr(np.minimum(group.ahead, group.ahead.T), differing.astype(np.int64), 0.5))
    return difference, variance, share, seeds == 0, np.where(differing > 0, p, 1.0)
