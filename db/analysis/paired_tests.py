"""Paired tests of runs on the same examples, corrected for all pairs together."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from db.analysis.paired_answers import PairedAnswers
from db.statistics import intervals, significance

Measure = Literal["right", "overlap"]
"""The share of right answers, by the exact McNemar test; or mean F1 of answers, by the paired bootstrap."""


@dataclass(frozen=True)
class Pair:
    """The test of two runs.

    Attributes:
        first: Column of the first run in ``PairedAnswers``.
        second: Column of the second, to the right of it.
        difference: Second minus first, a fraction of 1.
        low: Lower end of its 95% interval.
        high: Upper end.
        p: P-value of this test alone.
        corrected: The same after Holm's correction for all pairs.
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
        """Whether the data tell the two apart."""
        return self.corrected < significance.LEVEL


@dataclass(frozen=True)
class Verdict:
    """The best run, and which others the data can tell apart from it.

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

    def pair(self, run: int, other: int) -> Pair:
        """The pair of two runs, in either order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {run, other})


def measures(answers: PairedAnswers) -> tuple[Measure, ...]:
    """What can be tested, the task's own metric first."""
    return ("right",) if answers.overlap is None else ("overlap", "right")


def verdict(answers: PairedAnswers, measure: Measure) -> Verdict:
    """Test every two runs on their common examples.

    Args:
        answers: At least one example of at least two runs.
        measure: One of ``measures(answers)``.
    """
    values = answers.right if measure == "right" or answers.overlap is None else answers.overlap
    scores = values.mean(axis=0, dtype=np.float64)
    columns = list(combinations(range(values.shape[1]), 2))
    if measure == "right":
        tests = [_mcnemar(answers, *pair) for pair in columns]
    else:
        resampled = significance.bootstrap(np.asarray(values, dtype=np.float64), columns)
        tests = [(result.difference, result.low, result.high, result.p) for result in resampled]
    corrected = significance.holm([p for *_, p in tests])
    pairs = tuple(Pair(*pair, *test, p) for pair, test, p in zip(columns, tests, corrected, strict=True))
    best = int(scores.argmax())
    apart = {
        ({pair.first, pair.second} - {best}).pop(): pair.apart for pair in pairs if best in (pair.first, pair.second)
    }
    order = sorted(apart, key=lambda run: (-scores[run], run))
    return Verdict(
        measure,
        len(answers),
        tuple(float(score) for score in scores),
        best,
        tuple(run for run in order if not apart[run]),
        tuple(run for run in order if apart[run]),
        pairs,
    )


def p_value(p: float) -> str:
    """Format a p-value to two digits: ``p = 0.00035``, ``p < 0.0001``."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def _mcnemar(answers: PairedAnswers, first: int, second: int) -> tuple[float, float, float, float]:
    first_right, second_right, n = answers.right[:, first], answers.right[:, second], len(answers)
    only_first, only_second = int((first_right & ~second_right).sum()), int((second_right & ~first_right).sum())
    interval = intervals.paired_difference(only_first, only_second, n)
    p = significance.mcnemar(only_first, only_second)
    return (only_second - only_first) / n, interval.low, interval.high, p
