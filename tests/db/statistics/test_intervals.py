"""Intervals and ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from db.statistics.intervals import wilson
from db.statistics.ranking import rank_ranges, rank_texts
from db.statistics.significance import mcnemar

NAN = float("nan")


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (50, 100, 0.4038, 0.5962),
        (1, 1, 0.2065, 1.0),
        (81, 263, 0.2553, 0.3662),  # this row and the next: Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (44_560, 50_000, 0.8884, 0.8939),
    ],
)
def test_wilson_gives_known_intervals(correct: int, n: int, low: float, high: float) -> None:
    """Wilson's interval agrees with hand-computed and published ends."""
    interval = wilson(correct, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5.1e-5)


@given(st.integers(1, 10**6), st.floats(0, 1))
@settings(max_examples=60, deadline=None, database=None)
def test_wilson_is_the_textbook_formula(n: int, share: float) -> None:
    """For any count the interval is the closed formula, lies in [0, 1] and holds the share."""
    correct = round(share * n)
    p, z = correct / n, 1.959963984540054
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    interval = wilson(correct, n)
    assert interval.low == pytest.approx(max(0, (middle - half) / (1 + z * z / n)), abs=1e-9)
    assert interval.high == pytest.approx(min(1, (middle + half) / (1 + z * z / n)), abs=1e-9)
    assert 0 <= interval.low <= p + 1e-12
    assert p - 1e-12 <= interval.high <= 1


def test_wilson_of_a_higher_confidence_is_wider() -> None:
    """A 99% interval holds the 95% interval."""
    narrow, wide = wilson(30, 40), wilson(30, 40, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(("correct", "n"), [(0, 0), (1, -1), (-1, 10), (11, 10)])
def test_wilson_refuses_what_is_no_share(correct: int, n: int) -> None:
    """A count outside 0..n, or no examples at all, is refused with both numbers in the message."""
    with pytest.raises(ValueError, match=f"{correct} of {n}"):
        wilson(correct, n)


def _ranks(rows: list[tuple[float, float, float]]) -> list[str]:
    values, lows, highs = (np.array([row[column] for row in rows], dtype=float) for column in range(3))
    return rank_texts(rank_ranges(values, lows, highs))


def _slow(rows: list[tuple[float, float, float]]) -> list[str]:
    """The definition, pair by pair."""
    ends = [(value, value if np.isnan(low) else low, value if np.isnan(high) else high) for value, low, high in rows]
    known = [row for row in ends if not np.isnan(row[0])]
    ranks = []
    for value, low, high in ends:
        above = sum(other_low > high for _, other_low, _ in known)
        below = sum(other_high < low for _, _, other_high in known)
        first, last = 1 + above, len(known) - below
        ranks.append("" if np.isnan(value) else f"{first}" if first == last else f"{first}-{last}")
    return ranks


def test_ranks_of_separate_overlapping_and_missing_rows() -> None:
    """A clear winner is 1, two that overlap share their range, a row without a score has no rank."""
    rows = [(0.9, 0.89, 0.91), (0.8, 0.78, 0.82), (0.79, 0.77, 0.81), (NAN, NAN, NAN), (0.5, 0.49, 0.51)]
    assert _ranks(rows) == ["1", "2-3", "2-3", "", "4"]


def test_ranks_of_points_without_interval() -> None:
    """Rows without an interval are points: equal ones tie, others do not, and one inside an interval ties with it."""
    assert _ranks([(0.9, NAN, NAN), (0.8, NAN, NAN), (0.8, NAN, NAN)]) == ["1", "2-3", "2-3"]
    assert _ranks([(0.9, NAN, NAN), (0.88, 0.85, 0.91)]) == ["1-2", "1-2"]


def test_intervals_that_touch_are_tied() -> None:
    """Two intervals with one common point overlap."""
    assert _ranks([(0.9, 0.8, 1.0), (0.7, 0.6, 0.8)]) == ["1-2", "1-2"]


def test_a_chain_of_overlaps_is_not_one_tie() -> None:
    """Where A overlaps B and B overlaps C but A lies above C, A is 1-2, B 1-3 and C 2-3."""
    assert _ranks([(0.9, 0.8, 1.0), (0.75, 0.65, 0.85), (0.6, 0.5, 0.7)]) == ["1-2", "1-3", "2-3"]


def test_ranks_of_no_rows() -> None:
    """An empty board has no ranks."""
    none: NDArray[np.float64] = np.array([])
    assert rank_texts(rank_ranges(none, none, none)) == []


_ENDS = st.integers(0, 12).map(lambda number: number / 10)
_ROWS = st.one_of(
    st.just((NAN, NAN, NAN)),
    _ENDS.map(lambda value: (value, NAN, NAN)),
    st.tuples(_ENDS, _ENDS, _ENDS).map(lambda ends: (sorted(ends)[1], sorted(ends)[0], sorted(ends)[2])),
)


@given(st.lists(_ROWS, max_size=12))
@settings(max_examples=200, deadline=None, database=None)
def test_ranks_are_those_of_the_definition(rows: list[tuple[float, float, float]]) -> None:
    """The ranks by binary search are those that comparing every pair gives."""
    assert _ranks(rows) == _slow(rows)


def test_ranks_of_a_hundred_thousand_rows_take_no_quadratic_time() -> None:
    """100,000 rows, whose pairs would not fit in memory, are ranked at once."""
    values = np.linspace(1, 0, 100_000)
    ranks = rank_texts(rank_ranges(values, values - 1e-7, values + 1e-7))
    assert ranks == [str(rank) for rank in range(1, 100_001)]


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 2 * 0.5**5), (1, 4, 2 * 6 * 0.5**5), (10, 0, 2 * 0.5**10)],
)
def test_mcnemar_by_hand(first: int, second: int, p: float) -> None:
    """The exact test doubles the binomial tail of the examples on which two runs differ."""
    assert mcnemar(first, second) == pytest.approx(p)
