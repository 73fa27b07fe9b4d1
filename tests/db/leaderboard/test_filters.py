"""Choosing and ordering the rows of a board."""

import unicodedata
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.base.errors import NotFoundError
from db.leaderboard.board import Board, Filter, Order, ordered, select
from db.leaderboard.filters import SEARCHED, Range
from db.registry.metrics import BOARD_METRICS
from db.statistics.ranking import Estimates, rank_ranges

FREE = dict.fromkeys(("run_id", "name", "model", "family", "dataset", "source", "status"), "")


def _of(rows: list[dict[str, Any]]) -> Board:
    """A board of rows that no database had to hold; what they do not say is missing."""
    frame = pd.DataFrame([{**FREE, **row} for row in rows]).reindex(
        columns=[*FREE, "teacher", "recipe", "device", "verified", "params", "score", *BOARD_METRICS]
    )
    texts = {name: pd.StringDtype(na_value=np.nan) for name in (*FREE, *SEARCHED, "device")}
    numbers = {"params": "Int64", "score": float, **dict.fromkeys(BOARD_METRICS, float)}
    frame = frame.assign(verified=frame["verified"] == True).astype({**texts, **numbers})  # noqa: E712 - may be missing
    none = np.arange(len(frame) + 1)
    figures = pd.DataFrame({"f1": np.linspace(0, 1, len(frame))})
    nothing = np.full(len(frame), np.nan)
    sure = Estimates.of_intervals(nothing, nothing, nothing)
    return Board({}, frame, figures, figures, frame, none, rank_ranges(sure), ())


def _names(table: Board, positions: Any) -> list[str]:
    return table.rows["name"].iloc[positions].tolist()


@pytest.mark.parametrize(
    "words",
    [
        "한국어",
        unicodedata.normalize("NFD", "한국어"),
        "모델 한국어",
        "STRASSE",
        "straße",
        "étude",
        "E\u0301TUDE",
        "nsmc 모델",
        "  한국어\t모델 ",
        "c++",
        "(x)",
        ".*+?",
        "kobert t-5",
    ],
)
def test_a_search_disregards_case_and_normal_form(words: str) -> None:
    """Every word may stand in any column; Hangul in syllables and in letters, ß and SS, é in one part or two."""
    decomposed = unicodedata.normalize("NFD", "한국어 작은 모델")
    other_row = {
        "model": "한국어 작은 모델 Straße",
        "family": "Étude C++",
        "dataset": "NSMC",
        "recipe": ".*+? (X)",
        "teacher": "KoBERT",
    }
    other = {**other_row, "model": f"{decomposed} STRASSE", "family": "e\u0301tude c++"}
    table = _of([{**other_row, "name": "T-5"}, {"model": "other"}, {**other, "name": "t-5"}])
    assert select(table, Filter(search=words)).tolist() == [0, 2]


@pytest.mark.parametrize("words", ["absent", "한국어 absent", "\ue000", "ab", "T5"])
def test_a_search_finds_nothing_that_is_not_there(words: str) -> None:
    """A word that no row has, one of two, and letters that only meet where two columns or rows do."""
    table = _of([{"model": "한국어 a", "name": "b", "recipe": "T"}, {"model": "5 모델"}])
    assert select(table, Filter(search=words)).tolist() == []


def test_a_search_of_nothing_keeps_all() -> None:
    """Blanks are no word."""
    assert select(_of([{}, {}]), Filter(search=" \t\n")).tolist() == [0, 1]


def test_filters_are_joined_by_and() -> None:
    """Each field keeps what it names; together they keep what all of them keep."""
    rows = [
        {"name": "a", "family": "F", "source": "measured", "status": "finished", "verified": True, "device": "cpu"},
        {"name": "b", "family": "F", "source": "reported", "status": "finished", "dataset": "nsmc"},
        {"name": "c", "family": "G", "source": "measured", "status": "failed", "device": "gpu", "dataset": "nsmc"},
    ]
    table = _of(rows)
    for query, names in (
        (Filter(), "abc"),
        (Filter(families=("F",)), "ab"),
        (Filter(families=("F", "G", "H")), "abc"),
        (Filter(sources=("measured",)), "ac"),
        (Filter(statuses=("failed",)), "c"),
        (Filter(verified=True), "a"),
        (Filter(verified=False), "bc"),
        (Filter(devices=("cpu", "gpu")), "ac"),
        (Filter(datasets=("nsmc",)), "bc"),
        (Filter(families=("F",), datasets=("nsmc",)), "b"),
        (Filter(families=("F",), statuses=("failed",)), ""),
        (Filter(search="c", families=("G",)), "c"),
    ):
        assert "".join(_names(table, select(table, query))) == names, query


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        ((None, None), "abn"),
        ((10, None), "ab"),
        ((11, None), "b"),
        ((None, 10), "a"),
        ((10, 20), "ab"),
        ((12, 11), ""),
        ((0, None), "ab"),
    ],
)
@pytest.mark.parametrize(
    ("field", "column"), [("params", "params"), ("latency_ms", "latency_ms_p50"), ("size_bytes", "checkpoint_bytes")]
)
def test_a_range_includes_its_ends(limits: Range, names: str, field: str, column: str) -> None:
    """Both ends pass; a row without the figure passes only while both ends are open."""
    table = _of([{"name": "a", column: 10}, {"name": "b", column: 20}, {"name": "n"}])
    assert "".join(_names(table, select(table, Filter(**{field: limits})))) == names  # type: ignore[arg-type]


