"""Commands that train, evaluate and publish; ``distill`` and ``pretrain`` train one kind of model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from db.base.errors import FeatherboardError
from db.registry import formats, tasks
from db.registry.metrics import known
from engine.base.errors import RecipeError
from engine.cli.options import (
    DataOption,
    SeedOption,
    ThreadsOption,
    delivering,
    need_engine,
    open_store,
    out,
    ready_store,
)
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import ADDITIONS

SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
]


def train(
    name: Annotated[
        str, typer.Argument(metavar="RECIPE", help="A shipped recipe, or a .toml file; with --resume: a run.")
    ],
    data: DataOption = None,
    seed: SeedOption = None,
    task: Annotated[str, typer.Option(help="Another board than the recipe's, such as one of `task new`.")] = "",
    overrides: SetOption = None,
    threads: ThreadsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the interrupted run of that id.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first bad row of the data; otherwise it is left out and told.")
    ] = False,
) -> None:
    """Train a recipe, evaluate it on the test split and put the run on the board.

    Ctrl-C stops after the current step and leaves a run that --resume goes on with.
    """
    need_engine()
    from engine.workflows import evaluate as jobs  # noqa: PLC0415 - imports torch

    store = ready_store()
    if resume:
        with delivering(store):
            jobs.resume(store, name, data, threads)
        return
    if task:
        data = data or own_corpus(task)
        overrides = [*(overrides or ()), *_task_overrides(loader.load(name, overrides or (), seed), task)]
    recipe = loader.load(name, overrides or (), seed, mini=data is None)
    with delivering(store):
        jobs.train(store, recipe, data, tuple(overrides or ()), threads, name, strict=strict)


def own_corpus(task_id: str) -> str:
    """Return the folder with the data of a task that holds its own.

    Raises:
        FeatherboardError: There is no such task, or its data are elsewhere.
    """
    if task_id not in tasks.task_ids():
        raise FeatherboardError(f"There is no task {task_id!r}; `featherboard task list` shows them.")
    data = tasks.by_id(task_id).data
    if data is None or data.corpus is None:
        raise FeatherboardError(f"The data of {task_id} do not come with it; name their folder with --data.")
    return str(tasks.corpus_folder(data.corpus))


def _task_overrides(recipe: Recipe, task_id: str) -> list[str]:
    """List what a recipe must change for another task: its board, and unlabelled texts where the task has none."""
    data = tasks.by_id(task_id).data
    has_unlabelled = data is not None and data.kind == "classification" and bool(data.unlabelled)
    sections = [name for name in ("pretrain", "distill") if getattr(getattr(recipe, name, None), "unlabelled", False)]
    return [f"task={task_id}", *(f"{name}.unlabelled=false" for name in sections if not has_unlabelled)]


def distill(
    name: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe of a student, or a .toml file.")],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: SetOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Distil a student from its teacher by DistilBERT's triple loss, on the text of a folder.

    The teacher's head is fitted first where it is missing. A fine-tuning starts from the student when its recipe says
    model.source = "distilled:RECIPE". Ctrl-C leaves a run that `featherboard train --resume` goes on with.
    """
    _train_kind("student", "has no student to distil", name, data, seed, overrides or (), threads)


def pretrain(
    name: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe of a BERT, or a .toml file.")],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: SetOption = None,
    threads: ThreadsOption = None,
    vocabulary_only: Annotated[
        bool, typer.Option("--vocabulary-only", help="Learn the vocabulary and stop: for models without pretraining.")
    ] = False,
) -> None:
    """Pretrain a BERT from random weights on the text of a folder: masked tokens and, if the recipe says so, pairs.

    Its vocabulary is learned from the text first. A fine-tuning starts from the run when its recipe says model.source =
    "pretrained:RECIPE". Ctrl-C leaves a run that `featherboard train --resume` goes on with.
    """
    _train_kind("bert", "has no BERT to pretrain", name, data, seed, overrides or (), threads, vocabulary_only)


def _train_kind(
    kind: str,
    lack: str,
    name: str,
    data: str | None,
    seed: int | None,
    overrides: Sequence[str],
    threads: int | None,
    vocabulary_only: bool = False,
) -> None:
    recipe = loader.load(name, overrides, seed, mini=data is None)
    if recipe.model.kind != kind:
        raise RecipeError(
            f"{name}: it {lack} (model.kind = {recipe.model.kind!r}). Such a recipe is trained with: featherboard "
            f"train {name}"
        )
    need_engine()
    from engine.workflows import evaluate as jobs  # noqa: PLC0415 - imports torch

    if vocabulary_only:
        jobs.learn_vocabulary(ready_store(), recipe, data)
    else:
        store = ready_store()
        with delivering(store):
            jobs.train(store, recipe, data, tuple(overrides), threads, name)


def evaluate(
    target: Annotated[str, typer.Argument(metavar="RUN|FOLDER", help="A run's id, or a checkpoint's folder.")],
    data: DataOption = None,
    threads: ThreadsOption = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Replace the run's size and timings by those measured now (on a quiet machine)."),
    ] = False,
    only_timings: Annotated[
        bool, typer.Option("--only-timings", help="Time the checkpoint without scoring the whole test split.")
    ] = False,
    reviews: Annotated[
        str | None, typer.Option("--on", help=f"Score on another data set in the data folder: {', '.join(ADDITIONS)}.")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Score a classifier, as it is, on another task with the same labels.")
    ] = None,
) -> None:
    """Score a checkpoint on the test split again, and time it; for a run, say whether its figures are reproduced.

    With --task, score it on another task's test split and put the run on that board. With --on, score it on a data set
    that recipes may add to a training split; nothing is stored.
    """
    if task is not None and (keep or only_timings or reviews is not None):
        raise typer.BadParameter("--task scores on another board; it goes with --data and --threads alone.")
    if task is not None and task not in tasks.task_ids():
        raise typer.BadParameter(f"there is no task {task!r}; there are {', '.join(tasks.task_ids())}.")
    if reviews is not None and (data is None or data == "hub" or keep or only_timings):
        raise typer.BadParameter("--on needs the folder of the data set as --data, and keeps nothing.")
    need_engine()
    from engine.workflows import evaluate as jobs  # noqa: PLC0415 - imports torch
    from engine.workflows import transfer  # noqa: PLC0415 - likewise

    if task is not None:
        transfer.evaluate(ready_store(), target, task, data, threads)
    elif reviews is not None and data is not None:
        jobs.evaluate_on(open_store(), target, data, reviews, threads)
    else:
        jobs.evaluate(open_store(), target, data, threads, keep=keep, scored=not only_timings)


def publish(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run with one network.")],
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write; it must not exist.")],
    data: DataOption = None,
    half: Annotated[bool, typer.Option("--half/--single", help="Half precision for the weights on disk.")] = True,
    threads: ThreadsOption = None,
) -> None:
    """Write a run's checkpoint with a card: where it comes from, and its figures, scored on the written weights."""
    need_engine()
    from engine.base import device  # noqa: PLC0415 - imports torch
    from engine.workflows import publish as publishing  # noqa: PLC0415

    device.pin_threads(threads)
    about = publishing.publish(open_store(), run, target, data, half=half)["about"]
    size = sum(file.stat().st_size for file in target.iterdir())
    name, figure = next(iter(about["metrics"].items()))
    scored = formats.value(known(name), figure["value"])
    out.print(f"{target}: {about['params']:,} parameters, {size:,} bytes, {known(name).label} {scored}", markup=False)
