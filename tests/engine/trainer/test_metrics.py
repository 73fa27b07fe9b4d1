"""Scores of classifiers, against values computed by hand."""

import math

import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef

from engine.trainer.metrics import accuracy, classification, of_classes

GOLD = np.array([0, 0, 0, 1, 1, 2])
PREDICTED = np.array([0, 0, 1, 1, 2, 2])


def test_accuracy_and_its_interval() -> None:
    """Four of six are right; Wilson's 95% interval for 4/6 is 0.300 to 0.903."""
    result = accuracy("accuracy", GOLD, PREDICTED)
    assert (result.name, result.n) == ("accuracy", 6)
    assert result.value == pytest.approx(4 / 6)
    assert result.low == pytest.approx(0.29999, abs=1e-4)
    assert result.high == pytest.approx(0.90323, abs=1e-4)


def test_accuracy_keeps_the_name_it_is_given() -> None:
    """The de-duplicated accuracy is the same figure under its own key."""
    assert accuracy("accuracy_dedup", GOLD, GOLD).name == "accuracy_dedup"
    assert accuracy("accuracy_dedup", GOLD, GOLD).value == 1


def test_macro_f1_by_hand() -> None:
    """F1 of the three labels is 4/5, 1/2 and 2/3; their plain mean is the macro-F1."""
    assert of_classes("macro_f1", GOLD, PREDICTED, 3).value == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_scikit_learn(seed: int) -> None:
    """Macro-F1 and Matthews' correlation of four labels; a constant answer has a correlation of 0."""
    generator = np.random.default_rng(seed)
    gold, predicted = generator.integers(0, 4, (2, 60))
    assert of_classes("mcc", gold, predicted, 4).value == pytest.approx(matthews_corrcoef(gold, predicted))
    assert of_classes("macro_f1", gold, predicted, 4).value == pytest.approx(f1_score(gold, predicted, average="macro"))
    assert of_classes("mcc", gold, np.zeros_like(gold), 4).value == 0


def test_the_metric_of_the_task_is_computed_too() -> None:
    """Matthews' correlation where a task is ranked by it."""
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2]])
    names = [value.name for value in classification(np.array([0, 1, 1]), probabilities, "mcc")]
    assert names == ["accuracy", "macro_f1", "mcc", "log_loss"]


def test_macro_f1_counts_a_label_that_nobody_has_as_zero() -> None:
    """A label without examples and predictions lowers the mean: leaving it out would flatter a lazy model."""
    assert of_classes("macro_f1", np.array([0, 1]), np.array([0, 1]), 3).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [30, 400])
def test_the_bootstrap_interval_contains_the_value(seed: int, count: int) -> None:
    """The interval of macro-F1 surrounds its value and narrows with more examples."""
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 3, count)
    predicted = np.where(generator.random(count) < 0.7, gold, generator.integers(0, 3, count))
    result = of_classes("macro_f1", gold, predicted, 3)
    assert result.low is not None
    assert result.high is not None
    assert 0 <= result.low < result.value < result.high <= 1
    assert result.high - result.low < (0.5 if count == 30 else 0.12)


def test_the_bootstrap_is_that_over_examples() -> None:
    """Resampling cells of the confusion matrix gives the interval that resampling whole examples gives."""
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 2, 200)
    predicted = np.where(generator.random(200) < 0.8, gold, 1 - gold)
    values = []
    for _ in range(1500):
        index = generator.integers(0, 200, 200)
        g, p = gold[index], predicted[index]
        f1 = [2 * ((g == label) & (p == label)).sum() / ((g == label).sum() + (p == label).sum()) for label in (0, 1)]
        values.append(np.mean(f1))
    result = of_classes("macro_f1", gold, predicted, 2)
    low, high = np.quantile(values, [0.025, 0.975])
    assert result.low == pytest.approx(low, abs=0.015)
    assert result.high == pytest.approx(high, abs=0.015)


def test_the_same_predictions_have_the_same_interval() -> None:
    """The bootstrap is seeded: scoring again reproduces the interval exactly."""
    assert of_classes("macro_f1", GOLD, PREDICTED, 3) == of_classes("macro_f1", GOLD, PREDICTED, 3)


def test_log_loss_by_hand() -> None:
    """Log loss is the mean negative log-probability of the right label."""
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2]])
    result = {value.name: value for value in classification(np.array([0, 1, 1]), probabilities)}
    assert result["log_loss"].value == pytest.approx(-(math.log(0.9) + math.log(0.6) + math.log(0.2)) / 3)
    assert result["accuracy"].value == pytest.approx(2 / 3)
    assert result["macro_f1"].n == 3


def test_log_loss_of_a_split_that_lacks_a_label() -> None:
    """A test split without one of the labels is still scored."""
    result = {value.name: value for value in classification(np.array([0, 0]), np.array([[0.5, 0.25, 0.25]] * 2))}
    assert result["log_loss"].value == pytest.approx(math.log(2))
