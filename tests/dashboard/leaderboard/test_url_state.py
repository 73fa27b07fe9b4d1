"""The leaderboard's address: what a visitor looks at, as a link that opens the same elsewhere."""

from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.leaderboard import view_state
from dashboard.leaderboard.view_state import View
from db.leaderboard.board import Filter, Order

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
_NAMES = st.lists(_WORDS, max_size=4, unique=True).map(tuple)
_KEYS = st.text("abcdefghijklmnopqrstuvwxyz0123456789_", min_size=1, max_size=12)
_END = st.none() | st.floats(0, 1e12, allow_nan=False).map(lambda number: float(f"{number:.15g}"))
_RANGE = st.tuples(_END, _END).filter(lambda ends: None in ends or ends[0] <= ends[1])
_VIEWS = st.builds(
    View,
    task=st.just("") | _KEYS,
    every=st.booleans(),
    filter=st.builds(
        Filter,
        search=st.just("") | _WORDS,
        families=_NAMES,
        sources=_NAMES,
        statuses=_NAMES,
        verified=st.none() | st.booleans(),
        devices=_NAMES,
        datasets=_NAMES,
        params=_RANGE,
        latency_ms=_RANGE,
        size_bytes=_RANGE,
    ),
    sort=st.lists(st.builds(Order, _KEYS, st.booleans()), max_size=3, unique_by=lambda order: order.key).map(tuple),
    more=st.lists(_KEYS, max_size=3, unique=True).map(tuple),
    less=st.lists(_KEYS, max_size=3, unique=True).map(tuple),
    page=st.integers(1, 9_999_999),
    opened=_NAMES,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # what draws a view, not what is tested
@given(_VIEWS)
def test_a_copied_address_opens_the_same_view(view: View) -> None:
    """Whatever a view holds, in any script, its address brings it back."""
    assert view_state.parse(view_state.encode(view)) == view
    assert view_state.parsed(view_state.query(view)) == view


def test_the_default_is_no_address_at_all() -> None:
    """Nothing that goes without saying stands in the link."""
    assert view_state.encode(View()) == {}
    assert view_state.parse({}) == View()


def test_codes_are_short_and_no_labels() -> None:
    """What stands in the link is the same in every language."""
    view = View(
        task="nsmc",
        filter=Filter(size_bytes=(None, 1e6)),
        sort=(Order("score", True), Order("params")),
        less=("seeds",),
    )
    assert view_state.query(view) == "task=nsmc&bytes=..1000000&sort=-score&sort=params&col=-seeds"


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(view_state.CODES), st.lists(st.text(max_size=12), max_size=4)))
def test_a_made_up_address_is_no_error(address: dict[str, list[str]]) -> None:
    """What makes no sense is passed over; what was understood is stable."""
    view = view_state.parse(address)
    assert view_state.parse(view_state.encode(view)) == view


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("page=0", "page", 1),
        ("page=٣", "page", 1),
        ("page=99999999999999999999", "page", 1),
        ("params=5..1", "params", (None, None)),
        ("params=nan..inf", "params", (None, None)),
        ("params=-5..", "params", (None, None)),
        ("params=7", "params", (None, None)),
        ("ms=..10", "latency_ms", (None, 10.0)),
        ("verified=2", "verified", None),
        ("verified=0", "verified", False),
        ("every=true", "every", True),
        ("sort=-score&sort=score", "sort", (Order("score", True),)),
        ("sort=-&sort=", "sort", ()),
        ("family=A&family=A", "families", ("A",)),
        ("q=" + "x" * 10_000, "search", "x" * 200),
    ],
)
def test_each_value_is_read_or_passed_over(text: str, field: str, value: object) -> None:
    """Bounds, doubles, other digits, too much of it."""
    for view in (view_state.parse(parse_qs(text)), view_state.parsed(text)):
        assert getattr(view if hasattr(view, field) else view.filter, field) == value


def test_an_address_with_a_thousand_values_is_cut() -> None:
    """A link is not a place for books."""
    assert len(view_state.parsed("&".join(f"family={i}" for i in range(900))).filter.families) <= 60
    assert view_state.parsed("&".join(f"family={i}" for i in range(5000))) == View()


def test_another_board_keeps_what_is_asked_of_every_board() -> None:
    """Sources, limits and columns come along; names, order and page belong to the board that was left."""
    view = View(
        task="nsmc",
        every=True,
        filter=Filter(search="x", families=("A",), sources=("measured",), size_bytes=(None, 1e6)),
        more=("citation",),
        page=3,
        sort=(Order("params"),),
        opened=("a",),
    )
    assert view.on("mnli") == View(
        task="mnli", every=True, filter=Filter(sources=("measured",), size_bytes=(None, 1e6)), more=("citation",)
    )
    assert view.unfiltered() == View(
        task="nsmc", every=True, sort=(Order("params"),), more=("citation",), opened=("a",)
    )
