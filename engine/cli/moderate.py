"""Commands of a moderator. The token is the one of the environment; ``db.submissions`` compares it."""

import json
from typing import Annotated, get_args

import typer

from db import submissions
from db.base.errors import FeatherboardError
from db.registry import formats, tasks
from db.registry.metrics import known
from db.storage.store import Store
from db.submissions.records import State
from engine.cli.options import open_store, out, print_table, printable

IdArgument = Annotated[str, typer.Argument(metavar="SUBMISSION", help="A submission's id, or its first 8 letters.")]


def _token() -> str:
    return submissions.configured() or ""


def list_submissions(
    state: Annotated[
        list[str] | None,
        typer.Option(help="waiting, accepted, rejected, merged, withdrawn or all; repeatable. Default: waiting."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Rows at most.")] = 100,
) -> None:
    """List what was submitted, the oldest first."""
    wanted = [_state(one) for one in state or ["waiting"] if one != "all"]
    found = submissions.queue(open_store(), token=_token(), states=wanted, limit=limit)
    rows = []
    for row in found.to_dict("records"):
        metric = tasks.by_id(row["task_id"]).metric
        score = formats.value(known(metric), json.loads(row["claim"])["metrics"][metric])
        rows.append(
            (
                row["submission_id"][:12],
                row["state"],
                row["task_id"],
                printable(row["model"]),
                score,
                f"{row['predictions']:,}",
                f"{row['created_at']:%m-%d %H:%M}",
            )
        )
    print_table(("submission", "state", "task", "model", "score", "answers", "came"), rows)


def _state(given: str) -> State:
    for state in get_args(State):
        if given == state:
            return state  # type: ignore[no-any-return]
    raise FeatherboardError(f"There is no state {given!r}; there are {', '.join(get_args(State))} and all.")


def show(submission: IdArgument) -> None:
    """Show a submission beside what is on the board: its place, rows of the same model, predictions and history."""
    store, token = open_store(), _token()
    found = submissions.difference(store, submission, token=token)
    told = found.submission
    metric = known(tasks.by_id(told.claim.task).metric)
    facts = {
        "submission": told.status.submission_id,
        "state": told.status.state,
        "reason": told.status.reason,
        "run": told.status.run_id,
        "merged into": told.status.merged_into,
        "file": told.filename,
        "via": told.via,
        **told.claim.model_dump(exclude={"metrics", "training"}),
        **{f"metrics.{name}": value for name, value in told.claim.metrics.items()},
        **{f"training.{name}": value for name, value in told.claim.training.items()},
        "predictions": told.predictions or None,
        "curve points": told.points or None,
    }
    print_table(("", ""), [(key, printable(str(value))) for key, value in facts.items() if value not in (None, "")])
    shown = found.preview
    _say(f"It would stand at {shown.rank} of {shown.rows} rows, with {formats.value(metric, shown.row['score'])}.")
    _say(found.report.sentence())
    for flag in found.flags:
        _say(f"Look twice: {flag}")
    if len(found.existing):
        _say("Rows of the same model:")
        print_table(
            ("run", "name", "source", "data", "parameters", "score", "submission minus this"),
            [
                (
                    row["run_id"][:12],
                    printable(row["name"]),
                    row["source"],
                    printable(row["dataset"]),
                    formats.short(_number(row["params"])),
                    formats.value(metric, _number(row["score"])),
                    formats.difference(metric, row["score_difference"]),
                )
                for row in found.existing.to_dict("records")
            ],
        )
    history = submissions.history(store, told.status.submission_id, token=token)
    print_table(
        ("when", "who", "what", "details"),
        [
            (f"{row['done_at']:%Y-%m-%d %H:%M}", row["actor"], row["action"], printable(row["details"]))
            for row in history.to_dict("records")
        ],
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


TogetherOption = Annotated[
    bool, typer.Option("--together", help="Everything that waits of what was handed in together with it.")
]


def accept(submission: IdArgument, together: TogetherOption = False) -> None:
    """Put a submission on the board."""
    store, token = open_store(), _token()
    for one in _meant(store, submission, token, together=together):
        run_id = submissions.accept(store, one, token=token)
        _say(f"{one[:12]} is on the board as run {run_id[:12]}")


def reject(
    submission: IdArgument,
    reason: Annotated[str, typer.Option(help="Why; its submitter reads it.")],
    together: TogetherOption = False,
) -> None:
    """Turn a submission down, with a reason."""
    store, token = open_store(), _token()
    for one in _meant(store, submission, token, together=together):
        submissions.reject(store, one, reason, token=token)
        _say(f"{one[:12]} is rejected; its submitter sees the reason.")


def _meant(store: Store, submission: str, token: str, *, together: bool) -> list[str]:
    """The submission, or all that wait of its batch, in their order."""
    if not together:
        return [submission]
    batch = submissions.read(store, submission, token=token).batch_id
    waiting = submissions.queue(store, token=token, limit=2**31)
    found = [str(one) for one in waiting.loc[waiting["batch_id"] == batch, "submission_id"]]
    if not found:
        raise FeatherboardError("Nothing waits of what was handed in together with it. Nothing was done.")
    return found


def merge(
    submission: IdArgument,
    into: Annotated[str, typer.Argument(help="The submission or run that stands for it as well.")],
    reason: Annotated[str, typer.Option(help="Why; its submitter reads it.")] = "",
) -> None:
    """Let another row stand for a submission that says the same."""
    submissions.merge(open_store(), submission, into, token=_token(), reason=reason)
    _say(f"Merged into {into[:12]}.")


def withdraw(
    submission: IdArgument, reason: Annotated[str, typer.Option(help="Why; its submitter reads it.")] = ""
) -> None:
    """Take a submission from the queue or from the board; nothing is deleted."""
    submissions.withdraw(open_store(), submission, token=_token(), reason=reason)
    _say("Withdrawn.")


def _say(text: str) -> None:
    out.print(printable(text), markup=False, soft_wrap=True)
