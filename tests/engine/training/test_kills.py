"""kill -9 at each step of a small training, not at some time: what was acknowledged is there, and it goes on."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.runs import status as statuses
from db.runs import writer
from db.storage.store import Store
from engine.families.classification import classifiers
from engine.trainer import loop
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate
from tests.factories.recipes import curves, status, toy_recipe

STEPS = 2 * 5  # two epochs of the toy task: 38 of 48 reviews in batches of 8


def _killed(board: Store, folder: str, step: int, *, saves: bool) -> list[tuple[str, int]]:
    """Train in another process that is killed after some step; return the curve points that were acknowledged."""
    reader, pipe = os.pipe()
    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            _acknowledge(patch, pipe)
            if saves:
                patch.setattr(loop, "SAVE_EVERY_S", -1.0)

            def stop(number: int) -> bool:
                if number == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return False

            try:
                pipeline.train(Job(toy_recipe(epochs=2), folder, board, should_stop=stop))
            finally:
                os._exit(1)
    os.close(pipe)
    with os.fdopen(reader) as file:
        points = [(series, int(number)) for series, number in (line.split() for line in file)]
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    return points


def _acknowledge(patch: pytest.MonkeyPatch, pipe: int) -> None:
    """Write each curve point to a pipe once the store has acknowledged it."""
    append: Callable[..., None] = Store.append

    def noted(store: Store, batch: Any) -> None:
        append(store, batch)
        for change in batch:
            if change.table == "curves":
                rows = change.rows if isinstance(change.rows, list) else change.arrow().to_pylist()
                os.write(pipe, "".join(f"{row['series']} {row['step']}\n" for row in rows).encode())

    patch.setattr(Store, "append", noted)
    patch.setattr(writer, "FLUSH_EVERY_S", -1.0)
    patch.setattr(loop, "SHOW_EVERY_S", -1.0)


@pytest.mark.parametrize(
    ("step", "saves"),
    [
        pytest.param(step, saves, marks=() if (step, saves) in {(1, False), (7, True)} else pytest.mark.slow)
        for step in range(1, STEPS + 1)
        for saves in (False, True)
    ],
)
def test_a_killed_training_loses_nothing_and_goes_on(
    board: Store, folder: str, tmp_path: Path, step: int, saves: bool
) -> None:
    """Its acknowledged points are stored, it is shown as interrupted, and it ends in the unbroken run's weights."""
    acknowledged = _killed(board, folder, step, saves=saves)
    (run_id,) = board.query("SELECT run_id FROM runs WHERE model_id = 'toy'")["run_id"]
    stored = [(series, number) for series, number, _ in curves(board, run_id)]
    assert [number for series, number in acknowledged if series == "train_loss"] == list(range(1, step + 1))
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    assert statuses.mark_dead(board) == [run_id]
    assert status(board, run_id) == "interrupted"
    evaluate.resume(board, run_id, folder, 1)
    whole = pipeline.train(Job(toy_recipe("whole", epochs=2), folder, board))
    weights = [classifiers.load(checkpoint_folder(board.path, run)).sha256 for run in (run_id, whole)]
    assert weights[0] == weights[1]
    assert curves(board, run_id) == curves(board, whole)
    assert status(board, run_id) == "finished"
    assert integrity.check(board) == []
