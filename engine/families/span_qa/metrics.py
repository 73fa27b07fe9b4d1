"""Figures of question answering, with their intervals."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from db.runs.writer import MetricValue
from db.statistics.intervals import wilson
from db.statistics.qa_scoring import DECK, Rules, best

_RESAMPLES = 2000


def scores(
    rules: Rules, predicted: Sequence[str], golds: Sequence[Sequence[str]]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Exact match and F1 of each question, both of shape (questions,)."""
    rows = [best(rules, said, gold) for said, gold in zip(predicted, golds, strict=True)]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def mean(name: str, values: NDArray[np.float64], seed: int = 0) -> MetricValue:
    """A mean over questions with the percentile bootstrap over them; ``name`` is the metric's key."""
    generator = np.random.default_rng(seed)
    size = len(values)
    draws = [values[generator.integers(0, size, size)].mean() for _ in range(_RESAMPLES)]
    low, high = np.quantile(draws, [0.025, 0.975])
    return MetricValue(name, float(values.mean()), size, float(low), float(high))


def share(name: str, right: NDArray[np.bool_]) -> MetricValue:
    """A share of questions with Wilson's interval; ``name`` is the metric's key."""
    interval = wilson(int(right.sum()), len(right))
    return MetricValue(name, float(right.mean()), len(right), interval.low, interval.high)


def official(rules: Rules, predicted: Sequence[str], golds: Sequence[Sequence[str]]) -> list[MetricValue]:
    """F1 and exact match by the data set's own rules."""
    exact, overlap = scores(rules, predicted, golds)
    return [mean("f1", overlap), share("em", exact)]


def by_the_deck(predicted: Sequence[str], golds: Sequence[Sequence[str]]) -> list[MetricValue]:
    """F1 and exact match as the slide deck scores: against the first gold answer alone."""
    exact, overlap = scores(DECK, predicted, [gold[:1] for gold in golds])
    return [mean("f1_seed", overlap), share("em_seed", exact)]
