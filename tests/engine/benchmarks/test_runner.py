"""`featherboard bench`: options, rounds, results on the board, failures and limits."""

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import psutil
import pytest
from typer.testing import CliRunner

from db.base.paths import cache_folder
from db.bootstrap import integrity
from db.bootstrap.create import initialise
from db.runs import bundles, timings
from db.runs import detail as queries
from db.storage.store import Store
from engine.benchmarks import host, options, process, runner
from engine.benchmarks.options import BenchOptions
from engine.cli.app import app, main
from engine.networks import quantization

OPTIONS = BenchOptions(lengths=(32, 384), threads=(1,), precisions=("float32",), repeats=2, rounds=2)


def run(store: Store, *names: str, settings: BenchOptions = OPTIONS):
    return runner.bench(store, [f"arch:{name}" for name in names], settings, "featherboard bench", "A test machine")


def fail(monkeypatch, turn: str, kind: str) -> None:
    """Let the fake worker fail at the turn of a model; see ``conftest.FAKE``."""
    monkeypatch.setenv("FAKE_FAILURE", turn)
    monkeypatch.setenv("FAKE_KIND", kind)


def test_models_take_turns_so_that_drift_hits_all_alike(store, fake):
    run(store, "bert-base", "distilbert")
    turns = [line for line in fake.read_text().splitlines() if not line.startswith("make")]
    assert turns == ["architecture bert-base float32", "architecture distilbert float32"] * 2


def test_a_bench_is_one_finished_run_a_model_with_timings_machine_and_figures(store, fake):
    outcome = run(store, "bert-base", "distilbert")
    assert len(outcome.run_ids) == 2
    detail = queries.run_detail(store, outcome.run_ids[0])
    facts = [detail.run[name] for name in ("status", "source", "device", "caveat")]
    assert facts == ["finished", "measured", "A test machine", None]
    assert dict(zip(detail.metrics["name"], detail.metrics["value"], strict=True)) == pytest.approx(
        {
            "checkpoint_bytes": 4000,
            "load_seconds": 1.5,
            "peak_memory_bytes": 1e8,
            "latency_ms_p50": 768,
            "latency_ms_p95": 768,
            "latency_ms_p99": 768,
            "questions_per_s": 1000 / 768,
            "latency_threads": 1,
            "latency_load": 0.5,
        }
    )
    rows = timings.of_run(store, outcome.run_ids[0])
    assert rows[["tokens", "calls", "p50_ms", "celsius", "clock_mhz"]].to_numpy().tolist() == [
        [32, 4, 64.0, 50.0, 2400.0],
        [384, 4, 768.0, 50.0, 2400.0],
    ]
    measured = timings.measured(store)
    assert set(measured["machine"]) == {"A test machine"}
    assert json.loads(measured["facts"].iloc[0])["limit"] is None
    assert not integrity.check(store)


def test_a_model_that_documents_report_is_the_same_model_here(store, fake):
    run(store, "bert-base")
    assert store.query("SELECT params FROM models WHERE model_id = 'bert-base'")["params"].tolist() == [109_482_240]


def test_random_weights_are_deleted_at_the_end(store, fake):
    run(store, "bert-base")
    assert not (cache_folder(store.path) / "bench").exists()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("refuse", "It cannot be done."),
        ("memory", "It does not fit this machine"),
        ("kill", "It does not fit this machine"),
        ("crash", "its last output: a last word"),
        ("half", "ended with 3; its last output: nothing"),
    ],
)
def test_a_model_that_fails_is_reported_and_the_others_go_on(store, fake, monkeypatch, capfd, kind, message):
    fail(monkeypatch, "bert-base 1", kind)
    outcome = run(store, "bert-base", "distilbert")
    assert message in str(outcome.results[0].error)
    assert message in " ".join(capfd.readouterr().err.split())
    assert fake.read_text().count("architecture bert-base") == 1, "it has no second turn"
    assert outcome.results[1].error is None
    assert len(outcome.results[1].peaks) == 2


def test_what_was_measured_before_a_failure_stays_with_a_caveat(store, fake, monkeypatch):
    fail(monkeypatch, "bert-base 2", "crash")
    outcome = run(store, "bert-base")
    caveat = queries.run_detail(store, outcome.run_ids[0]).run["caveat"]
    assert caveat.startswith("1 of 2 rounds were measured to their end. Its process ended with 1")
    assert timings.of_run(store, outcome.run_ids[0])["calls"].tolist() == [4, 2]


def test_a_model_over_the_memory_limit_is_ended_and_reported(store, fake, monkeypatch):
    fail(monkeypatch, "bert-base 1", "eat")
    start = time.monotonic()
    settings = BenchOptions((32,), (1,), ("float32",), 2, 1, memory=150 * 2**20)
    outcome = run(store, "distilbert", "bert-base", settings=settings)
    assert time.monotonic() - start < 20
    assert outcome.results[0].error is None, "the one that fits was measured"
    assert outcome.results[1].error == (
        "It does not fit 150M of memory. Raise --limit-memory, or use --precision int8."
    )


def test_ctrl_c_keeps_what_was_measured_and_ends_the_worker(store, fake, monkeypatch):
    fail(monkeypatch, "distilbert 1", "interrupt")
    start = time.monotonic()
    outcome = run(store, "bert-base", "distilbert")
    assert outcome.stopped
    assert time.monotonic() - start < 20, "the worker was not waited for"
    done, cut = outcome.run_ids
    assert len(timings.of_run(store, done)) == 2
    assert len(timings.of_run(store, cut)) == 1
    assert queries.run_detail(store, done).run["status"] == "finished"
    assert queries.run_detail(store, cut).run["caveat"] == "0 of 2 rounds were measured to their end. Stopped by hand."


