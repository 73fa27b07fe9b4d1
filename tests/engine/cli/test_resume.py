"""Trainings that are killed and go on: real processes, real signals."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from db.base.paths import checkpoint_folder, default_database, runs_folder
from db.runs import detail
from db.storage.store import Store
from engine.checkpoints import checkpoint
from engine.families.classification.fit import STATE
from engine.recipes import loader
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate
from tests.engine.cli.conftest import default_store
from tests.factories.command_line import CommandLine
from tests.factories.recipes import REPO, status

pytestmark = [pytest.mark.usefixtures("default_board"), pytest.mark.timeout(1200)]


SHORT = ("train.epochs=6", "train.patience=0")
ARGUMENTS = ["train", "kobilstm-tiny", "--threads", "1", *(part for key in SHORT for part in ("--set", key))]
_OWN = "SELECT run_id FROM runs WHERE source = 'measured' AND task_id = 'reviews-ko-mini'"  # beside the shipped runs
_SAVE_EVERY_EPOCH = """
import runpy, sys
import engine.trainer.loop
engine.trainer.loop.SAVE_EPOCH_EVERY_S = -1.0
sys.argv[0] = "featherboard"
runpy.run_module("engine", run_name="__main__")
"""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, str]:
    """Accuracy and hash of the weights of a run that nothing stops."""
    torch.set_num_threads(1)
    store = Store(tmp_path_factory.mktemp("unbroken") / "b.duckdb")
    run_id = pipeline.train(Job(loader.load("kobilstm-tiny", SHORT, mini=True), None, store))
    return _result(store, run_id)


def _result(store: Store, run_id: str) -> tuple[float, str]:
    metrics = detail.run_detail(store, run_id).metrics.set_index("name")["value"]
    return float(metrics["accuracy"]), checkpoint.sha256(checkpoint_folder(store.path, run_id) / checkpoint.WEIGHTS)


def _start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # killed by conftest.py if the test does not end it
        [sys.executable, *command], cwd=REPO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _wait_for(process: subprocess.Popen[str], ready: Callable[[], Any], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if ready():
            return
        time.sleep(0.005)
    late = "still running; " if process.poll() is None else ""
    process.kill()  # a training that nobody waits for would go on beside the next tests
    err = process.communicate(timeout=120)[1]
    pytest.fail(f"the training was not where it should be interrupted: {late}{err}")


def _files(name: str) -> list[Path]:
    return list(runs_folder(default_database()).glob(f"*/{name}"))


def test_a_killed_training_resumes_to_the_unbroken_result(
    unbroken: tuple[float, str], command_line: CommandLine
) -> None:
    """After kill -9 in the middle, --resume ends with the accuracy and the weights of a run that nothing stopped."""
    process = _start("-c", _SAVE_EVERY_EPOCH, *ARGUMENTS)
    _wait_for(process, lambda: _files(STATE))
    process.kill()
    process.communicate(timeout=120)
    (state,) = _files(STATE)
    run_id = state.parent.name
    assert detail.run_detail(default_store(), run_id).metrics.empty
    done = command_line("train", run_id, "--resume", "--threads", "1")
    assert done.code == 0, done.err
    assert status(default_store(), run_id) == "finished"
    assert _result(default_store(), run_id) == unbroken
    assert detail.run_detail(default_store(), run_id).run["verified"]
    assert not _files(STATE)


@pytest.mark.slow  # test_engine_training.py kills before the first state too, within one process
def test_a_training_killed_before_its_first_state_starts_over(unbroken: tuple[float, str]) -> None:
    """A run that was killed before anything was saved is resumed from the beginning, to the same result."""
    process = _start("-m", "engine", *ARGUMENTS)
    _wait_for(process, lambda: default_store().exists() and _files(checkpoint.TOKENIZER))
    _wait_for(process, lambda: not default_store().query(_OWN).empty)
    process.kill()
    process.communicate(timeout=120)
    assert not _files(STATE)
    (run_id,) = default_store().query(_OWN)["run_id"]
    evaluate.resume(default_store(), run_id, None, 1)
    assert _result(default_store(), run_id) == unbroken


def test_ctrl_c_interrupts_the_run_and_says_how_to_go_on(unbroken: tuple[float, str]) -> None:
    """Ctrl-C ends after the step, keeps the run as interrupted and prints the command that goes on."""
    process = _start("-m", "engine", *ARGUMENTS)
    _wait_for(process, lambda: _files(checkpoint.TOKENIZER))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (1, "")
    assert "Traceback" not in err
    last = err.strip().splitlines()[-1]
    resume = re.fullmatch(r"Error: Stopped; .* Go on with: featherboard train --resume ([0-9a-f]{12})", last)
    assert resume, err
    (state,) = _files(STATE)
    assert state.parent.name.startswith(resume.group(1))
    assert status(default_store(), state.parent.name) == "interrupted"
    evaluate.resume(default_store(), resume.group(1), None, 1)
    assert _result(default_store(), state.parent.name) == unbroken
