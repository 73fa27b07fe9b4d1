"""Scores of labels that depend on the confusion matrix alone, each with a percentile bootstrap over the examples.

A new score is one function of confusion matrices, and its entry in ``SCORES``.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from db.statistics.intervals import Interval

_RESAMPLES = 2000

Tables = NDArray[np.int64]
"""Confusion matrices, shape (matrices, labels, labels): gold labels in rows, answers in columns."""


def macro_f1(tables: Tables, labels: int) -> NDArray[np.float64]:
    """F1 of each of the first ``labels`` labels, averaged; further ones are answers that are no label."""
    hits = np.einsum("rii->ri", tables)
    either = tables.sum(axis=1) + tables.sum(axis=2)
    f1 = np.divide(2 * hits, either, out=np.zeros(hits.shape), where=either > 0)
    return np.asarray(f1[:, :labels].mean(axis=1))


def mcc(tables: Tables, _: int) -> NDArray[np.float64]:
    """Correlation of labels and answers (Matthews 1975, for several labels Gorodkin 2004); 0 where one is constant."""
    rows, columns = tables.sum(axis=2).astype(float), tables.sum(axis=1).astype(float)
    total = rows.sum(axis=1)
    covariance = np.einsum("rii->r", tables) * total - (rows * columns).sum(axis=1)
    spread = np.sqrt((total**2 - (rows**2).sum(axis=1)) * (total**2 - (columns**2).sum(axis=1)))
    return np.asarray(np.divide(covariance, spread, out=np.zeros(len(tables)), where=spread > 0))


SCORES: dict[str, Callable[[Tables, int], NDArray[np.float64]]] = {"macro_f1": macro_f1, "mcc": mcc}
"""By the keys of ``db.registry.metrics.METRICS``."""


def score(
    name: str, gold: NDArray[np.int64], predicted: NDArray[np.int64], labels: int, seed: int = 0
) -> tuple[float, Interval]:
    """A score and its 95% interval.

    The score depends on the examples only through the confusion matrix, so resampling its cells (a multinomial draw) is
    the bootstrap over examples, at a cost that does not grow with them.

    Args:
        name: A key of ``SCORES``.
        gold: Label numbers.
        predicted: Label numbers; one that is ``labels`` is an answer that is no label.
        labels: Number of labels.
        seed: Of the resampling.
    """
    size = max(labels, int(predicted.max(initial=0)) + 1)
    cells = np.zeros((size, size), dtype=np.int64)
    np.add.at(cells, (gold, predicted), 1)
    draws = np.random.default_rng(seed).multinomial(len(gold), cells.ravel() / len(gold), size=_RESAMPLES)
    low, high = np.quantile(SCORES[name](draws.reshape(_RESAMPLES, size, size), labels), [0.025, 0.975])
    return float(SCORES[name](cells[None], labels)[0]), Interval(float(low), float(high))


def score_texts(name: str, gold: Sequence[str], answers: Sequence[str], labels: int) -> tuple[float, Interval]:
    """The same for label numbers as texts; any other text is an answer that is no label."""
    numbers = {str(number): number for number in range(labels)}
    own, predicted = (np.array([numbers.get(text, labels) for text in texts]) for texts in (gold, answers))
    return score(name, own, predicted, labels)
