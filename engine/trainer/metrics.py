"""Scores of classifiers, with their intervals."""

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, f1_score, log_loss

from db.runs.writer import MetricValue
from db.statistics.intervals import wilson

_RESAMPLES = 2000


def accuracy(name: str, gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> MetricValue:
    """Share of right labels with Wilson's interval; ``name`` is the metric's key."""
    correct, n = int((gold == predicted).sum()), len(gold)
    interval = wilson(correct, n)
    return MetricValue(name, correct / n, n, interval.low, interval.high)


def majority(train: NDArray[np.int64], gold: NDArray[np.int64]) -> MetricValue:
    """What always giving the most frequent label of the training split would score."""
    return accuracy("accuracy_majority", gold, np.full(len(gold), np.bincount(train).argmax()))


def macro_f1(gold: NDArray[np.int64], predicted: NDArray[np.int64], num_labels: int, seed: int = 0) -> MetricValue:
    """F1 of each label, averaged, with a percentile bootstrap over examples.

    F1 depends on the examples only through the confusion matrix, so resampling its cells (a multinomial draw) is the
    bootstrap over examples, at a cost that does not grow with them.
    """
    labels = np.arange(num_labels)
    value = float(f1_score(gold, predicted, labels=labels, average="macro", zero_division=0))
    cells = confusion_matrix(gold, predicted, labels=labels)
    draws = np.random.default_rng(seed).multinomial(len(gold), cells.ravel() / len(gold), size=_RESAMPLES)
    tables = draws.reshape(_RESAMPLES, num_labels, num_labels)
    hits = np.einsum("rii->ri", tables)
    either = tables.sum(axis=1) + tables.sum(axis=2)
    f1 = np.divide(2 * hits, either, out=np.zeros(hits.shape), where=either > 0).mean(axis=1)
    low, high = np.quantile(f1, [0.025, 0.975])
    return MetricValue("macro_f1", value, len(gold), float(low), float(high))


def classification(gold: NDArray[np.int64], probabilities: NDArray[np.float64]) -> list[MetricValue]:
    """Accuracy, macro-F1 and log loss.

    Args:
        gold: True labels, shape (examples,).
        probabilities: Shape (examples, labels).
    """
    predicted = probabilities.argmax(axis=1)
    num_labels = probabilities.shape[1]
    loss = float(log_loss(gold, probabilities, labels=np.arange(num_labels)))
    return [
        accuracy("accuracy", gold, predicted),
        macro_f1(gold, predicted, num_labels),
        MetricValue("log_loss", loss, len(gold)),
    ]
