"""The model that answers where a task is named in place of a model."""

from pathlib import Path

import pytest

from db.base.paths import checkpoint_folder
from db.runs.writer import MetricValue
from db.storage.store import Store
from engine.base.errors import CheckpointError
from engine.inference import loading
from tests.factories.runs import add_run


def _checkpoint(store: Store, task: str, score: float) -> str:
    """A run with a score in the metric of either board, and a folder for its checkpoint."""
    run_id = add_run(store, MetricValue("f1", score, 200), accuracy=score, task_id=task)
    checkpoint_folder(store.path, run_id).mkdir(parents=True)
    return run_id


def test_a_shipped_model_of_the_task_goes_first(tmp_path: Path) -> None:
    """No database is needed for it."""
    best = loading.best_checkpoint(Store(tmp_path / "none.duckdb"), "squad")
    assert (best.folder.name, best.run_id) == ("minilm-squad", None)


def test_the_best_run_whose_checkpoint_is_here_answers(board: Store) -> None:
    """A higher score without a checkpoint on this machine is of no use."""
    add_run(board, accuracy=0.9, task_id="nli-en-mini")
    expected = _checkpoint(board, "nli-en-mini", 0.8)
    _checkpoint(board, "nli-en-mini", 0.7)
    assert loading.best_checkpoint(board, "nli-en-mini").run_id == expected


def test_a_task_without_a_model_takes_one_of_its_kind(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same language, same metric; a full data set before a mini corpus."""
    monkeypatch.setattr(loading, "shipped", list)
    mini = _checkpoint(board, "qa-ko-mini", 0.9)
    assert loading.best_checkpoint(board, "korquad").run_id == mini
    full = _checkpoint(board, "korquad-articles", 0.6)
    assert loading.best_checkpoint(board, "korquad").run_id == full


def test_without_any_model_the_boards_that_were_tried_are_named(board: Store) -> None:
    """And the way to one."""
    with pytest.raises(CheckpointError, match=r"korean-text is on this machine.*korean-text-mini.*list recipes"):
        loading.best_checkpoint(board, "korean-text")


def test_a_task_that_does_not_exist_is_told_with_those_that_do(board: Store) -> None:
    """The message lists them."""
    with pytest.raises(CheckpointError, match=r"There is no task 'korqad'. Tasks: nsmc, "):
        loading.best_checkpoint(board, "korqad")
