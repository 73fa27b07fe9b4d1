"""Correlations of numbers with gold numbers."""

import numpy as np
import pytest
from scipy import stats

from db.statistics import correlation


@pytest.mark.parametrize("name", correlation.SCORES)
def test_values_and_fishers_interval_are_those_of_scipy(name: str) -> None:
    """Spearman's interval is wider, by Fieller's factor."""
    draw = np.random.default_rng(0)
    gold = draw.normal(size=200)
    predicted = gold + draw.normal(size=200)
    value, interval = correlation.score(name, gold, predicted)
    if name == "pearson":
        expected = stats.pearsonr(gold, predicted)
        ends = expected.confidence_interval(0.95)
        assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), abs=1e-6)
    else:
        expected = stats.spearmanr(gold, predicted)
        assert interval.low < value < interval.high
    assert value == pytest.approx(expected.statistic)


def test_a_constant_answer_scores_nothing() -> None:
    assert correlation.score("pearson", np.arange(5.0), np.ones(5))[0] == 0.0


def test_an_answer_that_is_no_number_says_nothing() -> None:
    """It counts as the mean of the others, and a missing one too."""
    assert correlation.as_numbers(["1", "x", "", "3"]).tolist() == [1.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize("number", [0.0, 2.5, 3.0, 1e-7, -12345.678, 0.1 + 0.2])
def test_a_number_is_stored_whole_and_with_a_point(number: float) -> None:
    text = correlation.as_text(number)
    assert "." in text
    assert float(text) == number
