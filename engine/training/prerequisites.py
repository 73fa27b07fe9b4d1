"""What a training starts from: its teacher, the encoder of its first weights, and how they must be trained."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.base.errors import DataError, RecipeError
from engine.checkpoints import checkpoint
from engine.checkpoints.shipped import SHIPPED, shipped, shipped_folder
from engine.networks.sources import DISTILLED, PRETRAINED
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training.job import Job

HEADED = "masked-lm:"
"""Before the name of the recipe that fits a head on the teacher of a student."""

SPLIT_KEYS = ("files", "columns", "document", "rows", "held")
"""What decides which documents are scored; a teacher must not have read those of its student."""

_MADE_BY = {DISTILLED: ("student", "distill"), PRETRAINED: ("bert", "pretrain"), HEADED: ("masked-lm", "train")}


@dataclass(frozen=True)
class Prerequisite:
    """A recipe that another one cannot be trained without.

    Attributes:
        role: The teacher whose logits are learned from, or the source of the first weights.
        recipe: The recipe.
        name: What names it on the command line.
        overrides: What is changed in it.
        any_text: A finished run counts whatever text it read.
        vocabulary_only: Its shape and vocabulary are needed, not its weights.
        folder: The checkpoint that comes with the package; None: it is trained.
    """

    role: Literal["teacher", "source"]
    recipe: Recipe
    name: str
    overrides: tuple[str, ...] = ()
    any_text: bool = False
    vocabulary_only: bool = False
    folder: Path | None = None


def with_text(load: Callable[[], object], needed: Prerequisite, job: Job) -> None:
    """Load the text of a pretraining for a fine-tuning whose own data may hold none.

    Raises:
        DataError: They hold none; the message says what to do first.
    """
    name, seed = needed.name, needed.recipe.seed
    sets = "".join(f" --set {override}" for override in needed.overrides)
    try:
        load()
    except DataError as error:
        if needed.vocabulary_only:
            raise DataError(
                f"{job.recipe.name} takes the vocabulary of {name}, which was not learned here yet, and the data of "
                f"this run hold no text for it ({error}) Learn it first: featherboard pretrain {name} --data DIR "
                f"--vocabulary-only{sets}."
            ) from None
        command = next(command for kind, command in _MADE_BY.values() if kind == needed.recipe.model.kind)
        raise DataError(
            f"{job.recipe.name} starts from {name}, of which no run was made here yet, and the data of this run hold "
            f"no text for it ({error}) Make it first: featherboard {command} {name} --seed {seed} --data DIR{sets}."
        ) from None


def prerequisites(job: Job) -> Iterator[Prerequisite]:
    """Yield the recipes that a job cannot be trained without.

    Raises:
        RecipeError: There is no such recipe, or it makes something else.
    """
    teacher = teacher_of(job)
    if teacher is not None:
        yield teacher
    source = str(getattr(job.recipe.model, "source", ""))
    prefix = next((prefix for prefix in _MADE_BY if source.startswith(prefix)), None)
    if prefix is None or (prefix == HEADED and job.recipe.model.kind != "student"):
        return
    name, mini = source.removeprefix(prefix), job.data is None
    kind, _ = _MADE_BY[prefix]
    if prefix == HEADED:
        yield _head(job, name)
        return
    overrides = _held_out_alike(job.recipe, name, mini=mini)
    source_seed = getattr(job.recipe.model, "source_seed", None)
    recipe = loader.load(name, overrides, job.recipe.seed if source_seed is None else source_seed, mini=mini)
    if recipe.model.kind != kind:
        raise RecipeError(f"model.source = '{source}': it must be a recipe of model.kind = {kind!r}.")
    random = prefix == PRETRAINED and getattr(job.recipe.model, "init", "") == "random"
    yield Prerequisite("source", recipe, name, overrides, any_text=not random, vocabulary_only=random)


def teacher_of(job: Job) -> Prerequisite | None:
    """The teacher of a distillation: it learns from what its student learns from, unless it adds reviews of its own."""
    settings = job.recipe.distill
    if settings is None:
        return None
    mini = job.data is None
    if settings.teacher.startswith(SHIPPED):
        return _shipped_teacher(job, settings.teacher)
    overrides = _held_out_alike(job.recipe, settings.teacher, mini=mini, teaches=True)
    recipe = loader.load(settings.teacher, overrides, settings.teacher_seed, mini=mini)
    if not recipe.data.add and job.recipe.data.add and not mini:
        overrides += (f"data.add={json.dumps(list(job.recipe.data.add))}",)
        recipe = loader.load(settings.teacher, overrides, settings.teacher_seed, mini=mini)
    if (recipe.mini_task if mini else recipe.task) != job.task_id or recipe.name == job.recipe.name:
        raise RecipeError(
            f"distill.teacher = {settings.teacher!r}: it must be another recipe for the task {job.task_id}."
        )
    return Prerequisite("teacher", recipe, settings.teacher, overrides)


def _shipped_teacher(job: Job, named: str) -> Prerequisite:
    """A teacher that comes with the package, whatever it held out when it was trained."""
    folder = shipped_folder(named.removeprefix(SHIPPED))
    if folder is None:
        raise RecipeError(f"distill.teacher = {named!r}: the package has {', '.join(shipped())}.")
    recipe = checkpoint.read_card(folder).recipe
    if job.task_id not in {recipe.task, recipe.mini_task}:
        raise RecipeError(f"distill.teacher = {named!r}: it was made for {recipe.task}, and not for {job.task_id}.")
    return Prerequisite("teacher", recipe, named, folder=folder)


def _held_out_alike(recipe: Recipe, name: str, *, mini: bool, teaches: bool = False) -> tuple[str, ...]:
    """List what must change in a recipe so that it holds out what the recipe that starts from it does.

    Args:
        recipe: The recipe that starts from it.
        name: Of the other.
        mini: As for ``loader.load``.
        teaches: It must not learn from a text that its student holds out.
    """
    own, other = recipe.train, loader.load(name, mini=mini).train
    overrides = [] if own.held_out == other.held_out else [f"train.held_out={own.held_out}"]
    # The texts of a smaller fraction are among those of a larger one.
    if teaches and own.held_out == "text" and other.validation_fraction < own.validation_fraction:
        overrides.append(f"train.validation_fraction={own.validation_fraction}")
    return tuple(overrides)


def _head(job: Job, name: str) -> Prerequisite:
    """The recipe that fits a head on a student's teacher, reading the split that the student reads."""
    recipe, mini = job.recipe, job.data is None
    seed = recipe.triple.teacher_seed if recipe.triple else 0
    teacher = loader.load(name, seed=seed, mini=mini)
    own, theirs = recipe.text, teacher.text
    overrides = _held_out_alike(recipe, name, mini=mini, teaches=True) + tuple(
        f"text.{key}={json.dumps(getattr(own, key))}"
        for key in SPLIT_KEYS
        if own and theirs and getattr(own, key) != getattr(theirs, key)
    )
    teacher = loader.load(name, overrides, seed, mini=mini)
    if teacher.model.kind != "masked-lm" or (teacher.mini_task if mini else teacher.task) != job.task_id:
        raise RecipeError(
            f"model.source = '{HEADED}{name}': it must be a recipe of model.kind = 'masked-lm' for {job.task_id}."
        )
    return Prerequisite("source", teacher, name, overrides)
