"""The command that makes a run's checkpoint ready to give away."""

from pathlib import Path
from typing import Annotated

import typer

from db.registry import formats
from db.registry.metrics import known
from engine.cli.options import DataOption, ThreadsOption, need_engine, open_store, out


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
