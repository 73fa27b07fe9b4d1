"""Ranks with ties: by paired tests, by intervals, and none without an interval."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from db.statistics.ranking import Estimates, PairedRows, rank_ranges

NAN = float("nan")
Z = 1.959964


def _estimates(rows: list[tuple[float, float, float]]) -> Estimates:
    columns = np.array(rows, dtype=float).reshape(-1, 3).T
    return Estimates.of_intervals(*columns)


def _ranks(rows: list[tuple[float, float, float]]) -> list[str]:
    return rank_ranges(_estimates(rows)).texts()


def _slow(rows: list[tuple[float, float, float]]) -> list[str]:
    """The definition, pair by pair: intervals at 5% over the number of rows that have one."""
    known = [row for row in rows if not np.isnan(row).any()]
    factor = -ndtri(0.025 / max(1, len(known))) / Z
    ends = [(value - (value - low) * factor, value + (high - value) * factor) for value, low, high in known]
    texts = iter(
        [(1 + sum(o > high for o, _ in ends), len(ends) - sum(o < low for _, o in ends)) for low, high in ends]
    )
    ranks = []
    for row in rows:
        if np.isnan(row[0]):
            ranks.append("")
        elif np.isnan(row).any():
            ranks.append(f"~{1 + sum(other[0] > row[0] for other in rows)}")
        else:
            first, last = next(texts)
            ranks.append(f"{first}" if first == last else f"{first}-{last}")
    return ranks


def test_a_row_without_an_interval_has_no_definite_rank() -> None:
    """It gets its position by score, and takes no rank from the others."""
    rows = [(0.9, 0.89, 0.91), (0.85, NAN, NAN), (0.7, 0.69, 0.71), (NAN, NAN, NAN)]
    assert _ranks(rows) == ["1", "~2", "2", ""]
    assert _ranks([(0.9, NAN, NAN), (0.8, NAN, NAN)]) == ["~1", "~2"]
    assert _ranks([]) == []


def test_a_chain_of_overlaps_is_not_one_tie() -> None:
    """Where A overlaps B and B overlaps C but A lies above C, A is 1-2, B 1-3 and C 2-3."""
    assert _ranks([(0.9, 0.85, 0.95), (0.8, 0.75, 0.85), (0.7, 0.65, 0.75)]) == ["1-2", "1-3", "2-3"]


def test_intervals_are_widened_for_the_rows_of_the_board() -> None:
    """Two intervals that are apart alone can be a tie among twenty."""
    pair = [(0.80, 0.79, 0.81), (0.778, 0.768, 0.788)]
    others = [(0.5 - number / 50, 0.499 - number / 50, 0.501 - number / 50) for number in range(18)]
    assert _ranks([pair[0], (0.77, 0.76, 0.78)]) == ["1", "2"]
    assert _ranks(pair + others)[:2] == ["1-2", "1-2"]


def test_rows_that_take_no_part_have_no_rank() -> None:
    """They neither have a rank nor count for others."""
    rows = [(0.9, 0.89, 0.91), (0.8, 0.79, 0.81), (0.7, NAN, NAN)]
    assert rank_ranges(_estimates(rows), among=np.array([False, True, True])).texts() == ["", "1", "~2"]


_ENDS = st.integers(0, 12).map(lambda number: number / 10)
_ROWS = st.one_of(
    st.just((NAN, NAN, NAN)),
    _ENDS.map(lambda value: (value, NAN, NAN)),
    st.tuples(_ENDS, _ENDS, _ENDS).map(lambda ends: (sorted(ends)[1], sorted(ends)[0], sorted(ends)[2])),
)


@given(st.lists(_ROWS, max_size=12))
@settings(max_examples=100, deadline=None, database=None)
def test_ranks_are_those_of_the_definition(rows: list[tuple[float, float, float]]) -> None:
    """The ranks by binary search are those that comparing every pair gives."""
    assert _ranks(rows) == _slow(rows)


def test_ranks_of_a_hundred_thousand_rows_take_no_quadratic_time() -> None:
    """100,000 rows, whose pairs would not fit in memory, are ranked at once."""
    values = np.linspace(1, 0, 100_000)
    ranks = rank_ranges(Estimates.of_intervals(values, values - 1e-7, values + 1e-7)).texts()
    assert ranks == [str(rank) for rank in range(1, 100_001)]


def _pair(only_first: int, only_second: int, n: int = 10_000) -> tuple[Estimates, PairedRows]:
    """Two single runs that differ on few examples and whose intervals overlap widely."""
    share = np.array([0.5 + only_first / n, 0.5 + only_second / n])
    sure = Estimates.of_intervals(share, share - 0.01, share + 0.01)
    ahead = np.array([[0, only_first], [only_second, 0]], dtype=float)
    variance = (ahead + ahead.T) / n**2
    return sure, PairedRows(np.array([0, 1]), variance, ahead)


def test_a_paired_test_orders_rows_whose_intervals_overlap() -> None:
    """60 against 20 differing examples of 10,000 are an order; 25 against 20 are a tie by test."""
    sure, tested = _pair(60, 20)
    assert rank_ranges(sure).texts() == ["1-2", "1-2"]
    assert rank_ranges(sure, [tested]).texts() == ["1", "2"]
    sure, tested = _pair(25, 20)
    ranks = rank_ranges(sure, [tested])
    assert ranks.texts() == ["1-2", "1-2"]
    assert ranks.ties.tolist() == [[1, 0], [1, 0]]
    assert rank_ranges(sure).ties.tolist() == [[0, 1], [0, 1]]


def test_seeds_that_scatter_are_no_order() -> None:
    """The same paired difference between means of three seeds is a tie where the seeds scatter more."""
    sure, tested = _pair(60, 20)
    for spread, texts in ((0.0001, ["1", "2"]), (0.005, ["1-2", "1-2"])):
        means = Estimates(sure.value, sure.below, sure.above, np.full(2, spread), np.full(2, 3.0))
        assert rank_ranges(means, [tested]).texts() == texts


def test_holm_gives_the_pairs_that_are_left_more_level() -> None:
    """A pair with p = 0.03 is no order among three, and is one once the two others are decided."""
    value = np.array([0.9, 0.5, 0.4])
    sure = Estimates.of_intervals(value, value - 0.3, value + 0.3)

    def texts(far: int) -> list[str]:
        ahead = np.array([[0, far, far], [0, 0, 17], [0, 6, 0]], dtype=float)
        return rank_ranges(sure, [PairedRows(np.arange(3), np.ones((3, 3)), ahead)]).texts()

    assert texts(100) == ["1", "2", "3"]
    assert texts(1) == ["1-3", "1-3", "1-3"]


def test_rows_that_do_not_count_for_the_variance_over_seeds_make_no_others_tie() -> None:
    """Their own variance is theirs; where no other row has seeds they count after all."""
    value, error = np.array([0.9, 0.8, 0.1]), np.full(3, 0.001)
    spread, seeds = np.array([0.001, 0.001, 0.3]), np.array([3.0, 3.0, 2.0])
    own = np.array([True, True, False])
    assert rank_ranges(Estimates(value, error, error, spread, seeds)).texts()[:2] == ["1-3", "1-3"]
    assert rank_ranges(Estimates(value, error, error, spread, seeds, own)).texts()[:2] != ["1-3", "1-3"]
