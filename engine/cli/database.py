"""Commands that make, check and move the database, and write what it holds to files of common forms."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from db.base.errors import RemoteError
from db.bootstrap import backup as backups
from db.bootstrap import create, gold_digests
from db.bootstrap import integrity as checks
from db.registry import tasks
from db.runs import bundles, detail, status
from db.runs import feedback as reports
from engine.base.progress import Bar
from engine.cli.options import (
    BoardOption,
    TokenFileOption,
    open_store,
    out,
    print_line,
    print_sent,
    ready_store,
    remote_target,
)
from engine.workflows import export_feedback as exporting


def init() -> None:
    """Create the database or update it: schema, reported results, shipped measured runs. Adds nothing twice."""
    store = open_store()
    done = create.initialise(store)
    status.mark_dead(store)
    steps = f", schema {', '.join(done.migrations)}" if done.migrations else ""
    out.print(
        f"{store.path}: {done.runs_after} runs, {done.runs_after - done.runs_before} of them new{steps}", markup=False
    )


def check(
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Write a damaged database anew from what can be read; keep the files.")
    ] = False,
) -> None:
    """Verify the database, every block and column of it; exit with 1 when something is wrong with it."""
    store = open_store()
    if repair:
        former, lost = backups.repair(store)
        for sentence in lost:
            out.print(sentence, markup=False, soft_wrap=True)
        print_line(f"{store.path} was written anew; the former files are in {former}")
    findings = checks.check(store)
    for finding in findings:
        out.print(finding, markup=False, soft_wrap=True)
    if findings:
        raise typer.Exit(1)
    print_line(f"{store.path}: no problem found")


def backup(target: Annotated[Path, typer.Argument(help="The copy to write, a .duckdb file.")]) -> None:
    """Copy the whole database, results that wait beside it included; others may go on writing."""
    store = open_store()
    size = backups.backup(store, target)
    print_line(f"{target}: a copy of {store.path}, {size:,} bytes")


def restore(source: Annotated[Path, typer.Argument(help="A copy that `featherboard db backup` wrote.")]) -> None:
    """Put a copy in the place of the database; the former files are kept beside it."""
    store = open_store()
    former = backups.restore(store, source)
    note = f"; the former files are in {former}" if former else ""
    print_line(f"{store.path} is now the copy {source}{note}")


def digest(
    task: Annotated[list[str] | None, typer.Argument(help="Tasks; without any, all that have a fixed split.")] = None,
    write: Annotated[
        Path | None, typer.Option(help="A folder of task files; the digests are written into them.")
    ] = None,
) -> None:
    """Compute the digests of gold labels from the data files, and compare them with those of the task files.

    The files are those of the shipped corpora and of the folder that FEATHERBOARD_DATA names. Exits with 1 where a
    digest differs.
    """
    unknown = sorted(set(task or ()) - set(tasks.task_ids()))
    if unknown:
        raise typer.BadParameter(f"there is no task {unknown[0]!r}; there are {', '.join(tasks.task_ids())}.")
    differing = 0
    for chosen in [tasks.by_id(name) for name in task] if task else gold_digests.with_split():
        result = gold_digests.compute(chosen)
        if result.digest is None:
            print_line(f"{chosen.task_id}: {result.problem or 'no file of its split is at hand'}")
        elif write is not None and not result.agrees:
            file = gold_digests.write(result, write)
            print_line(f"{chosen.task_id}: {result.count:,} examples, {result.digest}; written to {file}")
        else:
            verdict = "agrees with the task file" if result.agrees else "DIFFERS from the task file"
            differing += not result.agrees
            print_line(f"{chosen.task_id}: {result.count:,} examples, {result.digest}; {verdict}")
    if differing:
        raise typer.Exit(1)


def export(
    target: Annotated[Path, typer.Argument(help="The bundle to write, a .zip file.")],
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="A run's id; repeatable. Default: all measured and submitted runs."),
    ] = None,
    withhold_answers: Annotated[
        bool,
        typer.Option(
            "--withhold-answers",
            help="Keep which answers are right, without their texts, which belong to the data set.",
        ),
    ] = False,
) -> None:
    """Write runs with their metrics, curves and predictions to one bundle (Parquet tables and JSON in a zip)."""
    store = open_store()
    ids = [detail.run_detail(store, run_id).run["run_id"] for run_id in run] if run else None
    count = bundles.export_runs(store, target, ids, withhold=withhold_answers)
    print_line(f"{target}: {count} run(s), {target.stat().st_size:,} bytes")


def import_(
    source: Annotated[Path, typer.Argument(help="A bundle that `featherboard db export` wrote.")],
    replace: Annotated[
        list[str] | None,
        typer.Option("--replace", help="The id of a run of another installation that may be replaced; repeatable."),
    ] = None,
) -> None:
    """Take the runs of a bundle in; importing twice changes nothing.

    A run that is on the board is replaced only by the installation that it came from, or where --replace names it; what
    it was before stays in its history.
    """
    store = ready_store()
    ids = [str(detail.run_detail(store, run_id).run["run_id"]) for run_id in replace or ()]
    done = bundles.import_runs(store, source, replace=ids)
    counts = f"{done.added} added, {done.updated} updated, {done.unchanged} already here"
    print_line(f"{source}: {counts}{f'. {done.note}' if done.note else ''}")


def push(
    run: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs' ids. Default: all measured runs.")
    ] = None,
    board: BoardOption = "",
    token_file: TokenFileOption = None,
) -> None:
    """Send runs to the board of another machine, where `featherboard serve-api` runs; sending twice changes nothing."""
    from db import remote  # noqa: PLC0415 - httpx takes a tenth of a second to import

    if run and run[0].startswith(("quack:", "http:", "https:")):
        raise RemoteError(f"Name the other board with --board: featherboard db push --board {_as_url(run[0])}")
    target = remote_target(board, token_file)
    if target is None:
        raise RemoteError("Name the other board with --board https://HOST, or set FEATHERBOARD_URL. Nothing was sent.")
    store = open_store()
    ids = [str(detail.run_detail(store, name).run["run_id"]) for name in run] if run else remote.measured(store)
    if not ids:
        raise RemoteError("There is no measured run to send; `featherboard list runs` shows what there is.")
    if not target.is_encrypted:
        print_line("Token and runs travel unencrypted: use such an address in a network you trust, or https.")
    sent = 0

    def progress(count: int) -> None:
        nonlocal sent
        bar.advance(count - sent)
        sent = count

    try:
        with Bar(f"Sending {len(ids)} run(s)", len(ids)) as bar:
            done = remote.push(store, target, ids, progress)
    except KeyboardInterrupt:
        raise RemoteError(f"Stopped after {sent} of {len(ids)} runs; the same command sends the rest.") from None
    print_sent(target, done)


def _as_url(name: str) -> str:
    return f"http://{name.split(':')[1] or 'HOST'}:8600" if name.startswith("quack:") else name


def listen() -> None:
    """Replaced by `featherboard serve-api`, which takes runs in over HTTP."""
    raise RemoteError(
        "`db listen` is replaced by the HTTP service: set FEATHERBOARD_TOKENS=NAME:TOKEN for each machine that may "
        "send runs, and start `featherboard serve-api`. Senders set FEATHERBOARD_URL and FEATHERBOARD_TOKEN."
    )


class _Kind(StrEnum):
    QA = "qa"
    SENTIMENT = "sentiment"
    NLI = "nli"
    TEXT = "text"


def feedback(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to write: .json for questions, .jsonl for the others.")
    ],
    kind: Annotated[
        _Kind | None, typer.Option("--kind", help="Which cases; default: the only kind that was reported.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete from the database what is in the file, once it is written.")
    ] = False,
) -> None:
    """Write answers that were reported as wrong as labelled examples: SQuAD 2.0 JSON, or JSON lines.

    A case whose right answer nobody knows is left out; of reports of the same example the last one counts.
    """
    store = open_store()
    done = exporting.export(store, target, kind.value if kind else None, force=force)
    print_line(f"{target}: {done.written:,} example(s) of {done.kind}")
    if done.unknown:
        print_line(f"{done.unknown:,} case(s) left out: their right answer is not known.")
    if done.superseded:
        print_line(f"{done.superseded:,} case(s) left out: the same example was reported again later.")
    if forget:
        print_line(f"{reports.forget(store, done.ids):,} case(s) deleted from {store.path}.")
