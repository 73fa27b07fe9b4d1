"""A board as columns: its rows, its figures, its frontier and the runs behind its rows."""

import json
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.base.errors import NotFoundError
from db.leaderboard.board import Filter, Order, board, ordered, select, top
from db.registry.disk_sizes import ENCODER_BYTES
from db.runs.writer import MetricValue
from db.statistics.pareto import pareto
from db.storage.store import Store
from tests.factories.rows import T0, add_scored, whole_run
from tests.factories.runs import in_one_write

TASK = "nsmc"
NAN = float("nan")


def test_a_board_has_one_type_for_each_column_whatever_its_rows(empty: Store) -> None:
    """Columns and types are the same without runs, with full rows and with bare ones, merged and not."""
    none = board(empty, TASK)
    assert (len(none.rows), len(none.figures), none.task["task_id"]) == (0, 0, TASK)
    add_scored(empty, "run-00000001", 0.9, model={"params": 7}, seed=1, train_seconds=3.0, teacher="T")
    full = board(empty, TASK)
    add_scored(empty, "run-00000002", None, model_id="bare")
    for shown in (full, board(empty, TASK), board(empty, TASK, every_run=False)):
        assert shown.rows.dtypes.to_dict() == none.rows.dtypes.to_dict()
        assert all(kind == np.float64 for kind in shown.figures.dtypes)
        assert shown.rows.index.equals(pd.RangeIndex(len(shown.rows)))
        assert shown.figures.index.equals(shown.rows.index)


def test_an_empty_board_can_be_chosen_from_and_ordered(empty: Store) -> None:
    """Nothing comes of nothing, without an error."""
    none = board(empty, TASK)
    assert len(select(none, Filter(search="x", params=(1, 2)))) == 0
    assert len(ordered(none, select(none, Filter()), [Order("model"), Order("rank")])) == 0


def test_runs_without_figures_with_one_and_diverged_ones(empty: Store) -> None:
    """Figures are those that some run has; the rows that lack them have NaN, and stand last without a rank."""
    empty.write(whole_run("run-00000001", accuracy=None, status="diverged"))
    add_scored(empty, "run-00000002", 0.5)
    add_scored(empty, "run-00000003", 0.7, MetricValue("unheard", 7.0))
    shown = board(empty, TASK)
    assert shown.rows["run_id"].tolist() == ["run-00000003", "run-00000002", "run-00000001"]
    assert shown.figures.columns.tolist() == ["accuracy", "unheard"]
    assert shown.figures.to_numpy().tolist()[0] == [0.7, 7.0]
    assert np.isnan(shown.figures.to_numpy()[[1, 2, 2], [1, 0, 1]]).all()
    assert shown.rows["rank"].tolist() == ["~1", "~2", ""]
    assert shown.rows["status"].tolist()[-1] == "diverged"


def test_strange_runs_are_rows_as_any_other(empty: Store) -> None:
    """300 settings, a name of 10,000 characters and two runs of one name are listed whole and found."""
    recipe = json.dumps({"train": {f"setting {number}": number for number in range(300)}})
    add_scored(empty, "run-00000001", 0.9, recipe_json=recipe, recipe="many")
    add_scored(empty, "run-00000002", 0.8, model_id="long", model={"name": "가" * 10_000}, name="twice")
    add_scored(empty, "run-00000003", 0.7, name="twice")
    shown = board(empty, TASK)
    assert shown.rows["name"].tolist()[1:] == ["twice", "twice"]
    assert shown.rows["model"].str.len().max() == 10_000
    assert select(shown, Filter(search="가" * 9_999)).tolist() == [1]
    assert select(shown, Filter(search="many")).tolist() == [0]
    assert ordered(shown, np.array([2, 1]), [Order("name")]).tolist() == [2, 1]


def test_ranks_are_ordered_by_their_numbers(empty: Store) -> None:
    """Rank 10 comes after rank 2-3, and rows without a rank are last."""
    for number in range(11):
        add_scored(empty, f"run-000000{number:02d}", 0.9 - number / 20, half=0.028 if number < 3 else 0.0005)
    add_scored(empty, "run-none0000", None)
    shown = board(empty, TASK)
    up = ordered(shown, np.arange(12)[::-1], [Order("rank")])
    assert shown.rows["rank"].iloc[up].tolist() == ["1-2", "1-3", "2-3", *(str(rank) for rank in range(4, 12)), ""]
    assert ordered(shown, up, [Order("rank", descending=True)]).tolist()[0] == 10


