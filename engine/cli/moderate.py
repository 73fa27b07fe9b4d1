"""Moderate submissions and runs on this machine: whoever can open the database file may decide.

The moderation page asks for ``FEATHERBOARD_MODERATOR_TOKEN``; here there is nobody to show a token to.
"""

import json
from typing import Annotated, get_args

import typer

from db import submissions
from db.base.errors import FeatherboardError
from db.registry import formats, tasks
from db.registry.metrics import known
from db.storage.store import Store
from db.submissions.records import State
from engine.cli.options import open_store, print_line, print_table, printable

IdArgument = Annotated[str, typer.Argument(metavar="SUBMISSION", help="A submission's id, or its first 8 characters.")]
RunArgument = Annotated[str, typer.Argument(help="A run's id, or its first 8 characters.")]
TagsArgument = Annotated[list[str], typer.Argument(metavar="TAG...", help="Letters, digits, - and _; 10 a run.")]
ReasonOption = Annotated[str, typer.Option(help="Why; its submitter reads it.")]
TogetherOption = Annotated[
    bool, typer.Option("--together", help="Every waiting row that was submitted together with it.")
]


def list_submissions(
    state: Annotated[
        list[str] | None,
        typer.Option(help="waiting, accepted, rejected, merged, withdrawn or all; repeatable. Default: waiting."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Rows at most.")] = 100,
) -> None:
    """List submissions, the oldest first."""
    states = [_state(name) for name in state or ["waiting"] if name != "all"]
    rows = []
    for row in submissions.queue(open_store(), states=states, limit=limit).to_dict("records"):
        metric = tasks.by_id(row["task_id"]).metric
        rows.append(
            (
                row["submission_id"][:12],
                row["state"],
                row["task_id"],
                printable(row["model"]),
                formats.value(known(metric), json.loads(row["claim"])["metrics"][metric]),
                f"{row['predictions']:,}",
                f"{row['created_at']:%m-%d %H:%M}",
            )
        )
    print_table(("submission", "state", "task", "model", "score", "answers", "came"), rows)


def _state(name: str) -> State:
    for state in get_args(State):
        if name == state:
            return state  # type: ignore[no-any-return]
    raise FeatherboardError(f"There is no state {name!r}; the states are {', '.join(get_args(State))} and all.")


def show(submission: IdArgument) -> None:
    """Show a submission next to the board: its rank, rows of the same model, predictions and history."""
    store = open_store()
    difference = submissions.difference(store, submission)
    row = difference.submission
    metric = known(tasks.by_id(row.claim.task).metric)
    facts = {
        "submission": row.status.submission_id,
        "state": row.status.state,
        "reason": row.status.reason,
        "run": row.status.run_id,
        "merged into": row.status.merged_into,
        "file": row.filename,
        "via": row.via,
        **row.claim.model_dump(exclude={"metrics", "training"}),
        **{f"metrics.{name}": value for name, value in row.claim.metrics.items()},
        **{f"training.{name}": value for name, value in row.claim.training.items()},
        "predictions": row.predictions or None,
        "curve points": row.points or None,
    }
    print_table(("", ""), [(key, printable(str(value))) for key, value in facts.items() if value not in (None, "")])
    preview = difference.preview
    score = formats.value(metric, preview.row["score"])
    seeds = preview.row["seeds"] or 1
    mean = f", the mean of {seeds} seeds" if seeds > 1 else ""
    print_line(f"On the board it would rank {preview.rank} of {preview.rows} rows, with {score}{mean}.")
    print_line(difference.report.sentence())
    for flag in difference.flags:
        print_line(f"Check: {flag}")
    if len(difference.existing):
        print_line("Rows of the same model:")
        print_table(
            ("run", "name", "source", "data", "parameters", "score", "submission minus this"),
            [
                (
                    other["run_id"][:12],
                    printable(other["name"]),
                    other["source"],
                    printable(other["dataset"]),
                    formats.short(_number(other["params"])),
                    formats.value(metric, _number(other["score"])),
                    formats.difference(metric, other["score_difference"]),
                )
                for other in difference.existing.to_dict("records")
            ],
        )
    print_table(
        ("when", "who", "what", "details"),
        [
            (f"{entry['done_at']:%Y-%m-%d %H:%M}", entry["actor"], entry["action"], printable(entry["details"]))
            for entry in submissions.history(store, row.status.submission_id).to_dict("records")
        ],
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def accept(submission: IdArgument, together: TogetherOption = False) -> None:
    """Put a submission on the board."""
    store = open_store()
    for submission_id in _chosen(store, submission, together=together):
        run_id = submissions.accept(store, submission_id)
        print_line(f"{submission_id[:12]} is on the board as run {run_id[:12]}")


def reject(submission: IdArgument, reason: ReasonOption, together: TogetherOption = False) -> None:
    """Reject a submission, with a reason."""
    store = open_store()
    for submission_id in _chosen(store, submission, together=together):
        submissions.reject(store, submission_id, reason)
        print_line(f"{submission_id[:12]} is rejected; its submitter sees the reason.")


def _chosen(store: Store, submission: str, *, together: bool) -> list[str]:
    """Return the submission, or every waiting row of its batch, in their order."""
    if not together:
        return [submission]
    batch = submissions.read(store, submission).batch_id
    waiting = submissions.queue(store, batch=batch, limit=2**31)["submission_id"]
    if waiting.empty:
        raise FeatherboardError("No row that was submitted together with it is waiting. Nothing was changed.")
    return [str(submission_id) for submission_id in waiting]


def merge(
    submission: IdArgument,
    into: Annotated[str, typer.Argument(help="The submission or run to merge it into.")],
    reason: ReasonOption = "",
) -> None:
    """Merge a submission into another row that says the same."""
    submissions.merge(open_store(), submission, into, reason=reason)
    print_line(f"Merged into {into[:12]}.")


def withdraw(submission: IdArgument, reason: ReasonOption = "") -> None:
    """Withdraw a submission from the queue or from the board; nothing is deleted."""
    submissions.withdraw(open_store(), submission, reason=reason)
    print_line("Withdrawn.")


def tag(run: RunArgument, tags: TagsArgument) -> None:
    """Add tags to a run; everybody sees them, and the leaderboard filters by them."""
    _print_tags(run, submissions.annotate(open_store(), run, add=tags))


def untag(run: RunArgument, tags: TagsArgument) -> None:
    """Remove tags from a run."""
    _print_tags(run, submissions.annotate(open_store(), run, remove=tags))


def note(
    run: RunArgument, text: Annotated[str, typer.Argument(help='Plain text, which replaces the note; "" removes it.')]
) -> None:
    """Write a note on the page of a run."""
    submissions.annotate(open_store(), run, note=text)
    print_line("The note is stored." if text.strip() else "The run has no note.")


def _print_tags(run: str, tags: list[str]) -> None:
    print_line(f"Tags of run {run[:12]}: {', '.join(tags) or 'none'}")
