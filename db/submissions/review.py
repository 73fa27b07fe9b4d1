"""Decisions on submissions, and verifying runs again. Every decision is written to the audit, and deletes nothing.

Who may decide is checked by the moderation page; whoever can open the database file may decide on the command line.
A submission or run is named by its id or the beginning of that; ``by`` is the moderator's address, for the history.
"""

import json

import duckdb
import pandas as pd

from db.base import audit
from db.base.audit import Actor
from db.base.clock import utc_now
from db.base.errors import FeatherboardError, ModerationError, NotFoundError
from db.base.problems import Code, RefusedError, ValueProblemError
from db.importers import values
from db.registry import tasks
from db.runs.detail import resolve
from db.runs.writer import metrics_change, new_run_id
from db.storage import changes
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions import limits, previews, records, rows
from db.submissions.records import State, Submission
from db.submissions.verification import Report

MAX_REASON = 1000
"""Characters of a reason at most."""


def accept(store: Store, submission_id: str, *, by: str | None = None) -> str:
    """Put a submission on the board, verified where that is possible now.

    Returns:
        The id of its run.

    Raises:
        ModerationError: It is not waiting.
        NotFoundError: There is no such submission.
    """
    with store.read() as con:
        submission = _waiting(con, submission_id)
        predictions = records.predictions(con, submission.status.submission_id)
        points = records.curves(con, submission.status.submission_id)
    report, gold = previews.verified(store, submission, predictions)
    run_id = new_run_id()
    batch = rows.as_changes(submission.claim, run_id, report)
    if len(predictions):
        task = tasks.by_id(submission.claim.task)
        batch.append(rows.predictions(task, run_id, predictions, gold.answers if gold else None))
    if len(points):
        batch.append(rows.curves(run_id, points))
    with store.transaction() as con:
        submission = _waiting(con, submission.status.submission_id)  # nobody else decided meanwhile
        changes.apply_all(con, batch)
        _decide(con, submission, "accepted", "moderator", run_id=run_id, verification=report.sentence(), by=by)
    return run_id


def reject(store: Store, submission_id: str, reason: str, *, by: str | None = None) -> None:
    """Reject a submission; its submitter reads the reason, which must not be blank.

    Raises:
        ModerationError: It is not waiting, or there is no reason.
        NotFoundError: There is no such submission.
    """
    text = _reason(reason)
    if not text:
        raise ModerationError("A rejection needs a reason, which its submitter reads. Nothing was changed.")
    with store.transaction() as con:
        _decide(con, _waiting(con, submission_id), "rejected", "moderator", reason=text, by=by)


def merge(store: Store, submission_id: str, into: str, *, reason: str = "", by: str | None = None) -> None:
    """Merge a submission into a run or another submission that says the same; its own run leaves the board.

    Raises:
        ModerationError: The two cannot be merged.
        NotFoundError: One of them does not exist.
    """
    text = _reason(reason)
    with store.transaction() as con:
        submission = records.load(con, submission_id)
        _require_state(submission, "waiting", "accepted")
        other, run_id = _target(con, into)
        own = submission.status
        if other == own.submission_id or (run_id is not None and run_id == own.run_id):
            raise ModerationError("A submission cannot be merged into itself. Nothing was changed.")
        table, key, value = ("submissions", "submission_id", other) if other else ("runs", "run_id", run_id)
        task = con.execute(f"SELECT task_id FROM {table} WHERE {key} = ?", [value]).fetchone()  # noqa: S608 - our own names
        if task is None or task[0] != submission.claim.task:
            raise ModerationError("The two are of different tasks and cannot be merged. Nothing was changed.")
        if own.run_id:
            _take_off_board(con, own.run_id, text or "Merged with another row.")
        _decide(con, submission, "merged", "moderator", reason=text, run_id=run_id, merged_into=other, by=by)


def withdraw(
    store: Store, submission_id: str, *, secret: str | None = None, reason: str = "", by: str | None = None
) -> None:
    """Withdraw a submission, from the queue or from the board; its rows stay in the database.

    With the secret of its submitter they withdraw it, else a moderator does.

    Raises:
        ModerationError: It is not waiting or on the board.
        NotFoundError: There is no such submission, or it is not one of the secret's.
    """
    text = _reason(reason)
    actor: Actor = "moderator" if secret is None else "submitter"
    with store.transaction() as con:
        if secret is not None:
            own = [status.submission_id for status in records.statuses(con, limits.secret_hash(secret))]
            if not any(len(submission_id) >= 8 and full.startswith(submission_id) for full in own):
                raise NotFoundError("This link belongs to no such submission. Nothing was changed.")
        submission = records.load(con, submission_id)
        _require_state(submission, "waiting", "accepted")
        run_id = submission.status.run_id
        if run_id:
            _take_off_board(con, run_id, text or f"Withdrawn by its {actor}.")
        _decide(con, submission, "withdrawn", actor, reason=text, run_id=run_id, by=by)


def _reason(reason: object) -> str | None:
    try:
        return values.text(reason, MAX_REASON, lines=True) or None
    except ValueProblemError as error:
        raise RefusedError(Code.REASON, problem=error.message) from None


def _waiting(con: duckdb.DuckDBPyConnection, submission_id: str) -> Submission:
    submission = records.load(con, submission_id)
    _require_state(submission, "waiting")
    return submission


