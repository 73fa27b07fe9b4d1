"""Teachers: whose logits, on what data, computed once.

A teacher is a checkpoint. Its logits on a training set are kept under the hash of its weights and of the data, so that
five students of one teacher cost one pass.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from db import runs
from db.paths import cache_folder, runs_folder
from db.store import Store
from engine import checkpoint, device
from engine.checkpoint import Checkpoint
from engine.data import TextSet
from engine.errors import CheckpointError
from engine.evaluate import logits_of
from engine.recipe import Recipe
from engine.tokenizer import encode


@dataclass(frozen=True)
class Teacher:
    """A checkpoint that teaches, and what it is called on the board."""

    name: str
    checkpoint: Checkpoint


def find_run(store: Store, recipe: Recipe, dataset_hash: str) -> str | None:
    """The newest finished run of a teacher's recipe and seed on these data with its checkpoint here, or None."""
    for run_id in runs.finished(store, recipe.digest(), dataset_hash, recipe.seed):
        if (checkpoint_folder(store.path, run_id) / checkpoint.CARD).is_file():
            return run_id
    return None


def checkpoint_folder(database: Path, run_id: str) -> Path:
    """Where a run's checkpoint lies."""
    return runs_folder(database) / run_id / "checkpoint"


def logits(teacher: Teacher, train: TextSet, database: Path, tick: Callable[[], None] = lambda: None) -> torch.Tensor:
    """The teacher's logits on a training set, from the cache or computed with progress shown.

    Returns:
        Shape (examples, labels), float32, in the set's order.

    Raises:
        CheckpointError: A cache file of the right name does not hold these data.
    """
    name = f"{teacher.checkpoint.sha256[:24]}-{train.sha256[:24]}.safetensors"
    file = cache_folder(database) / "teacher" / name
    if file.is_file():
        try:
            kept = load_file(file)["logits"]
        except (SafetensorError, OSError, KeyError) as error:
            raise CheckpointError(f"{file}: cannot be read ({error}). Delete it; it is computed again.") from error
        if kept.shape[0] != len(train):
            raise CheckpointError(
                f"{file}: holds {kept.shape[0]} rows for {len(train)} examples. Delete it; it is computed again."
            )
        return kept
    recipe = teacher.checkpoint.recipe
    encoded = encode(teacher.checkpoint.tokenizer, train.texts, recipe.tokenizer.max_length)
    where = device.best()
    model = teacher.checkpoint.model.to(where)
    computed = logits_of(model, encoded, where=where, label=f"teacher {teacher.name}", tick=tick)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")  # two trainings of one teacher may come here at once
    save_file({"logits": computed}, part)
    part.replace(file)
    return computed
