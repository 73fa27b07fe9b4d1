"""Trainings that several processes share: the numbers of one process, one run, one checkpoint, stopped and resumed."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from accelerate.state import AcceleratorState

from db.base.paths import checkpoint_folder
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import InterruptedRunError
from engine.families.classification import classifiers
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer import helpers
from engine.training import run as pipeline
from engine.training.job import Job
from tests import paths
from tests.factories.recipes import content, curves, status, write_recipe
from tests.remote.processes import free_port

STEPS = 5
"""Of an epoch of the toy task: 38 of 48 reviews in batches of 8, in lengths that leave a small batch."""


def _recipe(dropout: float = 0.0) -> Recipe:
    toy = content("toy", epochs=2)
    return loader.validate({**toy, "model": {**toy["model"], "dropout": dropout}}, "toy")


def _together(train: Callable[[], object]) -> None:
    """Run a training in two new processes over gloo, of which the first calls ``train``."""
    port = free_port()
    children = []
    for rank in range(2):
        child = os.fork()
        if child:
            children.append(child)
            continue
        numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "MASTER_PORT": port}
        os.environ |= {"MASTER_ADDR": "127.0.0.1", **{name: str(number) for name, number in numbers.items()}}
        AcceleratorState._reset_state(reset_partial_state=True)
        try:
            if rank:
                helpers.serve()
            else:
                with suppress(InterruptedRunError), helpers.leading():
                    train()
            os._exit(0)
        finally:
            os._exit(1)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]


def _weights(store: Store, run_id: str) -> dict[str, torch.Tensor]:
    return dict(classifiers.load(checkpoint_folder(store.path, run_id)).model.state_dict())


def _runs(store: Store) -> list[str]:
    return list(store.query("SELECT run_id FROM runs WHERE model_id = 'toy' ORDER BY created_at")["run_id"])


def test_two_processes_give_the_numbers_of_one(board: Store, folder: str) -> None:
    """Losses, scores and weights at the same batches agree, and only the first process has written: one more run."""
    job = Job(_recipe(), folder, board)
    alone = pipeline.train(job)
    _together(lambda: pipeline.train(job))
    (shared,) = set(_runs(board)) - {alone}
    assert status(board, shared) == "finished"
    points = curves(board, alone)
    assert [point[:2] for point in curves(board, shared)] == [point[:2] for point in points]
    assert [point[2] for point in curves(board, shared)] == pytest.approx([point[2] for point in points], rel=1e-4)
    expected = _weights(board, alone)
    for name, tensor in _weights(board, shared).items():
        torch.testing.assert_close(tensor, expected[name], rtol=1e-3, atol=1e-5)
    facts = detail.run_detail(board, shared).run
    assert facts["command"].startswith("torchrun --nproc-per-node 2 -m engine train toy --seed")
    assert facts["device"].endswith(", 2 processes")


def test_a_stopped_training_of_two_processes_goes_on(board: Store, folder: str) -> None:
    """Stopped in the second epoch and resumed it ends in the weights of an unbroken one, dropout included."""
    job = Job(_recipe(dropout=0.3), folder, board)
    _together(lambda: pipeline.train(replace(job, should_stop=lambda step: step == STEPS + 2)))
    (run_id,) = _runs(board)
    assert status(board, run_id) == "interrupted"
    _together(lambda: pipeline.train(job.resumed(run_id)))
    _together(lambda: pipeline.train(job))
    (whole,) = set(_runs(board)) - {run_id}
    assert curves(board, run_id) == curves(board, whole)
    expected = _weights(board, whole)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in _weights(board, run_id).items())


@pytest.mark.slow
def test_torchrun_trains_by_the_command(default_board: Store, folder: str, tmp_path: Path) -> None:
    """`torchrun -m engine train` leaves one finished run; a wrong recipe is one line of the first process."""
    recipe = write_recipe(tmp_path / "toy.toml", content("toy", epochs=2))

    def torchrun(*arguments: str) -> "subprocess.CompletedProcess[str]":
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
        environment = {**os.environ, "PYTHONPATH": str(paths.REPO), "OMP_NUM_THREADS": "1"}
        command = [*launcher, "engine", "train", *arguments, "--threads", "1"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    done = torchrun(recipe, "--data", folder)
    assert done.returncode == 0, done.stderr
    assert [status(default_board, run_id) for run_id in _runs(default_board)] == ["finished"]
    wrong = torchrun("nosuch")
    assert wrong.returncode != 0
    assert len([line for line in wrong.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert "engine/" not in wrong.stderr, "no traceback of ours"
