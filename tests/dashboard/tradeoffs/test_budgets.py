"""Budgets: amounts as people type them, and the best within a budget in words."""

import pytest

from dashboard.tradeoffs import budgets, quantities
from db.runs.writer import ModelFacts
from tests.dashboard.tradeoffs.conftest import board_of
from tests.factories.runs import add_run


@pytest.mark.parametrize(
    ("cost", "typed", "stored"),
    [
        ("bytes", "2 MB", 2e6),
        ("bytes", "1.6mb", 1.6e6),
        ("bytes", "64 KiB", 65536),
        ("params", "1,000,000", 1e6),
        ("params", "300k", 3e5),
        ("params", "100만", 1e6),
        ("latency", "20", 20),
        ("latency", "1.5 s", 1500),
        ("latency", "0.5밀리초", 0.5),
        ("time", "10 min", 600),
        ("time", "2시간", 7200),
        ("memory", "1 GB", 1e9),
        ("bytes", "2", None),
        ("bytes", "2 ms", None),
        ("latency", "-3 ms", None),
        ("latency", "0 ms", None),
        ("params", "many", None),
        ("params", "", None),
        ("params", "1" * 400, None),
        ("bytes", "1e3 kB", None),
    ],
)
def test_amounts_are_read_as_people_type_them(cost, typed, stored):
    """A number with a unit of the cost; what cannot be meant is no amount."""
    assert budgets.amount(cost, typed) == (None if stored is None else pytest.approx(stored))


@pytest.mark.parametrize("cost", list(quantities.COSTS))
def test_an_amount_is_written_as_it_is_read(cost):
    """So that a link and the field of the page say the same."""
    for value in (1.0, 12.5, 999.0, 1000.0, 1_654_321.0, 3600.0, 5e8, 7.25e9):
        assert budgets.amount(cost, budgets.written(cost, value)) == value, budgets.written(cost, value)
    for preset in budgets.PRESETS[cost]:
        assert budgets.written(cost, budgets.amount(cost, preset)) == preset


def test_the_best_within_a_budget_is_told_in_one_sentence(filled):
    """With its score, its costs, where it comes from, and how many rows could not be judged."""
    table = board_of(filled)
    assert budgets.sentences(table, {"bytes": 1e6, "latency": 1.0}, "accuracy") == [
        (
            "Best with at most 1 MB on disk and at most 1 ms an example",
            "Middle, accuracy 80.00%, 400 kB on disk, 0.9 ms an example (measured, verified). "
            "1 of 5 rows lack such a figure and were not considered.",
        )
    ]
    assert budgets.best(table, {"bytes": 1e6}, "accuracy") == table.rows.set_index("model")["run_id"]["Middle"]


def test_a_better_row_that_is_not_verified_is_followed_by_the_best_verified_one(board):
    """On the first board the printed rows lead, and a figure that we vouch for stands beside."""
    model = ModelFacts("m", "Ours", "KoBiLSTM", "bilstm", {}, 50_000, "ko")
    add_run(board, accuracy=0.8, name="Ours", model=model, task_id="nsmc", dataset="nsmc")
    sentences = budgets.sentences(board_of(board, "nsmc"), {"params": 1e6}, "accuracy")
    assert [lead for lead, _ in sentences] == ["Best with at most 1M parameters", "Best verified"]
    assert "(reported)" in sentences[0][1]
    assert sentences[1][1].startswith("Ours, accuracy 80.00%, 50k parameters (measured, verified)")


def test_where_nothing_fits_the_nearest_is_named(filled):
    """Or that the limits cannot be had together."""
    table = board_of(filled)
    assert budgets.sentences(table, {"bytes": 20e3}, "accuracy")[0][1].startswith(
        "No row. The nearest is Little with 50 kB on disk."
    )
    assert budgets.best(table, {"bytes": 20e3}, "accuracy") is None
    both = budgets.sentences(table, {"params": 15e3, "latency": 0.1}, "accuracy")
    assert both[0][1].startswith("No row. The nearest is Little with 0.3 ms an example")
