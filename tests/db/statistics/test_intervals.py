"""Intervals of shares and the exact test."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from db.statistics.intervals import wilson
from db.statistics.significance import mcnemar


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


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.9, 0.95, 0.99]))
@settings(max_examples=60, deadline=None, database=None)
def test_wilson_is_the_one_of_scipy(n: int, share: float, confidence: float) -> None:
    """For any count; and it lies in [0, 1] and holds the share."""
    correct = round(share * n)
    interval = wilson(correct, n, confidence)
    theirs = binomtest(correct, n).proportion_ci(confidence, method="wilson")
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= interval.low <= correct / n + 1e-12
    assert correct / n - 1e-12 <= interval.high <= 1


def test_wilson_of_a_higher_confidence_is_wider() -> None:
    """A 99% interval holds the 95% interval."""
    narrow, wide = wilson(30, 40), wilson(30, 40, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(("correct", "n"), [(0, 0), (1, -1), (-1, 10), (11, 10)])
def test_wilson_refuses_what_is_no_share(correct: int, n: int) -> None:
    """A count outside 0..n, or no examples at all, is refused with both numbers in the message."""
    with pytest.raises(ValueError, match=f"{correct} of {n}"):
        wilson(correct, n)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 2 * 0.5**5), (1, 4, 2 * 6 * 0.5**5), (10, 0, 2 * 0.5**10)],
)
def test_mcnemar_by_hand(first: int, second: int, p: float) -> None:
    """The exact test doubles the binomial tail of the examples on which two runs differ."""
    assert mcnemar(first, second) == pytest.approx(p)
