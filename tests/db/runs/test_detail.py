"""What people read: boards, leaderboards, one run."""

from datetime import timedelta
from typing import Any

import pandas as pd
import pytest

from db.analysis.comparison import ComparisonError, compare
from db.base.clock import utc_now
from db.base.errors import NotFoundError, StoreMissingError
from db.registry import tasks
from db.registry.metrics import METRICS
from db.runs.detail import boards, run_detail, runs
from db.runs.status import DEAD_AFTER_S
from db.runs.writer import MetricValue, metrics_change
from db.storage.store import Store
from tests.factories.rows import T0, change, contents, model_row, run_row, value_of, whole_run, with_tasks
from tests.factories.runs import add_runs, figures, leaderboard

STRANGE = {
    "HTML": "<script>alert(1)</script><b>&amp;</b>",
    "Markdown": "[link](javascript:x) `code` **bold** $x$ :material/home: # title | cell",
    "SQL": "Robert'); DROP TABLE runs;--",
    "emoji": "🪶👩‍👩‍👧‍👦🇰🇷",
    "Arabic": "نموذج صغير\u202e",
    "Korean, decomposed": "한국어",
    "10,000 characters": "가" * 10_000,
    "control characters": "a\tb\nc\x00d\u200b",
    "spaces": "   ",
}


