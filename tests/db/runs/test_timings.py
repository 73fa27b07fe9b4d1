"""Timings of models on machines: what the store keeps, refuses and gives back, and how old databases get there."""

import json
import shutil
from datetime import timedelta

import duckdb
import pandas as pd
import pytest

from db.bootstrap import create, integrity
from db.runs import bundles, timings
from db.runs.timings import Machine, Timing
from db.storage import migrations
from db.storage.changes import Change, unpack
from db.storage.store import Store
from tests.factories.rows import T0, change, contents, model_row, run_row, value_of, whole_run, with_tasks, write_older

PI = Machine("Raspberry Pi 5, 8 GB", "Cortex-A76", "aarch64", 4, 8 * 2**30, "Debian", {"board": "Raspberry Pi 5"})


def timing(precision: str = "float32", tokens: int = 384, ms: float = 100.0, **more) -> Timing:
    values = {"threads": 1, "batch": 1, "calls": 10, "p95_ms": 1.1 * ms, "p99_ms": 1.2 * ms, "per_s": 1e3 / ms, **more}
    return Timing(precision=precision, tokens=tokens, p50_ms=ms, **values)


def add(
    board: Store, run_id: str, *timed: Timing, machine: Machine = PI, model_id: str = "bert-base", **columns
) -> None:
    """A bench run of a model."""
    board.write(
        [
            change("models", model_row(model_id, params=1000), mode="insert"),
            change("runs", run_row(run_id, task_id="device-speed", model_id=model_id, **columns)),
        ]
    )
    timings.write(board, run_id, machine, timed)


@pytest.fixture
def board(tmp_path) -> Store:
    return with_tasks(Store(tmp_path / "featherboard.duckdb"))


def test_what_was_written_is_read_with_its_machine_and_costs(board):
    hot = timing(tokens=32, ms=10.0, celsius=61.5, load_average=0.3, clock_mhz=2400.0)
    add(board, "run-00000001", timing(), hot, model_id="a-model-of-ones-own")
    board.write([change("metrics", {"run_id": "run-00000001", "name": "peak_memory_bytes", "value": 5e8})])
    short, long = timings.measured(board).to_dict("records")
    assert (short["tokens"], short["celsius"], short["clock_mhz"]) == (32, 61.5, 2400.0)
    assert (long["machine"], long["p50_ms"], long["peak_memory_bytes"]) == ("Raspberry Pi 5, 8 GB", 100.0, 5e8)
    assert pd.isna(long["celsius"])
    assert pd.isna(long["load_seconds"])
    assert json.loads(long["facts"]) == {"board": "Raspberry Pi 5"}
    assert not integrity.check(board)


def test_the_newest_run_of_a_model_in_a_precision_on_a_machine_counts(board):
    add(board, "old", timing(ms=200.0))
    add(board, "new", timing(ms=100.0), created_at=T0 + timedelta(days=1))
    add(board, "int8", timing("int8", ms=30.0))
    add(board, "elsewhere", timing(ms=5.0), machine=Machine("A laptop", "x", "x86_64", 8, None, None, {}))
    measured = timings.measured(board)
    assert dict(zip(measured["run_id"], measured["p50_ms"], strict=True)) == {
        "new": 100.0,
        "int8": 30.0,
        "elsewhere": 5.0,
    }


def test_writing_again_replaces_what_was_written(board):
    add(board, "run-00000001", timing(), timing(tokens=32))
    timings.write(board, "run-00000001", PI, [timing(ms=50.0)])
    assert timings.of_run(board, "run-00000001")[["tokens", "p50_ms"]].to_numpy().tolist() == [[384, 50.0]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"precision": "int4"},
        {"threads": 0},
        {"tokens": 0},
        {"batch": 0},
        {"calls": 0},
        {"per_s": 0.0},
        {"p95_ms": 90.0},
        {"p99_ms": 105.0},
        {"p95_ms": float("nan")},
        {"load_average": -1.0},
        {"celsius": float("inf")},
        {"clock_mhz": 0.0},
    ],
)
def test_impossible_timings_are_refused_and_nothing_is_changed(board, wrong):
    add(board, "run-00000001", timing())
    before = contents(board, "timings", "machines")
    with pytest.raises(duckdb.Error):
        timings.write(board, "run-00000001", PI, [timing(**wrong)])
    assert contents(board, "timings", "machines") == before


def test_the_seeds_times_are_reported_rows(tmp_path):
    made = Store(tmp_path / "featherboard.duckdb")
    create.initialise(made)
    rows = timings.reported(made)
    pi = rows[rows["machine"].str.startswith("Raspberry Pi 5")].set_index("model_id")["seconds"]
    assert pi["bert-base"] / pi["distilbert"] == pytest.approx(2.03, abs=0.005)
    paper = rows[rows["task_id"] == "inference-time"].set_index("model_id")["seconds"]
    assert paper["bert-base"] / paper["distilbert"] == pytest.approx(1.63, abs=0.005)
    assert rows["citation"].notna().all()


def test_a_database_of_the_first_version_is_brought_up_to_date_with_its_rows(tmp_path, monkeypatch):
    old = Store(tmp_path / "old.duckdb")
    steps = migrations.steps()
    with monkeypatch.context() as first:
        first.setattr(migrations, "steps", lambda: steps[:1])
        old.migrate()
        write_older(old, [change("runs", run_row("run-00000001")), change("models", model_row())])
    assert old.migrate() == [name for _, name, _ in steps[1:]]
    assert value_of(old, "SELECT count(*) FROM runs") == 1
    assert timings.measured(old).empty
    add(old, "run-2", timing())
    assert len(timings.measured(old)) == 1


def test_bundles_without_timings_are_those_of_older_boards_and_still_go_in(board, tmp_path):
    board.write(whole_run("run-00000001"))
    content, count = bundles.bundle(board, ["run-00000001"])
    tables = [table.table for table in unpack(content, "run bundle", "test")]
    assert count == 1
    assert not {"timings", "machines"} & set(tables), "an older board does not know these tables"
    other = with_tasks(Store(tmp_path / "other.duckdb"))
    assert bundles.import_bytes(other, content, "test").added == 1


def test_a_bundle_carries_timings_and_machine_and_a_newer_state_replaces_them(board, tmp_path):
    add(board, "run-00000001", timing(), timing(tokens=32))
    other = Store(shutil.copyfile(board.path, tmp_path / "other.duckdb"))
    other.write(
        [Change("runs", pd.DataFrame([{"run_id": "run-00000001", "updated_at": T0 - timedelta(days=9)}]), "update")]
    )
    timings_of_other = contents(other, "timings", "machines")
    timings.write(board, "run-00000001", PI, [timing(ms=50.0)])
    bundles.import_bytes(other, bundles.bundle(board)[0], "test", replace=["run-00000001"])
    assert contents(other, "timings", "machines") == contents(board, "timings", "machines") != timings_of_other
    third = with_tasks(Store(tmp_path / "third.duckdb"))
    bundles.import_bytes(third, bundles.bundle(board)[0], "test")
    assert contents(third, "timings", "machines") == contents(board, "timings", "machines")


def test_timings_of_no_run_are_found(board):
    board.write(timings.changes("nobody", PI, [timing()]))
    assert integrity.check(board) == [
        "timings: 1 row(s) belong to no row of runs",
        "machines: 1 row(s) belong to no row of runs",
    ]
