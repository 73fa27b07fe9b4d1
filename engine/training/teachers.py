"""Teachers: whose logits, on what data, computed once.

A teacher is a checkpoint. Its logits on a set of texts are kept under the hash of its weights and of the texts, so that
twelve students of one teacher cost one pass.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from db.base.atomic import atomic_write
from db.base.paths import cache_folder, runs_folder
from db.runs import writer
from db.storage.store import Store
from engine.base.errors import CheckpointError, RecipeError
from engine.base.progress import say
from engine.checkpoints import checkpoint
from engine.data.corpora import TextSet
from engine.families.classification import ensemble
from engine.families.classification.classifier import Classifier, fastest
from engine.recipes.loader import Recipe, load
from engine.recipes.schema import EnsembleConfig
from engine.training.job import Job


@dataclass(frozen=True)
class Teacher:
    """A classifier that teaches, and what it is called on the board."""

    name: str
    classifier: Classifier


def find_run(store: Store, recipe: Recipe, dataset_hash: str, *, mini: bool) -> str | None:
    """The newest finished run of a teacher's recipe and seed on these data with its checkpoint here, or None.

    An ensemble names its members; one whose members' recipes have changed since is not the teacher that is meant.
    """
    for run_id in writer.finished(store, recipe.digest(), dataset_hash, recipe.seed):
        folder = checkpoint_folder(store.path, run_id)
        if (folder / checkpoint.CARD).is_file() and _members_stand(folder, recipe, mini):
            return run_id
    return None


def _members_stand(folder: Path, recipe: Recipe, mini: bool) -> bool:
    if not isinstance(recipe.model, EnsembleConfig):
        return True
    wanted = [load(name, mini=mini).digest() for name in recipe.model.members]
    there = [checkpoint.read_card(place).recipe.digest() for place in ensemble.places(folder)]
    return there == [digest for digest in wanted for _ in range(recipe.model.folds)]


def interrupted_run(store: Store, recipe: Recipe, dataset_hash: str) -> str | None:
    """The newest interrupted run of a teacher's recipe and seed on these data that began here, or None."""
    for run_id, status in writer.alike(store, recipe.digest(), dataset_hash, recipe.seed):
        if status == "interrupted" and checkpoint_folder(store.path, run_id).parent.is_dir():
            return run_id
    return None


def ensure(
    job: Job,
    wanted: Recipe,
    dataset_hash: str,
    train: Callable[[Job], str],
    *,
    asked: str,
    overrides: tuple[str, ...] = (),
) -> str:
    """The finished run of a recipe that a job cannot begin without; it is trained first where there is none.

    Args:
        job: What waits for it.
        wanted: The recipe.
        dataset_hash: Of its data.
        train: ``engine.training.run.train``.
        asked: What names the recipe on the command line.
        overrides: What is changed in it.

    Returns:
        The run's id.

    Raises:
        RecipeError: It would wait for what waits for it.
    """
    pupils = (*job.pupils, job.recipe.name)
    if wanted.name in pupils:
        raise RecipeError(f"{job.recipe.name}: it would wait for itself: {' -> '.join((*pupils, wanted.name))}.")
    known = job.store.exists()
    found = find_run(job.store, wanted, dataset_hash, mini=job.data is None) if known else None
    if found is not None:
        return found
    say(f"{job.recipe.name} needs {wanted.name} first.")
    begun = interrupted_run(job.store, wanted, dataset_hash) if known else None
    return train(Job(wanted, job.data, job.store, overrides, asked, job.threads, begun, pupils, job.should_stop))


def checkpoint_folder(database: Path, run_id: str) -> Path:
    """Where a run's checkpoint lies."""
    return runs_folder(database) / run_id / "checkpoint"


def logits(teacher: Teacher, texts: TextSet, database: Path, tick: Callable[[], None] = lambda: None) -> torch.Tensor:
    """The teacher's logits on a set of texts, from the cache or computed with progress shown.

    A teacher that was trained on the set by folds gives each example the logits of the parts that had not seen it.

    Returns:
        Shape (texts, labels), float32, in the set's order; every row has the mean 0, which changes no probability.

    Raises:
        CheckpointError: A cache file of the right name does not hold these texts.
    """
    own = teacher.classifier.own_logits(texts.sha256)
    if own is not None:
        return _centred(own)
    file = _cache_file(teacher, texts, database)
    if file.is_file():
        return _kept(file, teacher, texts)
    computed = _centred(fastest(teacher.classifier).logits(texts.texts, f"teacher {teacher.name}", tick))
    with atomic_write(file) as part:
        save_file({"logits": computed}, part, metadata=_facts(teacher, texts))
    return computed


def _cache_file(teacher: Teacher, texts: TextSet, database: Path) -> Path:
    name = f"{teacher.classifier.sha256[:24]}-{texts.sha256[:24]}.safetensors"
    return cache_folder(database) / "teacher" / name


def _facts(teacher: Teacher, texts: TextSet) -> dict[str, str]:
    return {"teacher": teacher.classifier.sha256, "texts": texts.sha256}


def _kept(file: Path, teacher: Teacher, texts: TextSet) -> torch.Tensor:
    try:
        with safe_open(file, "pt") as opened:
            facts, kept = opened.metadata() or {}, opened.get_tensor("logits")
    except (SafetensorError, OSError, KeyError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error}). Delete it; it is computed again.") from error
    if facts != _facts(teacher, texts):
        raise CheckpointError(f"{file}: made by another teacher or for other texts. Delete it; it is computed again.")
    if kept.shape[0] != len(texts):
        raise CheckpointError(
            f"{file}: holds {kept.shape[0]} rows for {len(texts)} examples. Delete it; it is computed again."
        )
    return torch.as_tensor(kept)


def _centred(logits: torch.Tensor) -> torch.Tensor:
    return logits - logits.mean(dim=-1, keepdim=True)
