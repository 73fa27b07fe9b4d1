"""The command that trains a recipe over a grid, here or on the machines of a Ray cluster."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.base.errors import InterruptedRunError
from engine.cli.options import (
    DataOption,
    ThreadsOption,
    delivering,
    need_engine,
    open_store,
    out,
    print_table,
    ready_store,
)
from engine.recipes import loader

if TYPE_CHECKING:
    from engine.workflows.sweep import Combination

SWEPT = ("combination", "seed", "score", "run", "state")


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
