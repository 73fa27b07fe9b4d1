"""Scores of classifiers, with their intervals."""

import numpy as np
from numpy.typing import NDArray

from db.runs.writer import MetricValue
from db.statistics import classes, correlation
from db.statistics.intervals import wilson


def share(name: str, right: NDArray[np.bool_]) -> MetricValue:
    """Share of right answers with Wilson's interval; ``name`` is the metric's key."""
    interval = wilson(int(right.sum()), len(right))
    return MetricValue(name, float(right.mean()), len(right), interval.low, interval.high)


def accuracy(name: str, gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> MetricValue:
    """Share of right labels; see ``share``."""
    return share(name, gold == predicted)


def majority(train: NDArray[np.int64], gold: NDArray[np.int64]) -> MetricValue:
    """What always giving the most frequent label of the training split would score."""
    return accuracy("accuracy_majority", gold, np.full(len(gold), np.bincount(train).argmax()))


def of_classes(name: str, gold: NDArray[np.int64], predicted: NDArray[np.int64], num_labels: int) -> MetricValue:
    """A score of ``db.statistics.classes``, such as macro-F1, with its interval."""
    value, interval = classes.score(name, gold, predicted, num_labels)
    return MetricValue(name, value, len(gold), interval.low, interval.high)


def regression(gold: NDArray[np.float64], predicted: NDArray[np.float64], metric: str) -> list[MetricValue]:
    """Correlations, the one that ranks the task first, and the mean squared error.

    Args:
        gold: Shape (examples,).
        predicted: Shape (examples,).
        metric: One of ``db.statistics.correlation.SCORES``.
    """
    figures = []
    for name in dict.fromkeys((metric, *correlation.SCORES)):
        value, interval = correlation.score(name, gold, predicted)
        figures.append(MetricValue(name, value, len(gold), interval.low, interval.high))
    return figures


def classification(
    gold: NDArray[np.int64], probabilities: NDArray[np.float64], metric: str = "accuracy"
) -> list[MetricValue]:
    """Accuracy, macro-F1 and log loss.

    Args:
        gold: True labels, shape (examples,).
        probabilities: Shape (examples, labels).
        metric: That ranks the task; computed too, where it is another one.
    """
    predicted = probabilities.argmax(axis=1)
    num_labels = probabilities.shape[1]
    own = (metric,) if metric in classes.SCORES else ()
    of_gold = probabilities[np.arange(len(gold)), gold]
    smallest = np.finfo(probabilities.dtype).eps  # as scikit-learn, which takes a second to import
    loss = -float(np.log(np.clip(of_gold, smallest, 1 - smallest)).mean())
    return [
        accuracy("accuracy", gold, predicted),
        *(of_classes(name, gold, predicted, num_labels) for name in dict.fromkeys(("macro_f1", *own))),
        MetricValue("log_loss", loss, len(gold)),
    ]