@pytest.fixture
def empty(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _add(
    store: Store, run_id: str, score: float | None, *more: MetricValue, metric: str = "accuracy", **run: Any
) -> None:
    """A run with one primary figure; ``half`` is half of its interval's width, ``params`` belong to its model."""
    half, params = run.pop("half", None), run.pop("params", None)
    ends = {} if half is None or score is None else {"n": 100, "low": score - half, "high": score + half}
    figures = [] if score is None else [MetricValue(metric, score, **ends)]
    store.write(
        [
            change("models", model_row(run.get("model_id", "tiny"), params=params)),
            change("runs", run_row(run_id, **run)),
            metrics_change(run_id, [*figures, *more]),
        ]
    )


def test_boards_are_the_tasks_in_the_order_of_the_tabs(board: Store) -> None:
    """Every task has its board, in its order, those without runs too."""
    assert boards(board)["task_id"].tolist() == tasks.task_ids()


def test_boards_count_runs_and_variants(empty: Store) -> None:
    """A board counts its runs, and its models once each; a board without runs counts 0."""
    for number, model in enumerate(("a", "a", "b")):
        _add(empty, f"run-0000000{number}", 0.5, model_id=model)
    _add(empty, "run-00000009", 0.5, metric="f1", model_id="a", task_id="squad")
    counts = boards(empty).set_index("task_id")[["runs", "variants"]]
    assert counts.loc["nsmc"].tolist() == [3, 2]
    assert counts.loc["squad"].tolist() == [1, 1]
    assert counts.loc["mnli"].tolist() == [0, 0]


def test_board_of_a_new_task_version_leaves_the_old_runs_behind(empty: Store) -> None:
    """Runs of an earlier version of a task are neither counted nor ranked with those of the current one."""
    _add(empty, "run-00000001", 0.9)
    _add(empty, "run-00000002", 0.5, task_version=2)
    row = empty.query("SELECT * FROM tasks WHERE task_id = 'nsmc'").assign(version=2, name="again")
    empty.write([change("tasks", *row.to_dict("records"))])
    counts = boards(empty).set_index("task_id")
    assert (counts.loc["nsmc", "name"], counts.loc["nsmc", "runs"]) == ("again", 1)
    assert leaderboard(empty, "nsmc")["run_id"].tolist() == ["run-00000002"]


def test_leaderboard_is_best_first_with_missing_scores_last(empty: Store) -> None:
    """The highest score is first; a rank without an interval is an estimate, and a run without a score has none."""
    for run_id, score in (("run-low00000", 0.7), ("run-none0000", None), ("run-high0000", 0.9), ("run-zero0000", 0.0)):
        _add(empty, run_id, score)
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
        _add(empty, run_id, score, metric="inference_s", task_id="inference-time", half=half)
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
        _add(empty, f"run-0000000{number}", score, half=half)
    assert leaderboard(empty, "nsmc")["rank"].tolist() == ["1", "2-4", "2-4", "2-4", "5"]


def test_equal_scores_stand_smaller_first(empty: Store) -> None:
    """Of two equal scores the model with fewer parameters is first, and one of unknown size last."""
    for model, params in (("a", None), ("b", 391_170), ("c", 27_394)):
        _add(empty, f"run-0000000{model}", 0.8, model_id=model, params=params)
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
        _add(empty, run_id, score, **columns)
    rows = leaderboard(empty, "nsmc", every_run=False)
    assert rows["run_id"].tolist() == [run_id for run_id, _, _ in stored]
    assert rows["rank"].tolist() == ["~1", "~2", "", "~3"]
    assert len(leaderboard(empty, "nsmc")) == 6


def test_cost_stands_beside_the_score(empty: Store) -> None:
    """Latency, size and throughput are columns, missing where not measured; all figures stand beside them."""
    cost = [MetricValue("latency_ms_p50", 0.5), MetricValue("checkpoint_bytes", 109_000.0), MetricValue("unheard", 7.0)]
    _add(empty, "run-00000001", 0.9, *cost)
    _add(empty, "run-00000002", 0.8)
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


def test_board_without_runs_has_the_same_columns(empty: Store) -> None:
    """A board without runs is an empty table with every column of one that has runs."""
    none = leaderboard(empty, "nsmc")
    _add(empty, "run-00000001", 0.9)
    assert none.empty
    assert none.columns.tolist() == leaderboard(empty, "nsmc").columns.tolist()


def test_mini_results_have_a_board_of_their_own(empty: Store) -> None:
    """A result on a mini corpus is not on the full data set's board."""
    _add(empty, "run-00000001", 0.9)
    _add(empty, "run-00000002", 0.99, task_id="reviews-ko-mini")
    assert leaderboard(empty, "nsmc")["run_id"].tolist() == ["run-00000001"]
    assert leaderboard(empty, "reviews-ko-mini")["run_id"].tolist() == ["run-00000002"]


def test_unknown_task_and_missing_database_are_told(empty: Store, tmp_path: Any) -> None:
    """A task that is not there is named; a database that is not there is told as such."""
    with pytest.raises(NotFoundError, match="no task 'nothing'"):
        leaderboard(empty, "nothing")
    with pytest.raises(StoreMissingError):
        leaderboard(Store(tmp_path / "none.duckdb"), "nsmc")


@pytest.mark.parametrize(
    ("age", "host", "shown"),
    [
        (DEAD_AFTER_S + 10, "a-laptop", "interrupted"),
        (DEAD_AFTER_S + 10, None, "silent"),  # it came from another machine and may go on there
        (DEAD_AFTER_S - 30, "a-laptop", "running"),
        (DEAD_AFTER_S - 30, None, "running"),
    ],
)
def test_status_of_a_run_without_heartbeats(empty: Store, age: float, host: str | None, shown: str) -> None:
    """A running run with an old heartbeat has the same other status everywhere, and its row is not changed by that."""
    beat = utc_now() - timedelta(seconds=age)
    empty.write(whole_run("run-00000001", status="running", heartbeat=beat, host=host))
    empty.write(whole_run("run-00000002", status="finished", heartbeat=T0))
    before = contents(empty, "runs")
    for frame in (leaderboard(empty, "nsmc"), runs(empty)):
        assert frame.set_index("run_id")["status"].to_dict() == {"run-00000001": shown, "run-00000002": "finished"}
    assert run_detail(empty, "run-00000001").run["status"] == shown
    assert contents(empty, "runs") == before


def test_detail_has_everything_of_one_run(empty: Store) -> None:
    """A run's page has its rows, the parsed recipe and configuration, its confusion, and no row of another run."""
    empty.write(whole_run("run-00000001", recipe_json='{"lr": 0.001}', seed=3))
    empty.write(whole_run("run-00000002", accuracy=0.5, recipe_json='{"lr": 0.1}', seed=4))
    detail = run_detail(empty, "run-00000001")
    assert (detail.run["run_id"], detail.run["seed"], detail.recipe) == ("run-00000001", 3, {"lr": 0.001})
    assert (detail.model["model_id"], detail.model["config"], detail.model["params"]) == ("tiny", {}, None)
    assert detail.task["task_id"] == "nsmc"
    assert detail.metrics["name"].tolist() == ["accuracy", "latency_ms_p50"]
    assert detail.metrics["value"].tolist() == [0.875, 0.5]
    assert detail.curves[["step", "value", "wall_time"]].to_numpy().tolist() == [[1, 1.0, 2.0], [2, 0.5, 4.0]]
    assert detail.artifacts["path"].tolist() == ["model.safetensors"]
    assert detail.confusion.loc["1"].to_dict() == {"0": 1, "1": 1}
    assert detail.siblings[["run_id", "seed", "score"]].to_numpy().tolist() == [["run-00000002", 4, 0.5]]


def test_detail_of_a_run_without_predictions_task_or_model(empty: Store) -> None:
    """A run whose task and model are gone and that has no predictions still has a page."""
    empty.write([change("runs", run_row("run-00000001", task_id="gone", model_id="gone"))])
    detail = run_detail(empty, "run-00000001")
    assert (detail.model, detail.task, detail.recipe) == ({"config": {}}, {}, {})
    assert detail.confusion.empty
    assert detail.run["heartbeat"] is None, "a missing value is not None"


def test_detail_by_the_beginning_of_an_id(empty: Store) -> None:
    """A unique beginning of 8 characters finds the run; an ambiguous, a short and an unknown one are told apart."""
    for run_id in ("aaaabbbb0001", "aaaabbbb0002", "ccccdddd0001"):
        empty.write(whole_run(run_id))
    assert run_detail(empty, "ccccdddd").run["run_id"] == "ccccdddd0001"
    with pytest.raises(NotFoundError, match=r"Several runs begin with 'aaaabbbb'"):
        run_detail(empty, "aaaabbbb")
    for unknown in ("ccccddd", "ccccdddd0002", "", "%", "________"):
        with pytest.raises(NotFoundError, match="There is no run"):
            run_detail(empty, unknown)


def test_whole_id_that_begins_another_is_found(empty: Store) -> None:
    """An id that is also the beginning of another, or shorter than 8 characters, is found when given whole."""
    for run_id in ("abcdefgh", "abcdefgh1", "x"):
        empty.write(whole_run(run_id))
    for run_id in ("abcdefgh", "abcdefgh1", "x"):
        assert run_detail(empty, run_id).run["run_id"] == run_id


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_text_from_outside_survives_unchanged(empty: Store, text: str) -> None:
    """A name, a note and a label of any text are read exactly as they were written, on every page."""
    empty.write(
        [
            change("models", model_row("odd", name=text, family=text)),
            change("runs", run_row("run-00000001", model_id="odd", name=text, notes=text, caveat=text)),
            change(
                "predictions",
                {"run_id": "run-00000001", "example_id": text, "gold": text, "predicted": text},
                mode="replace",
            ),
        ]
    )
    (row,) = leaderboard(empty, "nsmc").to_dict("records")
    assert {row["name"], row["model"], row["family"], row["notes"], row["caveat"]} == {text}
    detail = run_detail(empty, "run-00000001")
    assert {detail.run["name"], detail.run["notes"], detail.model["name"]} == {text}
    assert detail.confusion.index.tolist() == detail.confusion.columns.tolist() == [text]
    assert runs(empty)["name"].tolist() == [text]


def test_newest_runs_first_and_reported_rows_last(empty: Store) -> None:
    """The list of runs has own runs by age, then reported rows, and no more than asked for."""
    for run_id, days, source in (
        ("run-old00000", 1, "measured"),
        ("run-rep00000", 9, "reported"),
        ("run-new00000", 5, "measured"),
        ("run-sub00000", 3, "submitted"),
    ):
        _add(empty, run_id, 0.5, source=source, created_at=T0 + timedelta(days=days))
    assert runs(empty)["run_id"].tolist() == ["run-new00000", "run-sub00000", "run-old00000", "run-rep00000"]
    assert runs(empty, limit=2)["run_id"].tolist() == ["run-new00000", "run-sub00000"]
    assert runs(empty, limit=1)["score"].tolist() == [0.5]


def test_every_task_of_the_initialised_board_can_be_read(board: Store) -> None:
    """Each board's rows are as many as its count says, and each of its runs has a page."""
    for task in boards(board).itertuples():
        rows = leaderboard(board, task.task_id)
        assert len(rows) == task.runs, task.task_id
        for run_id in rows["run_id"].head(1):
            assert run_detail(board, run_id).run["run_id"] == run_id


def test_two_runs_are_compared_on_their_common_examples(board: Store) -> None:
    """Each of the 200 examples is counted once, by who is right; unknown and incomparable runs are told."""
    first, second = add_runs(board, 0.6, 0.75, seed=0)
    compared = compare(board, [first[:12], second])
    counts = [compared.count(right, wrong) for right, wrong in (([0], [1]), ([1], [0]), ([], [0, 1]), ([0, 1], []))]
    assert counts == [0, 30, 50, 120]
    reported = value_of(board, "SELECT min(run_id) FROM runs WHERE source = 'reported'")
    with pytest.raises(ComparisonError, match="different tasks"):
        compare(board, [first, reported])
    with pytest.raises(NotFoundError, match="There is no run"):
        compare(board, [first, "ffffffffffff"])
    with pytest.raises(ComparisonError, match="2 to 6 runs"):
        compare(board, [first])
