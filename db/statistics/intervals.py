"""Uncertainty: intervals, the ranks that they allow, and tests of runs on the same examples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.stats import binomtest

_DRAWS = 2_000_000
"""Examples that the bootstrap draws at a time, some 16 bytes each: its memory does not grow with the examples."""


@dataclass(frozen=True)
class Interval:
    """A 95% interval, in the unit of its value."""

    low: float
    high: float


@dataclass(frozen=True)
class Resampled:
    """What the bootstrap says of a difference of two means.

    Attributes:
        difference: Second minus first.
        low: Lower end of its 95% percentile interval.
        high: Upper end.
        p: Two-sided; never below 2 / (resamples + 1).
    """

    difference: float
    low: float
    high: float
    p: float


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


def paired_difference(only_first: int, only_second: int, n: int) -> Interval:
    """A 95% interval of the difference of two shares on the same examples, second minus first (Agresti and Min 2005).

    Their adjusted Wald interval: half an example is added to each of the four cells.

    Args:
        only_first: Examples that only the first answers right.
        only_second: Examples that only the second answers right.
        n: All examples.

    Raises:
        ValueError: There are fewer examples than differing ones, or none.
    """
    if n <= 0 or only_first + only_second > n:
        raise ValueError(f"{only_first} and {only_second} of {n} examples cannot differ")
    total, gained, lost = n + 2, only_second + 0.5, only_first + 0.5
    middle = (gained - lost) / total
    half = 1.959964 * float(np.sqrt(gained + lost - (gained - lost) ** 2 / total)) / total
    return Interval(max(-1.0, middle - half), min(1.0, middle + half))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction of p-values that are looked at together (Holm 1979), in the order given.

    The chance that any of the hypotheses that hold is rejected stays below the level, however the tests depend on each
    other.
    """
    corrected = [0.0] * len(values)
    most = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=lambda one: values[one])):
        most = max(most, min(1.0, (len(values) - place) * values[index]))
        corrected[index] = most
    return corrected


def bootstrap(
    values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], *, resamples: int = 10_000, seed: int = 0
) -> list[Resampled]:
    """The paired bootstrap (Efron 1979): by how much do the means of columns differ on the same examples?

    Examples are drawn with replacement, with all their values, so that what makes an example hard for everybody does
    not count. The interval is the percentile interval; p is twice the share of resamples on the other side of 0, with
    the observed difference counted as one of them (Davison and Hinkley 1997, 4.2).

    Args:
        values: Shape (examples, columns), one value an example and run.
        pairs: Columns to compare, first and second.
        resamples: How often is drawn.
        seed: The same one gives the same result.

    Raises:
        ValueError: There is no example.
    """
    n = len(values)
    if n == 0:
        raise ValueError("a bootstrap needs examples")
    # Examples on which all columns agree move no difference: how many of them are drawn is all that counts.
    telling = values[(values != values[:, :1]).any(axis=1)]
    telling = telling - telling[:, :1]
    sums = np.zeros((resamples, values.shape[1]))
    rng = np.random.default_rng(seed)
    drawn = rng.binomial(n, len(telling) / n, resamples) if len(telling) else np.zeros(resamples, dtype=np.int64)
    step = max(1, _DRAWS // max(1, len(telling)))
    for start in range(0, resamples if len(telling) else 0, step):
        sizes = drawn[start : start + step]
        shift = np.repeat(np.arange(len(sizes)) * len(telling), sizes)
        places = rng.integers(0, len(telling), len(shift)) + shift
        often = np.bincount(places, minlength=len(sizes) * len(telling)).reshape(len(sizes), len(telling))
        sums[start : start + step] = often @ telling
    means = values.mean(axis=0)
    return [_resampled(float(means[b] - means[a]), (sums[:, b] - sums[:, a]) / n) for a, b in pairs]


def _resampled(difference: float, drawn: NDArray[np.float64]) -> Resampled:
    low, high = np.quantile(drawn, (0.025, 0.975))
    # Sums of floats in another order: what is 0 but for the last digits is 0.
    below, above = int((drawn <= 1e-12).sum()), int((drawn >= -1e-12).sum())
    return Resampled(difference, float(low), float(high), min(1.0, 2 * (1 + min(below, above)) / (len(drawn) + 1)))


def kappa(first: NDArray[np.integer], second: NDArray[np.integer]) -> float:
    """Cohen's kappa (Cohen 1960): how much more often two agree than their own habits alone would make them.

    Args:
        first: Shape (examples,), labels as numbers from 0.
        second: Likewise.

    Returns:
        1 for full agreement, 0 for what chance would give; NaN where both always say the same one thing, or without
        examples.
    """
    n = len(first)
    labels = int(max(first.max(initial=0), second.max(initial=0))) + 1
    if n == 0:
        return float("nan")
    shares = [np.bincount(said, minlength=labels) / n for said in (first, second)]
    chance = float(shares[0] @ shares[1])
    return float("nan") if chance > 1 - 1e-12 else (float((first == second).mean()) - chance) / (1 - chance)


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