def test_the_end_of_the_parent_is_the_end_of_its_worker(tmp_path):
    parent = (
        "import subprocess, sys, time\n"
        "from multiprocessing import Pipe\n"
        "connection, remote = Pipe()\n"
        "code = 'from engine.benchmarks import worker as w; w._exit_with_parent(w.Connection(int(w.sys.argv[1])))'\n"
        "command = [sys.executable, '-c', code, str(remote.fileno())]\n"
        "worker = subprocess.Popen(command, pass_fds=[remote.fileno()], start_new_session=True)\n"
        "remote.close()\n"
        "print(worker.pid, flush=True)\ntime.sleep(60)"
    )
    owner = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    worker = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    for _ in range(200):
        if not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


def test_a_bundle_shows_the_machine_on_another_board(store, fake, tmp_path):
    outcome = run(store, "bert-base", "distilbert")
    assert bundles.export_runs(store, tmp_path / "pi.zip", outcome.run_ids) == 2
    other = Store(tmp_path / "other.duckdb")
    initialise(other)
    assert bundles.import_runs(other, tmp_path / "pi.zip").added == 2
    pd.testing.assert_frame_equal(timings.measured(other), timings.measured(store))


def test_without_a_measurement_there_is_no_bundle(store, fake, monkeypatch, tmp_path):
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    monkeypatch.setattr(process, "run", lambda job, take: "It cannot be done.")
    bundle = tmp_path / "pi.zip"
    done = CliRunner().invoke(app, ["bench", "--models", "arch:bert-base", "--output", str(bundle)])
    assert done.exit_code == 1
    assert not bundle.exists()


def test_a_busy_machine_is_a_warning_and_a_caveat(store, fake, monkeypatch):
    monkeypatch.setattr(host, "busy_share", lambda: 0.6)
    outcome = run(store, "bert-base")
    assert "busy with other work (up to 60% of its cores)" in outcome.warning
    assert "busy with other work" in queries.run_detail(store, outcome.run_ids[0]).run["caveat"]


def test_the_command_prints_a_table_and_what_to_type_on_the_other_board(store, fake, monkeypatch, tmp_path):
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    bundle = tmp_path / "pi.zip"
    options = "--models arch:bert-base --lengths 32,384 --threads 1 --precision float32 --repeats 2 --rounds 1"
    named = ["--output", str(bundle), "--device-name", "Raspberry Pi 5, 8 GB"]
    done = CliRunner().invoke(app, ["bench", *options.split(), *named])
    assert done.exit_code == 0, done.output
    output = " ".join(done.output.split())
    assert "bert-base, float32 1 64 ms 768 ms 100 MB 1.5 s" in output
    assert "featherboard db import pi.zip" in output
    assert bundle.is_file()
    command = store.query("SELECT command FROM runs WHERE recipe = 'bench'")["command"].iloc[0]
    assert command == f"featherboard bench {options} --batch 1 --device-name 'Raspberry Pi 5, 8 GB'"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--models", "arch:gpt-9"], "there are arch:bert-base"),
        (["--models", "nowhere"], "There is no model 'nowhere'"),
        (["--models", " , "], "--models is empty"),
        (["--lengths", "513"], "arch:bert-base has 512 positions, so it cannot read 513 tokens"),
        (["--lengths", "0"], "--lengths: '0' is not a whole number"),
        (["--lengths", "12,x"], "--lengths: 'x' is not a whole number"),
        (["--lengths", "٣"], "is not a whole number"),
        (["--threads", "4000"], "would only wait"),
        (["--precision", "int4"], "there is no 'int4'; there are float32, bfloat16, int8"),
        (["--limit-memory", "lots"], "'lots' is not a size"),
        (["--limit-memory", "1M"], "too little for any process"),
        (["--output", "/"], "is a folder"),
    ],
)
def test_impossible_options_are_refused_before_anything_is_measured(
    store, fake, monkeypatch, capsys, arguments, message
):
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    monkeypatch.setattr(sys, "argv", ["featherboard", "bench", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    error = " ".join(capsys.readouterr().err.split())
    assert error.startswith("Error: ")
    assert message in error
    assert not fake.exists()
    assert timings.measured(store).empty


def test_the_names_of_precisions_are_those_of_the_engine():
    assert options.PRECISIONS == quantization.PRECISIONS


def test_the_worker_imports_little_of_its_own():
    code = "import sys, engine.benchmarks.worker; print({'pandas', 'duckdb', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_real_worker_measures_a_real_model(store, monkeypatch):
    """From random weights in a file to figures, in a process of its own; no fake in between."""
    monkeypatch.setattr(host, "busy_share", lambda: 0.0)
    settings = BenchOptions(lengths=(8,), threads=(1,), precisions=("float32",), repeats=3, rounds=1)
    (result,) = run(store, "bert-tiny", settings=settings).results
    assert result.error is None
    assert result.loaded[0].params == 4_369_666
    assert result.loaded[0].bytes == pytest.approx(4 * 4_369_666, rel=0.01)
    assert len(result.points[1, 8][0].times_ms) == 3
    assert 150e6 < result.peaks[0] < 900e6