def _require_state(submission: Submission, *states: State) -> None:
    status = submission.status
    if status.state not in states:
        raise ModerationError(
            f"Submission {status.submission_id[:12]} is {status.state}, and only one that is {' or '.join(states)} can "
            "be decided like this. Nothing was changed."
        )


def _target(con: duckdb.DuckDBPyConnection, into: str) -> tuple[str | None, str | None]:
    """Resolve an id into a submission and its run; a submission may have no run yet."""
    try:
        other = records.load(con, into).status
    except NotFoundError:
        try:
            return None, resolve(con, into)
        except NotFoundError:
            raise NotFoundError(f"There is no submission and no run {into!r}. Nothing was changed.") from None
    if other.state not in {"waiting", "accepted"}:
        raise ModerationError(
            f"Submission {other.submission_id[:12]} is {other.state}, so nothing can be merged into it. "
            "Nothing was changed."
        )
    return other.submission_id, other.run_id


def _take_off_board(con: duckdb.DuckDBPyConnection, run_id: str, reason: str) -> None:
    con.execute("INSERT INTO withdrawals VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [run_id, reason, utc_now()])


def _decide(
    con: duckdb.DuckDBPyConnection,
    submission: Submission,
    state: State,
    actor: Actor,
    *,
    reason: str | None = None,
    run_id: str | None = None,
    merged_into: str | None = None,
    verification: str | None = None,
    by: str | None = None,
) -> None:
    status = submission.status
    con.execute(
        "UPDATE submissions SET state = ?, reason = ?, run_id = ?, merged_into = ?, decided_at = ? "
        "WHERE submission_id = ?",
        [state, reason, run_id, merged_into, utc_now(), status.submission_id],
    )
    details = {
        "by": by,
        "reason": reason,
        "run_id": run_id,
        "merged_into": merged_into,
        "verification": verification,
        "before": status.state,
        "run_before": status.run_id,
    }
    audit.append(con, status.submission_id, state, actor, {key: value for key, value in details.items() if value})


def unverified(store: Store) -> list[str]:
    """List the submitted runs on the board that have predictions and no badge, the oldest first."""
    runs = store.query(
        "SELECT run_id FROM runs r WHERE source = 'submitted' AND NOT verified "
        "AND EXISTS (SELECT 1 FROM predictions p WHERE p.run_id = r.run_id) "
        "AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id) ORDER BY created_at, run_id"
    )
    return [str(run_id) for run_id in runs["run_id"]]


def verify_run(store: Store, run_id: str) -> Report:
    """Score a submitted run's predictions again, and update its badge, metrics and caveat.

    Raises:
        NotFoundError: There is no such run.
        FeatherboardError: It was not submitted; nothing was changed.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        run = con.execute(
            "SELECT source, task_id, task_version, recipe_json FROM runs WHERE run_id = ?", [full]
        ).fetchone()
        source, task_id, version, training = run or (None, None, None, None)
        if source != "submitted":
            raise FeatherboardError(
                f"Run {full[:12]} is {source}, and only submitted runs are verified here: a measured one is scored "
                "where it is made, a reported one has no predictions. Nothing was changed."
            )
        task = next((task for task in tasks.TASKS if (task.task_id, task.version) == (task_id, version)), None)
        if task is None:
            raise NotFoundError(f"Run {full[:12]} is of an older version of {task_id}. Nothing was changed.")
        submission_id, predictions, claimed, decimals = _claimed(con, full)
    report, gold = previews.examined(store, task.task_id, predictions, claimed, decimals, full)
    if report.state in {"no predictions", "no golds"}:
        return report  # nothing new is known
    row = {"run_id": full, "verified": report.verified, "caveat": report.caveat(), "updated_at": utc_now()}
    batch = [
        Change("runs", pd.DataFrame([row]), "update"),
        metrics_change(
            full, rows.metric_values(claimed, report, rows.scored_examples(task, json.loads(training or "{}")))
        ),
    ]
    if report.scores:
        batch.append(rows.predictions(task, full, predictions, gold.answers if gold else None))
    with store.transaction() as con:
        changes.apply_all(con, batch)
        if submission_id:
            audit.append(con, submission_id, "verified", "system", {"verification": report.sentence()})
    return report


def _claimed(
    con: duckdb.DuckDBPyConnection, run_id: str
) -> tuple[str | None, pd.DataFrame, dict[str, float], dict[str, int]]:
    """Read what was claimed and predicted: of the submission, else of the run itself, which came in a bundle."""
    own = con.execute(
        "SELECT submission_id FROM submissions WHERE run_id = ? AND state = 'accepted'", [run_id]
    ).fetchone()
    if own:
        submission = records.load(con, own[0])
        predictions = records.predictions(con, own[0])
        return str(own[0]), predictions, dict(submission.claim.metrics), dict(submission.decimals)
    predictions = con.execute(
        "SELECT example_id, predicted, score FROM predictions WHERE run_id = ? ORDER BY rowid", [run_id]
    ).df()
    metrics = dict(con.execute("SELECT name, value FROM metrics WHERE run_id = ?", [run_id]).fetchall())
    return None, predictions, metrics, {name: values.decimals(value) for name, value in metrics.items()}
