"""Paired tests of runs, and of means over seeds, on the same examples, corrected for all pairs together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, cast

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.analysis.paired_answers import Numbers, PairedAnswers
from db.leaderboard import board_ranks
from db.statistics import correlation, intervals, ranking, significance
from db.statistics.ranking import Estimates
from db.storage import outcomes

Measure = Literal["right", "overlap", "pearson", "spearman"]
"""The share of right answers, by the exact McNemar test; mean F1 or a correlation, by the paired bootstrap."""


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
        means: Whether some are means over seeds, whose tests allow for other seeds too.
    """

    measure: Measure
    n: int
    scores: tuple[float, ...]
    best: int
    even: tuple[int, ...]
    worse: tuple[int, ...]
    pairs: tuple[Pair, ...]
    means: bool = False

    def pair(self, run: int, other: int) -> Pair:
        """The pair of two runs, in either order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {run, other})


def measures(answers: PairedAnswers) -> tuple[Measure, ...]:
    """What can be tested, the task's own metric first."""
    if answers.numbers is not None:
        return (cast("Measure", answers.numbers.metric),)
    return ("right",) if answers.overlap is None else ("overlap", "right")


def verdict(answers: PairedAnswers, measure: Measure) -> Verdict:
    """Test every two runs on their common examples, by one of ``measures(answers)``."""
    columns = list(combinations(range(answers.right.shape[1]), 2))
    if answers.numbers is not None:
        return _verdict_of_numbers(measure, answers.numbers, columns)
    values = answers.right if measure == "right" or answers.overlap is None else answers.overlap
    scores = values.mean(axis=0, dtype=np.float64)
    if measure == "right":
        tests = [_mcnemar(answers, *pair) for pair in columns]
    else:
        resampled = significance.bootstrap(np.asarray(values, dtype=np.float64), columns)
        tests = [(result.difference, result.low, result.high, result.p) for result in resampled]
    return _verdict(measure, len(answers), scores, [(*pair, *test) for pair, test in zip(columns, tests, strict=True)])


def _verdict_of_numbers(measure: Measure, numbers: Numbers, columns: Sequence[tuple[int, int]]) -> Verdict:
    scores = np.array([correlation.score(measure, numbers.gold, answers)[0] for answers in numbers.answers.T])
    gold, answers = numbers.gold, numbers.answers
    if measure == "spearman":  # the ranks are those of all examples
        gold, answers = pd.Series(gold).rank().to_numpy(), pd.DataFrame(answers).rank().to_numpy()
    resampled = significance.bootstrap_correlations(gold, answers, columns)
    tests = [
        (*pair, result.difference, result.low, result.high, result.p)
        for pair, result in zip(columns, resampled, strict=True)
    ]
    return _verdict(measure, len(gold), scores, tests)


def verdict_of_means(con: duckdb.DuckDBPyConnection, members: Sequence[Sequence[str]]) -> Verdict | None:
    """Test every two means over seeds, each of the whole ids of its runs; one of a single run is that run.

    Returns:
        None where the runs were not all scored on the same examples.
    """
    ids = [run_id for runs in members for run_id in runs]
    sets = outcomes.read(con, ids)
    if len(sets) != 1 or len(sets[0].runs) != len(ids):
        return None
    scored = sets[0]
    row_of = np.repeat(np.arange(len(members)), [len(runs) for runs in members])
    shares = np.empty(len(ids))
    shares[scored.runs] = (scored.both.diagonal() if scored.totals is None else scored.totals) / scored.n
    of_rows = [shares[row_of == row] for row in range(len(members))]
    scores = np.array([values.mean() for values in of_rows])
    spread = np.array([values.std(ddof=1) if len(values) > 1 else np.nan for values in of_rows])
    seeds = np.array([len(values) for values in of_rows], dtype=float)
    unknown = np.full(len(scores), np.nan)
    (group,) = board_ranks.tested(sets, row_of, seeds)
    tests = ranking.pair_tests(group, Estimates(scores, unknown, unknown, spread, seeds))
    return replace(_verdict("right" if scored.totals is None else "overlap", scored.n, scores, tests), means=True)


def _verdict(
    measure: Measure, n: int, scores: NDArray[np.float64], tests: Sequence[tuple[int, int, float, float, float, float]]
) -> Verdict:
    """Put tests of every two into a verdict: first, second, difference, low, high, p."""
    corrected = significance.holm([p for *_, p in tests])
    pairs = tuple(Pair(*test, p) for test, p in zip(tests, corrected, strict=True))
    best = int(scores.argmax())
    apart = {
        ({pair.first, pair.second} - {best}).pop(): pair.apart for pair in pairs if best in (pair.first, pair.second)
    }
    order = sorted(apart, key=lambda run: (-scores[run], run))
    return Verdict(
        measure,
        n,
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
