"""What the simulations of docs/statistics.md show, with fewer draws."""

import pytest

from tests.simulations.boards import BOARDS, coverage, false_effects, false_orders

OURS = "both variances, with predictions"


@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("skill", [0.0, 0.03, 0.1])
def test_the_interval_of_a_mean_covers(seeds: int, skill: float) -> None:
    """94 to 96% at 2, 3 and 5 seeds, whether the seeds scatter or not; 0.9 is left to the chance of 3,000 draws."""
    assert 0.931 < coverage(seeds, skill, 3_000)[OURS] < 0.969


def test_the_interval_of_the_examples_alone_does_not_cover() -> None:
    """The former interval holds the mean of three scattered seeds half of the time."""
    assert coverage(3, 0.3, 1_000)["examples alone (before)"] < 0.6


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_of_equal_models_seldom_shows_an_order(board: str) -> None:
    """At most 5% of the boards, and what 300 draws may add to that."""
    assert false_orders(board, 300)[0] < 0.075


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_a_part_without_effect_is_seldom_stated_to_have_one(seeds: int) -> None:
    """Holm's correction leaves little over 1% a part; a mean above its spread states many more."""
    by_test, by_spread = false_effects(seeds, 500)
    assert by_test < 0.03
    assert by_spread > by_test
