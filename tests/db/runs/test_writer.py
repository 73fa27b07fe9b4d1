"""The life of a measured run."""

import os
import socket
from datetime import timedelta
from typing import Any

import duckdb
import pandas as pd
import pytest

from db.base.clock import utc_now
from db.runs import writer as runs
from db.runs.writer import Artifact, MetricValue, RunWriter, metrics_change, new_run_id
from db.storage.changes import Change
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, contents, model_facts, run_facts, run_row, value_of, whole_run, with_tasks

HOST = socket.gethostname()


@pytest.fixture
def store(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _start(store: Store, **facts: Any) -> RunWriter:
    return RunWriter.start(store, model_facts(), run_facts(**facts))


def _row(store: Store, run_id: str) -> dict[str, Any]:
    return store.query("SELECT * FROM runs WHERE run_id = ?", [run_id]).iloc[0].to_dict()


def _points(store: Store) -> list[tuple[int, float]]:
    rows = store.query("SELECT step, value FROM curves ORDER BY step")
    return list(rows.itertuples(index=False, name=None))


def test_started_run_is_running_here(store: Store) -> None:
    """A started run is listed as running, measured, unverified, in this process, with its model."""
    writer = _start(store, seed=2**31 - 1, teacher="KoELECTRA")
    row = _row(store, writer.run_id)
    assert (row["status"], row["source"], row["verified"]) == ("running", "measured", False)
    assert (row["host"], row["pid"], row["seed"], row["teacher"]) == (HOST, os.getpid(), 2**31 - 1, "KoELECTRA")
    assert abs(row["heartbeat"] - utc_now()) < timedelta(minutes=1), "the heartbeat is not UTC now"
    assert pd.isna(row["finished_at"])
    assert value_of(store, "SELECT params FROM models WHERE model_id = 'tiny'") == 27_394


def test_points_wait_in_memory_until_it_is_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A beat before its time writes nothing; one after it writes the points once and renews the heartbeat."""
    writer = _start(store)
    first = _row(store, writer.run_id)["heartbeat"]
    for step in (1, 2, 3):
        writer.point("loss", step, 1 / step, epoch=0.1, wall_time=1.0)
    before = store.generation()
    writer.beat()
    assert store.generation() == before, "a beat before its time wrote"
    monkeypatch.setattr(runs, "FLUSH_EVERY_S", 0.0)
    writer.beat()
    assert _points(store) == [(1, 1.0), (2, 0.5), (3, 1 / 3)]
    assert _row(store, writer.run_id)["heartbeat"] > first
    writer.beat()
    assert len(_points(store)) == 3


def test_step_that_is_passed_twice_keeps_its_later_value(store: Store) -> None:
    """A resumed run that repeats a step overwrites its point, within one flush and across two."""
    writer = _start(store)
    for value in (0.9, 0.8):
        writer.point("loss", 1, value, epoch=1.0, wall_time=1.0)
    writer.beat(force=True)
    assert _points(store) == [(1, 0.8)]
    writer.point("loss", 1, 0.7, epoch=1.0, wall_time=1.0)
    writer.beat(force=True)
    assert _points(store) == [(1, 0.7)]


def test_finished_run_has_everything(store: Store) -> None:
    """Finishing writes figures with interval, remaining points, predictions, artifacts and the seconds."""
    writer = _start(store)
    writer.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
    predictions = pd.DataFrame(
        {"example_id": ["0", "1"], "gold": ["1", "0"], "predicted": ["1", None], "score": [0.9, float("nan")]}
    )
    writer.finish(
        [MetricValue("accuracy", 0.5, 2, 0.1, 0.9), MetricValue("log_loss", 0.7)],
        train_seconds=12.5,
        predictions=predictions,
        artifacts=[Artifact("weights", "model.safetensors", 9, "ab")],
    )
    row = _row(store, writer.run_id)
    assert (row["status"], row["train_seconds"]) == ("finished", 12.5)
    assert row["finished_at"] >= row["created_at"]
    figures = store.query("SELECT name, value, n, low, high FROM metrics ORDER BY name")
    assert figures.iloc[0].tolist() == ["accuracy", 0.5, 2, 0.1, 0.9]
    assert figures[["n", "low", "high"]].iloc[1].isna().all(), "a figure without a count got one"
    assert _points(store) == [(1, 0.5)]
    assert value_of(store, "SELECT count(*) FROM predictions WHERE score IS NULL AND predicted IS NULL") == 1
    assert value_of(store, "SELECT bytes FROM artifacts") == 9


def test_finishing_again_replaces_the_results(store: Store) -> None:
    """A run that is finished a second time keeps one set of predictions and the later figures."""
    writer = _start(store)
    for share in (0.25, 0.75):
        rows = pd.DataFrame({"example_id": ["0", "1"], "gold": "1", "predicted": "1", "score": share})
        writer.finish([MetricValue("accuracy", share)], train_seconds=1.0, predictions=rows)
    assert value_of(store, "SELECT value FROM metrics") == 0.75
    assert store.query("SELECT score FROM predictions")["score"].tolist() == [0.75, 0.75]


def test_interrupted_run_keeps_its_points_and_can_be_resumed(store: Store) -> None:
    """An interruption writes the buffered points; a resumption makes the run running again, in this process."""
    writer = _start(store)
    writer.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
    writer.interrupt()
    assert _row(store, writer.run_id)["status"] == "interrupted"
    assert _points(store) == [(1, 0.5)]
    store.write([change("runs", {"run_id": writer.run_id, "pid": 1, "host": "elsewhere"}, mode="update")])
    again = RunWriter(store, writer.run_id)
    again.resume()
    row = _row(store, writer.run_id)
    assert (row["status"], row["host"], row["pid"]) == ("running", HOST, os.getpid())
    again.finish([MetricValue("accuracy", 0.5)], train_seconds=2.0)
    assert _row(store, writer.run_id)["status"] == "finished"


def test_failed_run_says_why(store: Store) -> None:
    """A failure keeps the run, its points and the reason."""
    writer = _start(store)
    writer.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
    writer.fail("메모리가 모자랍니다: 4 GiB wanted")
    row = _row(store, writer.run_id)
    assert (row["status"], row["caveat"]) == ("failed", "Failed: 메모리가 모자랍니다: 4 GiB wanted")
    writer.resume()
    assert _row(store, writer.run_id)["caveat"] is None
    assert _points(store) == [(1, 0.5)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_figure_or_point_that_is_not_finite_makes_the_run_diverged(store: Store, value: float) -> None:
    """What is not a number is left out, the other figures and points stay, and the run is kept as diverged."""
    by_figure, by_point = _start(store), _start(store)
    by_figure.finish([MetricValue("log_loss", value), MetricValue("accuracy", 0.5)], train_seconds=1.0)
    by_point.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
    by_point.point("loss", 2, value, epoch=1.0, wall_time=1.0)
    by_point.finish([MetricValue("accuracy", 0.5)], train_seconds=1.0)
    assert store.query("SELECT name FROM metrics")["name"].tolist() == ["accuracy", "accuracy"]
    assert _points(store) == [(1, 0.5)]
    assert [_row(store, writer.run_id)["status"] for writer in (by_figure, by_point)] == ["diverged", "diverged"]


def test_run_told_to_have_diverged_without_any_figure(store: Store) -> None:
    """A training that diverged is kept, even with no figure at all."""
    writer = _start(store)
    writer.finish([], train_seconds=1.0, diverged=True)
    assert _row(store, writer.run_id)["status"] == "diverged"
    assert store.query("SELECT * FROM metrics").empty


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("table", ["metrics", "curves"])
def test_schema_refuses_what_is_not_finite(store: Store, table: str, value: float) -> None:
    """Even past the writer, neither a figure nor a point that is not finite goes in."""
    row = {"run_id": "r", "name": "accuracy", "series": "loss", "step": 1, "value": value}
    columns = {"metrics": ["run_id", "name", "value"], "curves": ["run_id", "series", "step", "value"]}[table]
    with pytest.raises(duckdb.ConstraintException):
        store.write([change(table, {key: row[key] for key in columns})])
    marks = ", ".join("?" * len(columns))
    with pytest.raises(duckdb.ConstraintException), store.transaction() as con:
        con.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", [row[key] for key in columns])
    assert value_of(store, f"SELECT count(*) FROM {table}") == 0


@pytest.mark.parametrize(
    "bad",
    [
        *(
            change("metrics", {"run_id": "r", "name": "accuracy", "value": 0.5, end: float("inf")})
            for end in ("low", "high")
        ),
        *(
            change("runs", run_row("run-00000001", **columns))
            for columns in ({"status": "done"}, {"source": "guessed"}, {"recipe_json": "{"})
        ),
    ],
    ids=["low", "high", "status", "source", "recipe"],
)
def test_schema_refuses_a_row_of_no_known_kind(store: Store, bad: Change) -> None:
    """The ends of an interval are finite too; status, source and recipe of a run are what the schema lists."""
    with pytest.raises(duckdb.ConstraintException):
        store.write([bad])
    assert value_of(store, f"SELECT count(*) FROM {bad.table}") == 0


def test_no_figures_are_no_rows(store: Store) -> None:
    """A run without figures writes none, and the change has the table's columns."""
    empty = metrics_change("r", [])
    assert empty.rows.columns.tolist() == ["run_id", "name", "value", "n", "low", "high"]
    assert store.write([empty]) == "committed"
    assert value_of(store, "SELECT count(*) FROM metrics") == 0


def test_run_ids_are_random() -> None:
    """No two runs get the same id, so no two installations do."""
    made = {new_run_id() for _ in range(1000)}
    assert len(made) == 1000
    assert {len(run_id) for run_id in made} == {32}


def test_whole_life_while_the_database_is_busy(store: Store) -> None:
    """A run that starts and finishes while another process holds the database is whole after the next write."""
    impatient = Store(store.path, wait_s=0.1)
    with processes.held(store.path):
        writer = _start(impatient)
        writer.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
        writer.beat(force=True)
        writer.point("loss", 2, 0.25, epoch=1.0, wall_time=1.0)
        writer.finish([MetricValue("accuracy", 0.5, 2, 0.1, 0.9)], train_seconds=1.0)
    store.write([])
    assert _row(store, writer.run_id)["status"] == "finished"
    assert _points(store) == [(1, 0.5), (2, 0.25)]
    assert value_of(store, "SELECT value FROM metrics") == 0.5


def test_starting_a_run_keeps_other_runs(store: Store) -> None:
    """A new run of a model that is already listed changes no other run."""
    store.write(whole_run("run-00000001"))
    before = contents(store, "metrics", "curves", "predictions", "artifacts")
    _start(store)
    assert contents(store, "metrics", "curves", "predictions", "artifacts") == before
    assert value_of(store, "SELECT count(*) FROM runs") == 2
