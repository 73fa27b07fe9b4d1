"""What people read: boards, leaderboards, one run."""

from datetime import timedelta

import pytest

from db.base.clock import utc_now
from db.base.errors import NotFoundError
from db.registry import tasks
from db.runs.detail import boards, run_detail, runs
from db.runs.status import DEAD_AFTER_S
from db.storage.store import Store
from tests.factories.rows import T0, add_scored, change, contents, model_row, run_row, whole_run
from tests.factories.runs import leaderboard

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


def test_boards_are_the_tasks_in_the_order_of_the_tabs(board: Store) -> None:
    """Every task has its board, in its order, those without runs too."""
    assert boards(board)["task_id"].tolist() == tasks.task_ids()


def test_boards_count_runs_and_variants(empty: Store) -> None:
    """A board counts its runs, and its models once each; a board without runs counts 0."""
    for number, model in enumerate(("a", "a", "b")):
        add_scored(empty, f"run-0000000{number}", 0.5, model_id=model)
    add_scored(empty, "run-00000009", 0.5, metric="f1", model_id="a", task_id="squad")
    counts = boards(empty).set_index("task_id")[["runs", "variants"]]
    assert counts.loc["nsmc"].tolist() == [3, 2]
    assert counts.loc["squad"].tolist() == [1, 1]
    assert counts.loc["mnli"].tolist() == [0, 0]


def test_board_of_a_new_task_version_leaves_the_old_runs_behind(empty: Store) -> None:
    """Runs of an earlier version of a task are neither counted nor ranked with those of the current one."""
    add_scored(empty, "run-00000001", 0.9)
    add_scored(empty, "run-00000002", 0.5, task_version=2)
    row = empty.query("SELECT * FROM tasks WHERE task_id = 'nsmc'").assign(version=2, name="again")
    empty.write([change("tasks", *row.to_dict("records"))])
    counts = boards(empty).set_index("task_id")
    assert (counts.loc["nsmc", "name"], counts.loc["nsmc", "runs"]) == ("again", 1)
    assert leaderboard(empty, "nsmc")["run_id"].tolist() == ["run-00000002"]


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
    for short in ("ccccddd", ""):
        with pytest.raises(NotFoundError, match=f"'{short}' is too short for a run's id; give 8 characters"):
            run_detail(empty, short)
    for unknown in ("ccccdddd0002", "%", "________"):
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
        add_scored(empty, run_id, 0.5, source=source, created_at=T0 + timedelta(days=days))
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
