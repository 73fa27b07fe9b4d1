"""Which row of a board is first, which rows are tied, and what stands beside the score."""

from typing import Any

import pandas as pd
import pytest

from db.base.errors import NotFoundError, StoreMissingError
from db.registry import tasks
from db.registry.metrics import METRICS
from db.runs.detail import run_detail
from db.runs.writer import MetricValue
from db.storage.store import Store
from tests.factories.rows import add_scored, whole_run
from tests.factories.runs import figures, leaderboard


def test_leaderboard_is_best_first_with_missing_scores_last(empty: Store) -> None:
    """The highest score is first; a rank without an interval is an estimate, and a run without a score has none."""
    for run_id, score in (("run-low00000", 0.7), ("run-none0000", None), ("run-high0000", 0.9), ("run-zero0000", 0.0)):
        add_scored(empty, run_id, score)
    rows = leaderboard(empty, "nsmc")
    assert rows["run_id"].tolist() == ["run-high0000", "run-low00000", "run-zero0000", "run-none0000"]
    assert rows["rank"].tolist() == ["~1", "~2", "~3", ""]
    assert pd.isna(rows["score"].iloc[-1]), "a missing score became a number"


def test_leaderboard_where_less_is_better(empty: Store) -> None:
    """Where less is better the lowest score is first, ties follow the intervals, and missing ones are still last."""
    for run_id, score, half in (
        ("run-slow0000", 9.0, 0.1),
        ("run-none0000", None, None),
        ("run-fast0000", 1.0, 0.1),
        ("run-mid00000", 5.0, 1.0),
        ("run-mid00001", 5.5, 1.0),
    ):
        add_scored(empty, run_id, score, metric="inference_s", task_id="inference-time", half=half)
    rows = leaderboard(empty, "inference-time")
    assert rows["run_id"].tolist() == ["run-fast0000", "run-mid00000", "run-mid00001", "run-slow0000", "run-none0000"]
    assert rows["rank"].tolist() == ["1", "2-3", "2-3", "4", ""]


def test_every_task_is_ranked_in_the_direction_of_its_metric() -> None:
    """The direction of a task is that of its primary metric, and the metric is one that we know."""
    assert {task.task_id: task.direction for task in tasks.TASKS} == {
        task.task_id: METRICS[task.metric].direction for task in tasks.TASKS
    }


def test_overlapping_intervals_are_tied(empty: Store) -> None:
    """Runs whose intervals, widened for so many comparisons, overlap share their ranks; others do not."""
    for number, (score, half) in enumerate([(0.9, 0.01), (0.8, 0.03), (0.78, 0.03), (0.76, 0.005), (0.5, 0.01)]):
        add_scored(empty, f"run-0000000{number}", score, half=half)
    assert leaderboard(empty, "nsmc")["rank"].tolist() == ["1", "2-4", "2-4", "2-4", "5"]


def test_equal_scores_stand_smaller_first(empty: Store) -> None:
    """Of two equal scores the model with fewer parameters is first, and one of unknown size last."""
    for model, params in (("a", None), ("b", 391_170), ("c", 27_394)):
        add_scored(empty, f"run-0000000{model}", 0.8, model_id=model, model={"params": params})
    assert leaderboard(empty, "nsmc")["model_id"].tolist() == ["c", "b", "a"]


def test_best_of_each_model_source_and_data_set(empty: Store) -> None:
    """The best run of each model, source and data set stays; ranks count those alone, and a printed row has none."""
    stored: list[tuple[str, float, dict[str, str]]] = [
        ("run-a0000002", 0.82, {}),
        ("run-b0000001", 0.81, {"model_id": "b"}),
        ("run-a0000003", 0.80, {"source": "reported"}),
        ("run-a0000004", 0.79, {"dataset": "nsmc+steam"}),
    ]
    for run_id, score, columns in [("run-a0000001", 0.70, {}), *stored, ("run-a0000005", None, {})]:
        add_scored(empty, run_id, score, **columns)
    rows = leaderboard(empty, "nsmc", every_run=False)
    assert rows["run_id"].tolist() == [run_id for run_id, _, _ in stored]
    assert rows["rank"].tolist() == ["~1", "~2", "", "~3"]
    assert len(leaderboard(empty, "nsmc")) == 6


def test_cost_stands_beside_the_score(empty: Store) -> None:
    """Latency, size and throughput are columns, missing where not measured; all figures stand beside them."""
    cost = [MetricValue("latency_ms_p50", 0.5), MetricValue("checkpoint_bytes", 109_000.0), MetricValue("unheard", 7.0)]
    add_scored(empty, "run-00000001", 0.9, *cost)
    add_scored(empty, "run-00000002", 0.8)
    first, second = leaderboard(empty, "nsmc").to_dict("records")
    assert (first["latency_ms_p50"], first["checkpoint_bytes"]) == (0.5, 109_000.0)
    assert figures(empty, "nsmc") == {
        "run-00000001": {"accuracy": 0.9, "latency_ms_p50": 0.5, "checkpoint_bytes": 109_000.0, "unheard": 7.0},
        "run-00000002": {"accuracy": 0.8},
    }
    for name in ("latency_ms_p50", "latency_ms_p95", "checkpoint_bytes", "examples_per_s"):
        assert pd.isna(second[name]), f"{name} was never measured and is {second[name]}"


def test_run_without_any_figure_is_listed(empty: Store) -> None:
    """A run that has no figure at all, alone on its board, is a row with no score and no rank."""
    empty.write(whole_run("run-00000001", accuracy=None, status="diverged"))
    (row,) = leaderboard(empty, "nsmc").to_dict("records")
    assert (row["rank"], figures(empty, "nsmc"), row["status"]) == ("", {"run-00000001": {}}, "diverged")
    assert pd.isna(row["score"])
    detail = run_detail(empty, "run-00000001")
    assert detail.metrics.empty
    assert detail.curves["value"].tolist() == [1.0, 0.5]


def test_mini_results_have_a_board_of_their_own(empty: Store) -> None:
    """A result on a mini corpus is not on the full data set's board."""
    add_scored(empty, "run-00000001", 0.9)
    add_scored(empty, "run-00000002", 0.99, task_id="reviews-ko-mini")
    assert leaderboard(empty, "nsmc")["run_id"].tolist() == ["run-00000001"]
    assert leaderboard(empty, "reviews-ko-mini")["run_id"].tolist() == ["run-00000002"]


def test_unknown_task_and_missing_database_are_told(empty: Store, tmp_path: Any) -> None:
    """A task that is not there is named; a database that is not there is told as such."""
    with pytest.raises(NotFoundError, match="no task 'nothing'"):
        leaderboard(empty, "nothing")
    with pytest.raises(StoreMissingError):
        leaderboard(Store(tmp_path / "none.duckdb"), "nsmc")
