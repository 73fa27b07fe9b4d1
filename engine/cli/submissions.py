"""Commands that hand in somebody's runs, and that verify those on the board."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db import submissions
from db.base.errors import FeatherboardError, SubmissionError
from db.registry import formats, tasks
from db.registry.metrics import known
from db.storage.store import Store
from db.submissions import Gathered, Preview
from db.submissions import claim as claims
from db.submissions.claim import Claim
from engine.base.progress import Bar
from engine.cli.options import open_store, out, print_table, printable, ready_store

if TYPE_CHECKING:
    from db.submissions.drafts import Found


def submit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="What you have: all_results.json, trainer_state.json, predictions, a results table "
            "(CSV), config.json, a bundle ... Several files tell of one run.",
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="What no file says, such as task=nsmc, model=..., metrics.accuracy=87.8%, "
            "training.lr=0.001; repeatable.",
        ),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=FIELD",
            help="What a column of a table means, such as Acc=metrics.accuracy, "
            "id=example_id, label_pred=predicted; repeatable.",
        ),
    ] = None,
    look: Annotated[bool, typer.Option("--dry-run", help="Show what would be handed in, and hand nothing in.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Ask for a secret, and show what became of it.")] = False,
    take_back: Annotated[
        str | None,
        typer.Option(metavar="SUBMISSION", help="Ask for its secret, and take a row back; from the board too."),
    ] = None,
) -> None:
    """Hand in runs that somebody claims; they wait for a moderator.

    What becomes of them is shown to whoever has the secret that is printed once.
    """
    if status or take_back:
        _ask_after(open_store(), take_back)
        return
    gathered = read_files(files or [], _pairs(mapped, "--map"))
    for note in gathered.notes:
        _say(note)
    if gathered.unknown:
        _say(f"Not used: {', '.join(gathered.unknown)}")
    drafts = submissions.prepared(gathered.drafts, _pairs(given, "--set"))
    store = ready_store()
    if look:
        _show(store, drafts, gathered)
        return
    receipt = submissions.submit(
        store,
        drafts,
        predictions=gathered.predictions,
        curves=gathered.curves,
        via="cli",
        filename=", ".join(file.name for file in files or [])[:255],
    )
    if receipt.problems:
        _refuse([str(problem) for problem in receipt.problems], len(drafts))
    _say(
        f"{len(receipt.submissions)} row(s) wait for a moderator: {receipt.submissions[0][:12]}"
        f"{' ...' if len(receipt.submissions) > 1 else ''}"
    )
    _say(f"Your secret, shown this once: {receipt.secret}")


def _ask_after(store: Store, take_back: str | None) -> None:
    """What became of the rows of a secret, which is asked for: on a command line others could read it."""
    secret = typer.prompt("Secret", hide_input=True, err=True).strip()
    if take_back:
        submissions.withdraw(store, take_back, secret=secret)
    print_table(
        ("row", "submission", "task", "model", "state", "run", "reason"),
        [
            (
                str(one.position),
                one.submission_id[:12],
                one.task,
                printable(one.model),
                one.state,
                (one.run_id or "")[:12],
                printable(one.reason or ""),
            )
            for one in submissions.status(store, secret)
        ],
    )


def read_files(files: Sequence[Path], mapping: dict[str, str]) -> Gathered:
    """What the files say; without files one empty row.

    Raises:
        SubmissionError: One is not there, too large, or cannot be read.
    """
    if not files:
        return Gathered(({},), None, None, (), ())
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise SubmissionError(f"There is no file {missing[0]}. Nothing was taken.")
    from db import importers  # noqa: PLC0415 - only where there are files
    from db.importers import safetensors  # noqa: PLC0415 - as above

    found: list[tuple[str, Found]] = []
    with Bar(f"Reading {len(files)} file(s)", len(files)) as bar:
        for file in files:
            if file.suffix == ".safetensors":  # of any size: parameters are counted from its header
                found.append((file.name, importers.read(file.name, safetensors.head(file))))
                bar.advance(1)
                continue
            if file.stat().st_size > importers.LIMIT_BYTES:
                raise SubmissionError(
                    f"{file} has {file.stat().st_size / 2**20:,.0f} MiB, and {importers.LIMIT_BYTES // 2**20} MiB are "
                    "read at most. Nothing was taken."
                )
            content = file.read_bytes()
            found.append((file.name, importers.read(file.name, content, _wanted(file.name, content, mapping) or None)))
            bar.advance(1)
    return submissions.gather(found)


def _wanted(name: str, content: bytes, mapping: dict[str, str]) -> dict[str, str]:
    """What the columns of a table mean: as it was said, else as it looks."""
    if not mapping:
        return {}
    from db import importers  # noqa: PLC0415 - as above

    columns = importers.columns(name, content)
    there = {column for column, _ in columns}
    said = {column: field for column, field in mapping.items() if column in there}
    guessed = {column: field for column, field in importers.guess(columns).items() if field not in said.values()}
    return {**guessed, **said}


def _pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in given or ():
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise SubmissionError(f"{option} {pair!r} is no pair; write NAME=VALUE. Nothing was taken.")
        found[name.strip()] = value.strip()
    return found


def _show(store: Store, drafts: Sequence[dict[str, object]], gathered: Gathered) -> None:
    """What would be handed in, with the place that each row would have."""
    wrong: list[str] = []
    rows = []
    for number, draft in enumerate(drafts, start=1):
        claim = claims.check(draft)
        if not isinstance(claim, Claim):
            wrong += [f"row {number}, {one}" for one in claim]
            continue
        shown = submissions.preview(store, claim)
        rows.append((printable(claim.model), claim.task, _figure(claim), _rank(shown)))
        if gathered.predictions is not None:
            _say(submissions.verify_claim(store, claim, gathered.predictions, claims.decimals(draft)).sentence())
    print_table(("model", "task", "score", "rank"), rows)
    if wrong:
        _refuse(wrong, len(drafts))
    _say("Nothing was handed in.")


def _figure(claim: Claim) -> str:
    metric = tasks.by_id(claim.task).metric
    return formats.value(known(metric), claim.metrics[metric])


def _rank(shown: Preview) -> str:
    return f"{shown.rank} of {shown.rows}"


def _refuse(wrong: Sequence[str], rows: int) -> None:
    for one in wrong:
        _say(one)
    what = "this row" if rows == 1 else f"these {rows} rows"
    raise SubmissionError(
        f"{what} cannot be taken yet: {len(wrong)} thing(s) above are to be put right. Nothing was taken."
    )


def verify(
    run: Annotated[str | None, typer.Argument(help="A submitted run's id.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every submitted run with predictions and no badge.")] = False,
) -> None:
    """Score the predictions of submitted runs again: with data in FEATHERBOARD_DATA, or a measured run's answers."""
    if every == (run is not None):
        raise FeatherboardError("Name one run, or --all for every submitted run without the badge.")
    store = open_store()
    wanted = [run] if run is not None else submissions.unverified(store)
    if not wanted:
        _say("No submitted run with predictions is without the badge.")
        return
    verified = 0
    for one in wanted:
        report = submissions.verify_run(store, one)
        verified += report.verified
        _say(f"{one[:12]}  {report.sentence()}")
        for flag in report.flags:
            _say(f"{one[:12]}  {flag}")
    if every:
        _say(f"{verified} of {len(wanted)} run(s) are verified now.")


def _say(text: str) -> None:
    out.print(printable(text), markup=False, soft_wrap=True)
