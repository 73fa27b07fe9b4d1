"""Commands that train, once or over a grid; ``distill`` and ``pretrain`` train one kind of model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.base.errors import FeatherboardError
from db.registry import tasks
from engine.base.errors import InterruptedRunError, RecipeError
from engine.cli.options import (
    DataOption,
    SeedOption,
    ThreadsOption,
    delivering,
    need_engine,
    open_store,
    out,
    print_table,
    ready_store,
)
from engine.recipes import loader
from engine.recipes.loader import Recipe

if TYPE_CHECKING:
    from engine.workflows.sweep import Combination

SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
]

SWEPT = ("combination", "seed", "score", "run", "state")


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


def sweep(
    name: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe, or a .toml file.")],
    grids: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="KEY=VALUE,VALUE", help="Values of a key; repeatable, for every combination."),
    ] = None,
    seeds: Annotated[str, typer.Option("--seeds", help="Seeds of each combination, such as 0,1,2.")] = "",
    data: DataOption = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of all of them; repeatable.")
    ] = None,
    threads: ThreadsOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be trained, and train nothing.")] = False,
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Train on a Ray cluster: HOST:PORT, `auto` for the one that runs here, `local` for all cores of this "
            "machine.",
        ),
    ] = "",
    gpus: Annotated[float, typer.Option(min=0, help="With --ray: GPUs of a training, such as 0.5.")] = 0.0,
    retries: Annotated[
        int, typer.Option(min=0, help="With --ray: how often a training goes on elsewhere when its process dies.")
    ] = 2,
) -> None:
    """Train a recipe once per combination of values and seed; what is finished is skipped.

    Every combination is checked before the first is trained. One that fails does not stop the others. After Ctrl-C the
    same command goes on. With --ray, each training takes --threads processors (1 unless set), and runs of other
    machines are brought to this board.
    """
    numbers = _numbers(seeds)
    need_engine()
    from db.runs import status  # noqa: PLC0415 - imports pandas
    from engine.base import device  # noqa: PLC0415 - imports torch
    from engine.training.job import stop_on_signal  # noqa: PLC0415
    from engine.workflows import cluster  # noqa: PLC0415
    from engine.workflows import sweep as sweeps  # noqa: PLC0415

    if ray:
        cluster.need_ray()
        threads = threads or 1
        data = data if data in {None, "hub"} else str(Path(data).expanduser().resolve())
    device.pin_threads(threads)
    store = open_store()
    if store.exists() and not dry_run:
        status.mark_dead(store)
    planned = sweeps.plan(store, name, grids or (), numbers, overrides=overrides or (), data=data, threads=threads)
    base = loader.load(name, overrides or (), mini=data is None).listed_as
    others = sweeps.renamed(planned, base)
    if others:
        out.print(
            f"Another shape is another model, so these have names of their own: {', '.join(others)}", markup=False
        )
    waiting = sum(combination.waits for combination in planned)
    if dry_run:
        print_table(SWEPT, sweeps.rows(planned))
        out.print(f"{waiting} of {len(planned)} would be trained.", markup=False)
        return
    if waiting:
        ready_store()
    with delivering(store), stop_on_signal() as should_stop:
        if ray and waiting:
            with cluster.connected(ray):
                done = cluster.run(planned, should_stop, cluster.Resources(threads or 1, gpus, retries))
        else:
            done = sweeps.run(planned, should_stop)
    _report(done)


def _report(done: Sequence["Combination"]) -> None:
    """Print what became of each combination.

    Raises:
        InterruptedRunError: The sweep was stopped.
        typer.Exit: With code 1: some of them failed.
    """
    from engine.workflows import sweep as sweeps  # noqa: PLC0415 - imports torch

    print_table(SWEPT, sweeps.rows(done))
    if any(combination.waits or combination.state == "not reached" for combination in done):
        raise InterruptedRunError("Stopped; what is finished is kept. The same command goes on with the rest.")
    wrong = [combination for combination in done if combination.reason]
    for combination in wrong:
        out.print(
            f"{combination.state}: {combination.shown}, seed {combination.job.recipe.seed}: {combination.reason}",
            markup=False,
        )
    if wrong:
        raise typer.Exit(1)


def _numbers(seeds: str) -> list[int]:
    parts = [part.strip() for part in seeds.split(",")] if seeds.strip() else []
    if not all(part.isdecimal() and int(part) < 2**31 for part in parts):
        raise typer.BadParameter("--seeds takes whole numbers from 0, separated by commas, such as 0,1,2.")
    return [int(part) for part in dict.fromkeys(parts)]
