"""What the data can tell of runs on the same examples: paired tests of every two of them."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from db.analysis.paired_answers import Common
from db.statistics import intervals, significance

LEVEL = 0.05
"""Below this p-value a paired test tells two runs apart."""

Measure = Literal["right", "overlap"]
"""The share of answers that are right, by the exact McNemar test; or mean F1 of answers, by the paired bootstrap."""


@dataclass(frozen=True)
class Pair:
    """Two of the runs.

    Attributes:
        first: The column of one in ``Common``.
        second: Of the other, to the right of it.
        difference: Second minus first, a fraction of 1.
        low: Lower end of its 95% interval.
        high: Upper end.
        p: Of the paired test alone.
        corrected: The same after Holm's correction for all pairs that are looked at.
    """

    first: int
    second: int
    difference: float
    low: float
    high: float
    p: float
    corrected: float

    @property
    def apart(self) -> bool:
        """The data tell the two apart."""
        return self.corrected < LEVEL


@dataclass(frozen=True)
class Verdict:
    """Who is best, and whether the data can tell.

    Attributes:
        measure: What was tested.
        n: Common examples.
        scores: One a run, a fraction of 1.
        best: The run with the highest score, the first of equal ones.
        even: Runs that the data cannot tell apart from it.
        worse: Runs that they can.
        pairs: Every two runs, in order.
    """

    measure: Measure
    n: int
    scores: tuple[float, ...]
    best: int
    even: tuple[int, ...]
    worse: tuple[int, ...]
    pairs: tuple[Pair, ...]

    def pair(self, one: int, other: int) -> Pair:
        """The pair of two runs, in either order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {one, other})


def measures(common: Common) -> tuple[Measure, ...]:
    """What can be tested, the task's own figure first."""
    return ("right",) if common.overlap is None else ("overlap", "right")


def verdict(common: Common, measure: Measure) -> Verdict:
    """Test every two runs on their common examples.

    Args:
        common: At least one example of at least two runs.
        measure: One of ``measures(common)``.
    """
    values = common.right if measure == "right" or common.overlap is None else common.overlap
    scores = values.mean(axis=0, dtype=np.float64)
    both = list(combinations(range(values.shape[1]), 2))
    if measure == "right":
        tested = [_mcnemar(common, *pair) for pair in both]
    else:
        told = significance.bootstrap(np.asarray(values, dtype=np.float64), both)
        tested = [(one.difference, one.low, one.high, one.p) for one in told]
    corrected = significance.holm([p for *_, p in tested])
    pairs = tuple(Pair(*pair, *told, right) for pair, told, right in zip(both, tested, corrected, strict=True))
    best = int(scores.argmax())
    beside = {
        ({pair.first, pair.second} - {best}).pop(): pair.apart for pair in pairs if best in (pair.first, pair.second)
    }
    order = sorted(beside, key=lambda place: (-scores[place], place))
    return Verdict(
        measure,
        len(common),
        tuple(float(score) for score in scores),
        best,
        tuple(place for place in order if not beside[place]),
        tuple(place for place in order if beside[place]),
        pairs,
    )


def _mcnemar(common: Common, first: int, second: int) -> tuple[float, float, float, float]:
    one, other = common.right[:, first], common.right[:, second]
    only_first, only_second, n = int((one & ~other).sum()), int((other & ~one).sum()), len(common)
    interval = intervals.paired_difference(only_first, only_second, n)
    return (only_second - only_first) / n, interval.low, interval.high, significance.mcnemar(only_first, only_second)
