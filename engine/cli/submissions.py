"""Commands that submit runs, and that verify submitted runs again."""

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db import importers, submissions
from db.base.errors import FeatherboardError, SubmissionError
from db.base.problems import Problem
from db.importers.formats import mlflow, onnx, safetensors
from db.registry import formats, tasks
from db.registry.metrics import known
from db.storage.store import Store
from db.submissions import Gathered
from db.submissions import claim as claims
from db.submissions.claim import Claim
from db.submissions.previews import NO_PREDICTIONS
from db.submissions.verification import Report
from engine.base.progress import Bar
from engine.cli.options import open_store, print_line, print_table, printable, ready_store, remote_target

if TYPE_CHECKING:
    from db.remote import Target


def submit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="What you have: all_results.json, trainer_state.json, predictions, a results table "
            "(CSV, XLSX), config.json, a bundle, the folder of a training or of a W&B run, mlruns ... Several files "
            "describe one run.",
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="What no file says, such as task=nsmc, model=..., metrics.accuracy=87.8%, "
            "training.lr=0.001; repeatable.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=FIELD",
            help="What a column of a table means, such as Acc=metrics.accuracy, "
            "id=example_id, label_pred=predicted; repeatable.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the rows, and submit nothing.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Ask for a secret, and show what became of it.")] = False,
    take_back: Annotated[
        str | None,
        typer.Option(metavar="SUBMISSION", help="Ask for its secret, and withdraw a row; from the board too."),
    ] = None,
) -> None:
    """Submit runs; they wait for a moderator: of this board, or of that of FEATHERBOARD_URL.

    What becomes of them is shown to whoever has the secret, which is printed once.
    """
    target = remote_target(os.environ.get("FEATHERBOARD_URL", "").strip(), None, needs_token=False)
    if status or take_back:
        _show_status(target, take_back)
        return
    gathered = read_files(files or [], _pairs(columns, "--map"))
    for note in gathered.notes:
        print_line(note)
    if gathered.unknown:
        print_line(f"Not used: {', '.join(gathered.unknown)}")
    drafts = submissions.prepared(gathered.drafts, _pairs(fields, "--set"))
    if dry_run:
        _preview(ready_store(), drafts, gathered)
        return
    if target is not None:
        from db import remote_submissions  # noqa: PLC0415 - httpx

        tables = {"predictions": gathered.predictions, "curves": gathered.curves}
        sent = remote_submissions.submit(target, drafts, **tables)
        _print_receipt(sent.submissions, sent.secret, f" of {target.url}")
        return
    store = ready_store()
    receipt = submissions.submit(
        store,
        drafts,
        predictions=gathered.predictions,
        curves=gathered.curves,
        via="cli",
        filename=", ".join(file.name for file in files or [])[:255],
    )
    if receipt.problems:
        _explain(submissions.with_score(store, drafts[0], gathered.predictions)[1])
        _refuse([_located(gathered, problem, problem.draft) for problem in receipt.problems], len(drafts))
    _print_receipt(receipt.submissions, receipt.secret)


def _print_receipt(ids: Sequence[str], secret: str, whose: str = "") -> None:
    print_line(f"{len(ids)} row(s) wait for a moderator{whose}: {ids[0][:12]}{' ...' if len(ids) > 1 else ''}")
    print_line(f"Your secret, shown this once: {secret}")


def _show_status(target: "Target | None", take_back: str | None) -> None:
    """Show what became of the rows of a secret, which is asked for: on a command line others could read it."""
    secret = typer.prompt("Secret", hide_input=True, err=True).strip()
    if target is not None:
        from db import remote_submissions  # noqa: PLC0415 - httpx

        if take_back:
            remote_submissions.take_back(target, take_back, secret)
        rows = remote_submissions.status(target, secret)
    else:
        store = open_store()
        if take_back:
            submissions.withdraw(store, take_back, secret=secret)
        rows = [
            {**asdict(row), "submission": row.submission_id, "run": row.run_id}
            for row in submissions.status(store, secret)
        ]
    names = ("row", "submission", "task", "model", "state", "run", "reason")
    shown = [{**row, "row": row["position"], "run": (row["run"] or "")[:12]} for row in rows]
    shown = [{**row, "submission": row["submission"][:12], "reason": row["reason"] or ""} for row in shown]
    print_table(names, [[printable(str(row[name])) for name in names] for row in shown])


def read_files(files: Sequence[Path], mapping: dict[str, str]) -> Gathered:
    """Read files, and what is known in folders, and combine what they say; without files one empty row.

    Raises:
        SubmissionError: One is missing, too large, or cannot be read.
    """
    if not files:
        return Gathered()
    missing = [file for file in files if not file.exists()]
    if missing:
        raise SubmissionError(f"There is no file {missing[0]}. Nothing was saved.")
    read: list[tuple[str, importers.ImportedFile]] = []
    with Bar(f"Reading {len(files)} file(s)", len(files)) as bar:
        for path in files:
            if mlflow.holds_runs(path):
                read.append((path.name, mlflow.read_folder(path)))
            else:
                parts = importers.in_folder(path) if path.is_dir() else [path]
                read += [(file.name, _read(file, mapping)) for file in parts]
            bar.advance(1)
    return submissions.gather(read)


