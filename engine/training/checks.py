"""What is refused before a training begins, and not after hours of it."""

import json
from typing import TYPE_CHECKING

from db.registry import tasks
from engine.base.errors import RecipeError
from engine.data import tokenizer
from engine.data.sources import SOURCES
from engine.families.span_qa.sources import of_task
from engine.networks.sources import MADE_HERE
from engine.recipes import loader
from engine.recipes.schema import (
    BiLSTMConfig,
    CNNConfig,
    EnsembleConfig,
    HiddenWordsConfig,
    NgramConfig,
    PretrainedConfig,
    Recipe,
    SpanConfig,
)

if TYPE_CHECKING:
    from engine.training.job import Job

TEXT_TASKS = tuple(task.task_id for task in tasks.TASKS if task.data and task.data.kind == "text")
"""Boards of networks that name hidden words."""


def check(job: "Job") -> None:
    """Refuse a job that could only fail, or that would change what other runs of the board show.

    Raises:
        RecipeError: Names the key.
    """
    wanted = job.recipe
    if isinstance(wanted.model, SpanConfig):
        of_task(job.task_id)
        if wanted.pretrain or wanted.data.add:
            raise RecipeError(f"{wanted.name}: pretrain and data.add are for classifiers.")
        _adapted(wanted.model, wanted)
        teaching(job)
        check_listed(job)
        return
    if isinstance(wanted.model, HiddenWordsConfig):
        _reading(job)
        check_listed(job)
        return
    if job.task_id not in SOURCES:
        raise RecipeError(f"task {job.task_id}: model.kind = {wanted.model.kind!r} is for {', '.join(SOURCES)}.")
    _networks_only(wanted, pairs=len(SOURCES[job.task_id].texts) == 2)
    labels = SOURCES[job.task_id].num_labels
    if wanted.num_labels != labels:
        raise RecipeError(f"model.num_labels = {wanted.num_labels}: the task {job.task_id} has {labels} labels.")
    if wanted.distill and isinstance(wanted.model, NgramConfig | EnsembleConfig):
        raise RecipeError(f"distill: model.kind = {wanted.model.kind!r} learns from labels alone.")
    if isinstance(wanted.model, BiLSTMConfig | CNNConfig):
        tokenizer.check(wanted.model.vocab_size, wanted.tokenizer)
    teaching(job)
    check_listed(job)


def _networks_only(wanted: Recipe, *, pairs: bool) -> None:
    """Refuse keys that this kind of classifier, or this kind of task, cannot mean."""
    kind = wanted.model.kind
    if wanted.adapter and not isinstance(wanted.model, PretrainedConfig):
        raise RecipeError(f"adapter: it is for model.kind = 'span' and 'pretrained', and this is {kind!r}.")
    if isinstance(wanted.model, PretrainedConfig):
        _adapted(wanted.model, wanted)
    if wanted.data.hide and not pairs:
        raise RecipeError(f"data.hide = {wanted.data.hide!r}: the task has no pairs of texts.")
    if wanted.data.hide and isinstance(wanted.model, NgramConfig | EnsembleConfig):
        raise RecipeError(f"data.hide: model.kind = {kind!r} reads whole examples; it is for networks.")


def _adapted(model: SpanConfig | PretrainedConfig, wanted: Recipe) -> None:
    # An adapter's checkpoint holds no encoder: it must be had again wherever the adapter is used.
    if wanted.adapter and (model.init == "random" or model.source.startswith(MADE_HERE)):
        found = (
            "one of random weights" if model.init == "random" else f"{model.source}, which is on this machine alone,"
        )
        raise RecipeError(f"adapter: it is kept without its encoder, and {found} cannot be had again elsewhere.")


def _reading(job: "Job") -> None:
    wanted, kind = job.recipe, job.recipe.model.kind
    if job.task_id not in TEXT_TASKS:
        raise RecipeError(f"task {job.task_id}: model.kind = {kind!r} is for {', '.join(TEXT_TASKS)}.")
    for section in ("distill", "pretrain", "adapter"):
        if getattr(wanted, section) is not None:
            raise RecipeError(f"{wanted.name}: the section {section} does not belong to model.kind = {kind!r}.")
    if wanted.text and wanted.text.next_sentence and kind != "bert":
        raise RecipeError(f"text.next_sentence: model.kind = 'bert' learns it; this is {kind!r}.")


def check_listed(job: "Job") -> None:
    """Refuse a model of another shape under a name that the board knows.

    Raises:
        RecipeError: Names the key that differs.
    """
    wanted = job.recipe
    if not job.store.exists():
        return
    rows = job.store.query("SELECT config FROM models WHERE model_id = ?", [wanted.listed_as])
    listed = json.loads(rows["config"].iloc[0]) if len(rows) else {}
    here = listed_config(wanted)
    other = [key for key in here if key in listed and listed[key] != here[key]]
    if other:
        raise RecipeError(
            f"model.{other[0]} = {here[other[0]]}: the board lists {wanted.listed_as} with {listed[other[0]]}. Give "
            f"another model a name of its own, for example --set {'model_id' if wanted.model_id else 'name'}=my-model "
            "--set label='My model'."
        )


def listed_config(wanted: Recipe) -> dict[str, object]:
    """What the board lists of a model's shape; another shape needs another name."""
    return wanted.model.model_dump(mode="json", exclude={"kind", "dropout"})


def teaching(job: "Job") -> tuple[Recipe, tuple[str, ...]] | None:
    """The recipe of the teacher, and what is changed in it; None where there is none.

    A teacher learns from what its student learns from, unless its recipe adds reviews of its own.

    Raises:
        RecipeError: There is no such recipe, it is for another task, or it would wait for its own student.
    """
    wish = job.recipe.distill
    if wish is None:
        return None
    mini = job.data is None
    wanted = loader.load(wish.teacher, seed=wish.teacher_seed, mini=mini)
    overrides: tuple[str, ...] = ()
    if not wanted.data.add and job.recipe.data.add and not mini:
        overrides = (f"data.add={json.dumps(list(job.recipe.data.add))}",)
        wanted = loader.load(wish.teacher, overrides, wish.teacher_seed, mini=mini)
    taught = wanted.mini_task if mini else wanted.task
    if taught != job.task_id or wanted.name in (*job.pupils, job.recipe.name):
        raise RecipeError(f"distill.teacher = {wish.teacher!r}: it must be another recipe for the task {job.task_id}.")
    return wanted, overrides
