"""The statistics behind a comparison: Holm's correction, the paired bootstrap, intervals of paired shares, kappa."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm

from db.statistics import intervals, significance

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES)
def test_holm_rejects_what_its_step_down_rule_rejects(values: list[float]) -> None:
    """The corrected values cut at any level what Holm's rule, step by step, cuts; none becomes smaller or above 1."""
    corrected = significance.holm(values)
    assert all(value <= adjusted <= 1 for value, adjusted in zip(values, corrected, strict=True))
    level = 0.05
    ordered = sorted(range(len(values)), key=lambda index: values[index])
    rejected = set()
    for position, index in enumerate(ordered):
        if not (len(values) - position) * values[index] < level:
            break
        rejected.add(index)
    assert {index for index, value in enumerate(corrected) if value < level} == rejected


@given(P_VALUES)
def test_holm_is_no_stricter_than_bonferroni_and_keeps_the_order(values: list[float]) -> None:
    corrected = significance.holm(values)
    assert all(adjusted <= min(1.0, len(values) * value) for value, adjusted in zip(values, corrected, strict=True))
    both = sorted(zip(values, corrected, strict=True))
    assert [value for _, value in both] == sorted(corrected)


def test_holm_of_a_worked_example() -> None:
    assert significance.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.holm([]) == []


def test_the_bootstrap_gives_the_interval_of_the_normal_approximation() -> None:
    """On many examples the percentile interval is that of the mean difference's standard error, and p its tail."""
    rng = np.random.default_rng(1)
    values = rng.random((2000, 2))
    values[:, 1] = np.clip(values[:, 0] + rng.normal(0.008, 0.2, 2000), 0, 1)
    (interval,) = significance.bootstrap(values, [(0, 1)])
    differences = values[:, 1] - values[:, 0]
    error = differences.std() / np.sqrt(len(values))
    assert interval.difference == pytest.approx(differences.mean())
    assert interval.low == pytest.approx(differences.mean() - 1.96 * error, abs=0.05 * error)
    assert interval.high == pytest.approx(differences.mean() + 1.96 * error, abs=0.05 * error)
    assert interval.p == pytest.approx(2 * norm.sf(abs(differences.mean()) / error), abs=0.01)


def test_the_bootstrap_draws_blocks_and_repeats_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same result; blocks only bound the memory."""
    values = np.random.default_rng(2).random((50, 3))
    pairs = list(itertools.combinations(range(3), 2))
    whole = significance.bootstrap(values, pairs, resamples=400)
    assert significance.bootstrap(values, pairs, resamples=400) == whole
    monkeypatch.setattr(significance, "_DRAWS", 1000)
    parts = significance.bootstrap(values, pairs, resamples=400)
    for first, other in zip(whole, parts, strict=True):
        assert other.difference == first.difference
        assert other.low == pytest.approx(first.low, abs=0.02)


def test_the_bootstrap_of_correlations_is_that_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The percentile interval of the difference of two Pearson's r on the same examples, whatever the blocks."""
    rng = np.random.default_rng(3)
    gold = rng.normal(100, 2, 300)
    answers = gold[:, None] + rng.normal(0, [1.0, 2.5], (300, 2))

    def difference(gold: Any, first: Any, second: Any) -> float:
        return float(np.corrcoef(gold, second)[0, 1] - np.corrcoef(gold, first)[0, 1])

    theirs = bootstrap(
        (gold, *answers.T), difference, paired=True, vectorized=False, method="percentile", n_resamples=2000, rng=0
    )
    (ours,) = significance.bootstrap_correlations(gold, answers, [(0, 1)], resamples=2000)
    assert ours.difference == pytest.approx(difference(gold, *answers.T))
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)
    assert ours.p < 0.01
    monkeypatch.setattr(significance, "_DRAWS", 1000)
    (parts,) = significance.bootstrap_correlations(gold, answers, [(0, 1)], resamples=2000)
    assert parts.low == pytest.approx(ours.low, abs=0.01)


def test_the_bootstrap_of_equal_and_constant_answers_tells_nothing_apart() -> None:
    """An answer that never changes has the correlation 0, in each resample as well."""
    gold = np.arange(20.0)
    answers = np.column_stack([gold, gold, np.full(20, 7.0)])
    same, constant = significance.bootstrap_correlations(gold, answers, [(0, 1), (1, 2)], resamples=200)
    assert (same.difference, same.p) == (0.0, 1.0)
    assert (constant.difference, constant.low, constant.high) == pytest.approx((-1.0, -1.0, -1.0))


def test_the_bootstrap_of_equal_columns_tells_nothing_apart() -> None:
    column = np.linspace(0, 1, 30)
    (interval,) = significance.bootstrap(np.column_stack([column, column]), [(0, 1)], resamples=200)
    assert (interval.difference, interval.low, interval.high, interval.p) == (0.0, 0.0, 0.0, 1.0)


def test_the_bootstrap_never_claims_more_than_its_resamples_can_show() -> None:
    values = np.column_stack([np.zeros(40), np.ones(40)])
    (interval,) = significance.bootstrap(values, [(0, 1)], resamples=999)
    assert interval.p == pytest.approx(2 / 1000)
    assert (interval.low, interval.high) == (1.0, 1.0)
    with pytest.raises(ValueError, match="needs examples"):
        significance.bootstrap(np.zeros((0, 2)), [(0, 1)])


def test_examples_on_which_all_agree_count_as_examples() -> None:
    """Leaving them out of the drawing does not leave them out of the mean, nor of the scatter."""
    telling = np.column_stack([np.repeat([0.0, 1.0], [60, 40]), np.repeat([1.0, 0.0], [60, 40])])
    among = np.vstack([telling, np.full((900, 2), 0.5)])
    (interval,) = significance.bootstrap(among, [(0, 1)])
    error = (among[:, 1] - among[:, 0]).std() / np.sqrt(1000)
    assert interval.difference == pytest.approx(0.02)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_an_interval_of_paired_shares_holds_its_level() -> None:
    """It covers the true difference in about 95 of 100 samples, of small ones too."""
    rng = np.random.default_rng(3)
    lost, gained, n = 0.08, 0.12, 120
    samples = rng.multinomial(n, [lost, gained, 1 - lost - gained], size=2000)
    differences = [intervals.paired_difference(int(row[0]), int(row[1]), n) for row in samples]
    covered = np.mean([interval.low <= gained - lost <= interval.high for interval in differences])
    assert 0.93 < covered < 0.98


@pytest.mark.parametrize(("first", "second", "n"), [(0, 0, 0), (3, 3, 5)])
def test_an_interval_needs_examples(first: int, second: int, n: int) -> None:
    with pytest.raises(ValueError, match="cannot differ"):
        intervals.paired_difference(first, second, n)


def test_kappa_is_that_of_its_definition() -> None:
    first, second = np.repeat([0, 0, 1, 1], [20, 5, 10, 15]), np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert significance.kappa(first, second) == pytest.approx(0.4)  # the textbook's example: 0.7 agree, 0.5 by chance
    assert significance.kappa(first, first) == pytest.approx(1.0)
    assert np.isnan(significance.kappa(np.zeros(5, dtype=int), np.zeros(5, dtype=int)))
    assert np.isnan(significance.kappa(np.zeros(0, dtype=int), np.zeros(0, dtype=int)))