def test_choosing_and_ordering_leave_a_board_as_it_was(empty: Store) -> None:
    """A board is shared by all who look at it."""
    for number in range(3):
        add_scored(empty, f"run-0000000{number}", 0.5 + number / 10, seed=number, model={"params": 5})
    shown = board(empty, TASK)
    rows, figures, positions = shown.rows.copy(), shown.figures.copy(), np.arange(3)
    ordered(shown, positions, [Order("name", descending=True), Order("accuracy")])
    select(shown, Filter(search="run", params=(1, 9)))
    pd.testing.assert_frame_equal(shown.rows, rows)
    pd.testing.assert_frame_equal(shown.figures, figures)
    assert positions.tolist() == [0, 1, 2]


def test_the_frontier_is_on_the_rows(empty: Store) -> None:
    """What no row beats in parameters and score; equal rows together, rows without either never."""
    for name, params, score in (
        ("a", 10, 0.5),
        ("b", 10, 0.5),
        ("c", 20, 0.5),
        ("d", 20, 0.7),
        ("e", 5, None),
        ("f", None, 0.9),
        ("g", 10, 0.4),
    ):
        add_scored(empty, f"run-0000000{name}", score, model_id=name, model={"params": params})
    rows = board(empty, TASK).rows
    assert sorted(rows.loc[rows["pareto"], "model_id"]) == ["a", "b", "d"]


def test_the_frontier_where_less_is_better(empty: Store) -> None:
    """The direction is that of the task."""
    for name, params, score in (("a", 10, 3.0), ("b", 20, 2.0), ("c", 30, 4.0)):
        add_scored(
            empty,
            f"run-0000000{name}",
            None,
            MetricValue("inference_s", score),
            model_id=name,
            model={"params": params},
            task_id="inference-time",
        )
    rows = board(empty, "inference-time").rows
    assert rows.loc[rows["pareto"], "model_id"].tolist() == ["b", "a"]


def _seeds(empty: Store) -> None:
    alike = {"recipe": "tiny", "recipe_hash": "r", "dataset_hash": "d", "device": "a CPU, 1 thread(s)"}
    with in_one_write(empty) as store:
        for seed, score in enumerate((0.82, 0.80, 0.81)):
            add_scored(store, f"seed-{seed}", score, seed=seed, **alike)
        add_scored(store, "seed-1-newer", 0.79, seed=1, created_at=T0 + timedelta(days=1), **alike)
        add_scored(store, "alone", 0.9, model_id="alone")
        add_scored(store, "unscored", None, model_id="alone", dataset="other", seed=4, **alike)


def test_the_runs_behind_a_merged_row_are_its_seeds(empty: Store) -> None:
    """Three seeds by seed, the newer of a seed that was trained twice; other rows have themselves."""
    _seeds(empty)
    shown = board(empty, TASK, every_run=False)
    assert shown.rows["run_id"].tolist() == ["alone", "seed-2", "unscored"]
    behind = shown.members(1)
    assert behind.columns.tolist() == [
        "run_id",
        "name",
        "seed",
        "status",
        "heartbeat",
        "device",
        "tags",
        "score",
        "low",
        "high",
    ]
    assert behind["run_id"].tolist() == ["seed-0", "seed-1-newer", "seed-2"]
    assert behind["seed"].tolist() == [0, 1, 2]
    assert behind["score"].mean() == pytest.approx(shown.rows["score"].iloc[1])
    assert [shown.members(index)["run_id"].tolist() for index in (0, 2)] == [["alone"], ["unscored"]]


def test_the_group_of_a_row_leads_to_its_runs_wherever_it_stands(empty: Store) -> None:
    """Chosen, ordered and cut rows keep what ``members`` takes, and every run has a row when all are shown."""
    _seeds(empty)
    shown = board(empty, TASK, every_run=False)
    row = shown.rows[shown.rows["seeds"].fillna(0) > 1].iloc[0]
    assert len(shown.members(row["group"])) == 3
    every = board(empty, TASK)
    assert [every.members(index)["run_id"].tolist() for index in range(6)] == [
        [run_id] for run_id in every.rows["run_id"]
    ]


