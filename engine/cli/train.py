"""Commands that train and evaluate."""

from typing import Annotated

import typer

from engine.cli.options import DataOption, SeedOption, ThreadsOption, need_engine, open_store, ready_store
from engine.recipes import loader


def train(
    name: Annotated[
        str, typer.Argument(metavar="RECIPE", help="A shipped recipe, or a .toml file; with --resume: a run.")
    ],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
    ] = None,
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
        jobs.resume(store, name, data, threads)
    else:
        wanted = loader.load(name, overrides or (), seed, mini=data is None)
        jobs.train(store, wanted, data, tuple(overrides or ()), threads, name, strict=strict)


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
        str | None, typer.Option("--on", help="Score on other reviews in the data folder: naver-shopping or steam.")
    ] = None,
) -> None:
    """Score a checkpoint on the test split again, and time it; for a run, say whether its figures are reproduced.

    With --on, score it on reviews of goods or games; nothing is stored.
    """
    if reviews is not None and (data is None or data == "hub" or keep or only_timings):
        raise typer.BadParameter("--on needs the folder of the reviews as --data, and keeps nothing.")
    need_engine()
    from engine.workflows import evaluate as jobs  # noqa: PLC0415 - imports torch

    if reviews is not None and data is not None:
        jobs.evaluate_on(open_store(), target, data, reviews, threads)
    else:
        jobs.evaluate(open_store(), target, data, threads, keep=keep, scored=not only_timings)
