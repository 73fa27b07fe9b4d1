"""Ratings from votes: known solutions, ties, models without votes, groups that no vote connects."""

import numpy as np
import pytest

from db.statistics.bradley_terry import MEAN, POINTS, rate, strengths


def _zeros(count: int) -> np.ndarray:
    return np.zeros((count, count), np.int64)


def test_two_models_have_the_odds_of_their_votes() -> None:
    wins = np.array([[0.0, 30.0], [10.0, 0.0]])
    first, second = strengths(wins, prior=0)
    assert first / second == pytest.approx(3)


def test_expected_wins_give_the_strengths_back() -> None:
    """Where every pair is won as often as the strengths say, they are the estimate."""
    true = np.array([4.0, 2.0, 1.0, 0.5])
    wins = 1000 * true[:, None] / (true[:, None] + true)
    np.fill_diagonal(wins, 0)
    estimated = strengths(wins, prior=0)
    assert estimated / estimated[2] == pytest.approx(true, rel=1e-6)


def test_ratings_are_on_the_scale_of_elo() -> None:
    """Odds of 10 to 1 are 400 points, and the mean model has 1,000."""
    wins = _zeros(2)
    wins[0, 1], wins[1, 0] = 100_000, 10_000
    value = rate(wins, _zeros(2)).value
    assert value[0] - value[1] == pytest.approx(POINTS, abs=1)
    assert value.mean() == pytest.approx(MEAN, abs=1)


def test_ties_alone_leave_models_equal() -> None:
    ties = np.array([[0, 20], [20, 0]])
    ratings = rate(_zeros(2), ties)
    assert ratings.value == pytest.approx([MEAN, MEAN])
    assert ratings.first.tolist() == [1, 1]
    assert ratings.last.tolist() == [2, 2]


def test_a_tie_counts_as_half_a_win_for_both() -> None:
    wins, ties = _zeros(2), _zeros(2)
    wins[0, 1], wins[1, 0] = 10, 4
    ties[0, 1] = ties[1, 0] = 6
    halved = _zeros(2)
    halved[0, 1], halved[1, 0] = 13, 7
    assert rate(wins, ties).value == pytest.approx(rate(halved, _zeros(2)).value)


def test_a_model_that_always_won_is_finite_and_uncertain() -> None:
    wins = _zeros(2)
    wins[0, 1] = 8
    ratings = rate(wins, _zeros(2))
    assert np.isfinite([*ratings.value, *ratings.low, *ratings.high]).all()
    assert ratings.value[0] > ratings.value[1]
    assert ratings.low[0] < ratings.high[0]


def test_many_votes_separate_ranks_and_few_do_not() -> None:
    wins = _zeros(2)
    wins[0, 1], wins[1, 0] = 2, 1
    assert rate(wins, _zeros(2)).first.tolist() == [1, 1]
    clear = rate(wins * 100, _zeros(2))
    assert (clear.first.tolist(), clear.last.tolist()) == ([1, 2], [1, 2])


def test_a_model_without_votes_has_no_rating() -> None:
    wins = _zeros(3)
    wins[0, 1] = wins[1, 0] = 5
    ratings = rate(wins, _zeros(3))
    assert np.isnan([ratings.value[2], ratings.low[2], ratings.high[2]]).all()
    assert ratings.last.tolist() == [2, 2, 0]


@pytest.mark.parametrize("count", [0, 3])
def test_without_any_vote_nothing_is_rated(count: int) -> None:
    assert np.isnan(rate(_zeros(count), _zeros(count)).value).all()


def test_groups_that_no_vote_connects_are_not_compared() -> None:
    """Only the group with the most votes is rated."""
    wins = _zeros(4)
    wins[0, 1] = wins[1, 0] = 2
    wins[2, 3] = wins[3, 2] = 7
    assert np.isfinite(rate(wins, _zeros(4)).value).tolist() == [False, False, True, True]


def test_the_interval_covers_the_truth() -> None:
    """In at least 90 of 100 draws of 60 votes, the interval of the difference's half holds the true one."""
    rng = np.random.default_rng(1)
    half = POINTS * np.log10(2) / 2
    covered = 0
    for _ in range(100):
        wins = _zeros(2)
        wins[0, 1] = rng.binomial(60, 2 / 3)
        wins[1, 0] = 60 - wins[0, 1]
        ratings = rate(wins, _zeros(2))
        covered += ratings.low[0] <= MEAN + half <= ratings.high[0]
    assert covered >= 90