def _read(file: Path, mapping: dict[str, str]) -> importers.ImportedFile:
    if file.suffix == ".safetensors":  # of any size: parameters are counted from its header
        return importers.read(file.name, safetensors.head(file))
    if file.suffix == ".onnx":
        with file.open("rb") as model:
            return onnx.read(file.name, model)
    if file.stat().st_size > importers.LIMIT_BYTES:
        raise SubmissionError(
            f"{file} has {file.stat().st_size / 2**20:,.0f} MiB, and files of at most {importers.LIMIT_BYTES // 2**20} "
            "MiB are read. Nothing was saved."
        )
    content = file.read_bytes()
    return importers.read(file.name, content, _mapping(file.name, content, mapping) or None)


def _mapping(name: str, content: bytes, mapping: dict[str, str]) -> dict[str, str]:
    """Complete the mapping of a table's columns with what their names suggest."""
    if not mapping:
        return {}
    columns = importers.columns(name, content)
    own = {column: mapping[column] for column, _ in columns if column in mapping}
    guessed = {column: field for column, field in importers.guess(columns).items() if field not in own.values()}
    return guessed | own


def _pairs(options: Sequence[str] | None, option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in options or ():
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise SubmissionError(f"{option} {pair!r} is not a pair; write NAME=VALUE. Nothing was saved.")
        pairs[name.strip()] = value.strip()
    return pairs


def _preview(store: Store, drafts: Sequence[dict[str, object]], gathered: Gathered) -> None:
    """Show what would be submitted, with the rank of each row."""
    problems: list[str] = []
    checked: list[Claim] = []
    report = NO_PREDICTIONS
    for number, written in enumerate(drafts, start=1):
        draft, reason = submissions.with_score(store, written, gathered.predictions)
        claim = claims.check(draft)
        if not isinstance(claim, Claim):
            _explain(reason)
            problems += [_located(gathered, replace(problem, draft=number), number) for problem in claim]
            continue
        checked.append(claim)
        if gathered.predictions is not None:
            report = reason
            if draft is written:  # else the score is theirs, and they were scored for it
                report = submissions.verify_claim(store, claim, gathered.predictions, claims.decimals(draft))
            print_line(report.sentence())
    rows = []
    for claim, preview in zip(checked, submissions.preview(store, checked, report=report), strict=True):
        metric = known(tasks.by_id(claim.task).metric)
        own, shown = (formats.value(metric, score) for score in (preview.metrics[metric.name], preview.row["score"]))
        seeds = preview.row["seeds"] or 1
        row = f"{shown}, mean of {seeds} seeds" if seeds > 1 else shown if shown == own else f"{shown}, a newer run"
        rows.append((printable(claim.model), claim.task, own, row, f"{preview.rank} of {preview.rows}"))
    print_table(("model", "task", "score", "row on the board", "rank"), rows)
    if problems:
        _refuse(problems, len(drafts))
    print_line("Nothing was submitted.")


def _explain(report: Report) -> None:
    """Print why predictions gave no score."""
    if report.state != NO_PREDICTIONS.state:
        print_line(report.sentence())


def _located(gathered: Gathered, problem: Problem, number: int) -> str:
    """Word a problem with the row and the column of the file that its value is from."""
    location = gathered.located(number, problem.field)
    return f"{location}: {problem}" if location else str(problem)


def _refuse(problems: Sequence[str], rows: int) -> None:
    for problem in problems:
        print_line(problem)
    rows_ = "this row" if rows == 1 else f"these {rows} rows"
    raise SubmissionError(
        f"{rows_} cannot be submitted yet: correct the {len(problems)} problem(s) above. Nothing was saved."
    )


def verify(
    run: Annotated[str | None, typer.Argument(help="A submitted run's id.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every submitted run with predictions and no badge.")] = False,
) -> None:
    """Score the predictions of submitted runs again: with FEATHERBOARD_DATA, or a measured run's gold labels."""
    if every == (run is not None):
        raise FeatherboardError("Name one run, or --all for every submitted run without the badge.")
    store = open_store()
    runs = [run] if run is not None else submissions.unverified(store)
    if not runs:
        print_line("No submitted run with predictions is without the badge.")
        return
    verified = 0
    for run_id in runs:
        report = submissions.verify_run(store, run_id)
        verified += report.verified
        for line in (report.sentence(), *report.flags):
            print_line(f"{run_id[:12]}  {line}")
    if every:
        print_line(f"{verified} of {len(runs)} run(s) are verified now.")