def test_a_recipe_that_is_not_shown_hides_its_runs_too(empty: Store) -> None:
    """Runs of a recipe that its model's better one displaced are behind no row."""
    _seeds(empty)
    add_scored(empty, "other", 0.5, recipe_hash="r2", dataset_hash="d", seed=0)
    shown = board(empty, TASK, every_run=False)
    behind = [run for row in range(len(shown.rows)) for run in shown.members(row)["run_id"]]
    assert sorted(behind) == ["alone", "seed-0", "seed-1-newer", "seed-2", "unscored"]


def test_the_top_is_the_head_of_the_board(empty: Store) -> None:
    """The same runs in the same order with the same figures, no more than asked for."""
    for number in range(7):
        score = None if number == 3 else 0.5 + number % 3 / 10
        add_scored(
            empty,
            f"run-0000000{number}",
            score,
            MetricValue(f"figure_{number}", float(number)),
            model_id=f"m{number % 2}",
            model={"params": number % 2 + 1},
        )
    shown = board(empty, TASK)
    for limit in (1, 3, 7, 100):
        best = top(empty, TASK, limit)
        assert best["run_id"].tolist() == shown.rows["run_id"].tolist()[:limit]
        for name in best.columns.intersection(shown.figures.columns):
            assert best[name].tolist() == pytest.approx(shown.figures[name].tolist()[:limit], nan_ok=True)
        assert {"figure_2", "score", "low", "params", "accuracy"} <= set(best.columns)
    assert "figure_0" not in top(empty, TASK, 1).columns, "a figure of no run among them"
    with pytest.raises(NotFoundError, match="no task 'nothing'"):
        top(empty, "nothing")


def test_the_top_of_a_task_where_less_is_better(empty: Store) -> None:
    """The smallest comes first; a figure named like a column leaves the column alone."""
    for number, seconds in enumerate((3.0, 1.0, 2.0)):
        add_scored(
            empty,
            f"run-0000000{number}",
            None,
            MetricValue("inference_s", seconds),
            MetricValue("params", 9.0),
            task_id="inference-time",
            model={"params": 5},
        )
    best = top(empty, "inference-time", 2)
    assert best["score"].tolist() == best["inference_s"].tolist() == [1.0, 2.0]
    assert best["params"].tolist() == [5, 5]


_COORDINATE = st.integers(0, 3).map(float) | st.just(NAN)


@given(st.lists(st.tuples(_COORDINATE, _COORDINATE), max_size=9), st.booleans())
@settings(max_examples=300, deadline=None, database=None)
def test_the_frontier_is_what_no_other_row_beats(points: list[tuple[float, float]], maximise: bool) -> None:
    """By comparing every pair; by rising cost."""
    sign = 1 if maximise else -1

    def beaten(point: tuple[float, float]) -> bool:
        return any(
            cost <= point[0] and sign * score >= sign * point[1] and (cost, score) != point for cost, score in points
        )

    expected = [index for index, point in enumerate(points) if not np.isnan(point).any() and not beaten(point)]
    front = pareto([cost for cost, _ in points], [score for _, score in points], maximise=maximise)
    assert sorted(front) == expected
    assert [points[index][0] for index in front] == sorted(points[index][0] for index in front)


def test_an_adapter_is_as_large_as_what_must_be_on_disk(empty: Store) -> None:
    """Its checkpoint and its encoder, on the row and among the figures, with every run and for programs."""
    recipe = {"adapter": {"rank": 40}, "model": {"source": "all-MiniLM-L6-v2"}}
    for name, stored in (("adapter", json.dumps(recipe)), ("whole", json.dumps({"model": recipe["model"]}))):
        add_scored(empty, name, 0.9, MetricValue("checkpoint_bytes", 7e6), model_id=name, recipe_json=stored)
    for rows in (board(empty, TASK).rows, board(empty, TASK, every_run=False).rows, top(empty, TASK)):
        sizes = rows.set_index("run_id")["checkpoint_bytes"]
        assert sizes.to_dict() == {"adapter": 7e6 + ENCODER_BYTES["all-MiniLM-L6-v2"], "whole": 7e6}