def test_missing_values_are_last_in_both_directions() -> None:
    """Numbers, whole numbers and texts: what is missing never stands before what is there."""
    rows = [
        {"name": "n"},
        {"name": "b", "params": 2, "latency_ms_p50": 2.0, "teacher": "y"},
        {"name": "a", "params": 1, "latency_ms_p50": 0.0, "teacher": "X"},
    ]
    table = _of(rows)
    for key in ("params", "latency_ms_p50", "teacher"):
        assert "".join(_names(table, ordered(table, np.arange(3), [Order(key)]))) == "abn", key
        assert "".join(_names(table, ordered(table, np.arange(3), [Order(key, descending=True)]))) == "ban", key


def test_several_keys_decide_in_their_order_and_equal_rows_keep_theirs() -> None:
    """The second key decides among rows that the first finds equal; the last word has the order given."""
    models = (("a", "F", 1), ("b", "f", 2), ("c", "E", 2), ("d", "F", 2), ("e", "E", 1))
    table = _of([{"name": name, "family": family, "params": params} for name, family, params in models])
    start = np.array([3, 2, 1, 0, 4])
    assert "".join(_names(table, ordered(table, start, [Order("family")]))) == "cedba"
    both = [Order("family"), Order("params", descending=True)]
    assert "".join(_names(table, ordered(table, start, both))) == "cedba"
    assert "".join(_names(table, ordered(table, start, [Order("params"), Order("family", descending=True)]))) == "aedbc"
    assert ordered(table, start, []).tolist() == start.tolist()


def test_figures_are_ordered_too_and_an_unknown_column_is_told() -> None:
    """A column of the figures is a key as one of the rows; any other is named in the error."""
    table = _of([{"name": "a"}, {"name": "b"}])
    assert ordered(table, np.arange(2), [Order("f1", descending=True)]).tolist() == [1, 0]
    with pytest.raises(NotFoundError, match="no column 'nothing'"):
        ordered(table, np.arange(2), [Order("nothing")])


_DECOMPOSED = unicodedata.normalize("NFD", "가나")
_TEXTS = st.sampled_from(["", "a", "B", "Ab", "가", _DECOMPOSED, "é", "ß", "SS", "\ue000", "x y"])
_ROW = st.fixed_dictionaries(
    {
        "name": _TEXTS,
        "model": _TEXTS,
        "family": st.sampled_from("FG"),
        "verified": st.booleans(),
        "source": st.sampled_from(["measured", "reported"]),
    },
    optional={"params": st.integers(1, 4), "latency_ms_p50": st.sampled_from([0.0, 1.5, 2.0]), "teacher": _TEXTS},
)
_ROWS = st.lists(_ROW, max_size=8)
_END = st.none() | st.sampled_from([0.0, 1.0, 1.5, 2.0, 3.0])
_FILTERS = st.builds(
    Filter,
    search=st.lists(_TEXTS, max_size=2).map(" ".join),
    families=st.sampled_from([(), ("F",), ("F", "G")]),
    sources=st.sampled_from([(), ("measured",)]),
    verified=st.none() | st.booleans(),
    params=st.tuples(_END, _END),
    latency_ms=st.tuples(_END, _END),
)
_KEYS = st.sampled_from(["name", "model", "family", "verified", "params", "latency_ms_p50", "teacher", "f1"])
_ORDERS = st.lists(st.builds(Order, key=_KEYS, descending=st.booleans()), max_size=3)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\ue000", " ").casefold())


def _passes(row: dict[str, Any], chosen: Filter) -> bool:
    """The definition, row by row."""
    looked = _fold(" ".join(row.get(column) or "" for column in SEARCHED))
    ranges = ((row.get("params"), chosen.params), (row.get("latency_ms_p50"), chosen.latency_ms))
    return (
        all(word in looked for word in unicodedata.normalize("NFC", chosen.search.casefold()).split())
        and (not chosen.families or row["family"] in chosen.families)
        and (not chosen.sources or row["source"] in chosen.sources)
        and (chosen.verified is None or row["verified"] == chosen.verified)
        and all(
            ends == (None, None)
            or (value is not None and (ends[0] is None or value >= ends[0]) and (ends[1] is None or value <= ends[1]))
            for value, ends in ranges
        )
    )


@given(_ROWS, _FILTERS)
@settings(max_examples=200, deadline=None, database=None)
def test_what_is_chosen_is_what_passes_row_by_row(rows: list[dict[str, Any]], chosen: Filter) -> None:
    """Choosing by whole columns keeps what looking at one row after another keeps, in the order of the rows."""
    assert select(_of(rows), chosen).tolist() == [index for index, row in enumerate(rows) if _passes(row, chosen)]


@given(_ROWS, _ORDERS, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None, database=None)
def test_any_order_is_that_of_stable_sorts(rows: list[dict[str, Any]], orders: list[Order], shuffler: Any) -> None:
    """Whatever the keys and the start: the order of Python's stable sort, once for each key, missing values last."""
    table = _of(rows)
    positions = list(range(len(rows)))
    shuffler.shuffle(positions)
    expected = list(positions)
    for order in reversed(orders):
        values = [
            value.item() if isinstance(value, np.generic) else value
            for value in (table.rows if order.key in table.rows else table.figures)[order.key]
        ]
        keys = [_fold(value) if isinstance(value, str) else value for value in values]
        known = sorted(
            (index for index in expected if not pd.isna(keys[index])), key=keys.__getitem__, reverse=order.descending
        )
        expected = [*known, *(index for index in expected if pd.isna(keys[index]))]
    assert ordered(table, np.array(positions, dtype=int), orders).tolist() == expected
