"""Commands about models that exist: score and time them, publish them, choose what stays of a packaged vocabulary."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from db.registry import formats, tasks
from db.registry.metrics import known
from db.runs import bundles
from engine.base.errors import BenchError, DataError
from engine.cli.options import (
    BoardOption,
    DataOption,
    ThreadsOption,
    TokenFileOption,
    deliver,
    need_engine,
    open_store,
    out,
    print_table,
    ready_store,
    remote_target,
)
from engine.recipes.schema import ADDITIONS

CHUNK = 1000
"""Texts that are tokenized at once."""


def bench(
    models: Annotated[
        str,
        typer.Option(
            "--models",
            help="Comma-separated: arch:NAME (random weights, no download), folders, runs, shipped checkpoints, "
            "OWNER/NAME of the hub.",
        ),
    ] = "arch:bert-base,arch:distilbert,arch:minilm-l6",
    lengths: Annotated[str, typer.Option("--lengths", help="Tokens of an input, comma-separated.")] = "32,128,384",
    threads: Annotated[
        str | None, typer.Option("--threads", help="Processor threads, comma-separated. Default: 1 and all.")
    ] = None,
    precision: Annotated[
        str, typer.Option("--precision", help="float32, bfloat16, int8; comma-separated.")
    ] = "float32,int8",
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Timed calls of each length in a round.")] = 20,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="How often every model is measured (A B A B), in a fresh process.")
    ] = 3,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Examples in one call.")] = 1,
    limit_memory: Annotated[
        str | None,
        typer.Option("--limit-memory", help="Memory of one process, such as 2G: imitates a smaller machine."),
    ] = None,
    watts: Annotated[
        float | None,
        typer.Option(
            "--watts",
            help="What this machine draws while it computes: energy per 1,000 answers is estimated from it. Where the "
            "processor's counters (RAPL) or a Raspberry Pi 5's power chip can be read, it is measured too.",
        ),
    ] = None,
    price_per_hour: Annotated[
        float | None,
        typer.Option(
            "--price-per-hour",
            help="What an hour of this machine costs, in US dollars: the cost of 1,000 answers is computed from it.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="Also write the runs to a bundle (.zip), for `featherboard db import` on another board."
        ),
    ] = None,
    board: BoardOption = "",
    token_file: TokenFileOption = None,
    device_name: Annotated[
        str | None,
        typer.Option("--device-name", help="What the board calls this machine, such as 'Raspberry Pi 5, 8 GB'."),
    ] = None,
) -> None:
    """Time models on this machine: latency by length and threads, memory, load time. Writes to the board's database."""
    need_engine()
    from engine.benchmarks import options, report, runner  # noqa: PLC0415 - psutil comes with the engine

    settings = options.parse(lengths, threads, precision, repeats, rounds, batch, limit_memory, watts, price_per_hour)
    names = options.words(models, "--models")
    if output is not None and (output.is_dir() or not output.absolute().parent.is_dir()):
        raise BenchError(f"--output: {output} is a folder, or its folder does not exist. Nothing was measured.")
    target = remote_target(board, token_file)  # a wrong address is reported before an hour of measuring
    command = shlex.join(options.command(names, settings, device_name))
    store = ready_store()
    outcome = runner.bench(store, names, settings, command, device_name)
    if outcome.run_ids:
        print_table(*report.table(outcome.results, settings))
    if outcome.warning:
        out.print(outcome.warning, markup=False)
    if output is not None and outcome.run_ids:
        count = bundles.export_runs(store, output, outcome.run_ids)
        out.print(
            f"{output}: {count} run(s); import them on another board with `featherboard db import {output.name}`",
            markup=False,
        )
    out.print(f"{len(outcome.run_ids)} run(s) are on the board, page Devices.", markup=False)
    if target is not None and outcome.run_ids:
        deliver(store, target, outcome.run_ids)
    if outcome.stopped or not outcome.run_ids:
        raise typer.Exit(130 if outcome.stopped else 1)


def cut_vocabulary(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The list to write; it must not exist.")],
    data: Annotated[Path, typer.Option("--data", help="The folder that holds the texts.")],
    corpora: Annotated[
        list[str] | None,
        typer.Option(
            "--texts",
            help="FILE:COLUMN below the folder, FILE:COLUMN:distinct to count a text once; repeatable. Default: those "
            "of the shipped list.",
        ),
    ] = None,
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="Pieces that occur less often are cut.")] = 3,
) -> None:
    """Choose the pieces of multilingual-e5-small that stay, by how often they occur in some texts.

    A list that replaces the shipped one makes another encoder: adapters of the shipped models no longer fit it.
    """
    need_engine()
    from engine.networks import packaged_e5  # noqa: PLC0415 - imports tokenizers

    if target.exists():
        raise DataError(f"{target} exists already. Nothing was written; name another file.")
    names = tuple(corpora or packaged_e5.shipped_pieces().corpora)
    pieces = packaged_e5.choose_pieces(packaged_e5.read_packaged(), _texts(data, names), names, min_count)
    target.write_text(pieces.to_json(), "utf-8")
    out.print(f"{target}: {len(pieces.ids()):,} pieces of {packaged_e5.PIECES:,} stay", markup=False)


def _texts(folder: Path, names: tuple[str, ...]) -> Iterator[list[str]]:
    """The texts of the named columns in portions.

    Raises:
        DataError: A file or a column is missing.
    """
    from db.base.chunked_tables import open_table  # noqa: PLC0415 - imports pyarrow
    from engine.data import tables  # noqa: PLC0415 - likewise

    for name in names:
        file, column, *options = name.split(":")
        table = open_table(folder / file)
        seen: set[str] = set()
        for chunk in table.chunks(tables.text_column(table, column), CHUNK):
            texts = [text for text in chunk.texts if text and text not in seen]
            if options == ["distinct"]:
                texts = list(dict.fromkeys(texts))
                seen.update(texts)
            yield texts


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
