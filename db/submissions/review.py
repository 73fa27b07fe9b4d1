"""What becomes of a submission. Every decision is checked here, kept in the audit, and deletes nothing."""

import duckdb

from db.base.clock import utc_now
from db.base.errors import ModerationError, NotFoundError, SubmissionError
from db.registry import tasks
from db.runs.detail import resolve
from db.runs.writer import new_run_id
from db.storage import changes
from db.storage.store import Store
from db.submissions import audit, claim_values, moderator, previews, records, rows, secrecy
from db.submissions.audit import Actor
from db.submissions.moderator import Tokens
from db.submissions.records import State, Submission
from db.submissions.verification import Report

LONGEST_REASON = 1000


def accept(store: Store, submission_id: str, *, token: str, tokens: Tokens = moderator.configured) -> str:
    """Put a submission on the board, verified where that is possible now, and return the id of its run.

    Args:
        store: The database.
        submission_id: An id, or its beginning.
        token: The moderator's.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is no moderator, or it does not wait.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        one = _waiting(con, submission_id)
        said = records.predictions(con, one.status.submission_id)
        points = records.curves(con, one.status.submission_id)
    report, right = previews.verified(store, one, said)
    run_id = new_run_id()
    batch = rows.as_changes(one.claim, run_id, report)
    if len(said):
        golds = None if right is None else right.answers
        batch.append(rows.predictions(tasks.by_id(one.claim.task), run_id, said, golds))
    if len(points):
        batch.append(rows.curves(run_id, points))
    with store.transaction() as con:
        one = _waiting(con, one.status.submission_id)  # nobody else decided meanwhile
        for change in batch:
            changes.apply(con, change)
        _decide(con, one, "accepted", "moderator", run_id=run_id, verification=report.sentence())
    return run_id


def reject(store: Store, submission_id: str, reason: str, *, token: str, tokens: Tokens = moderator.configured) -> None:
    """Turn a submission down; its submitter reads the reason.

    Args:
        store: The database.
        submission_id: An id, or its beginning.
        reason: For the submitter; it must say something.
        token: The moderator's.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is no moderator, it does not wait, or there is no reason.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    told = _reason(reason)
    if not told:
        raise ModerationError("A rejection needs a reason, which its submitter reads. Nothing was done.")
    with store.transaction() as con:
        _decide(con, _waiting(con, submission_id), "rejected", "moderator", reason=told)


def merge(
    store: Store, submission_id: str, into: str, *, token: str, reason: str = "", tokens: Tokens = moderator.configured
) -> None:
    """Let a run, or another submission, stand for this one as well.

    One that is on the board already leaves it.

    Args:
        store: The database.
        submission_id: An id, or its beginning.
        into: The id of a submission or a run, or its beginning.
        token: The moderator's.
        reason: For the submitter.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is no moderator, or the two cannot be merged.
        NotFoundError: One of them does not exist.
    """
    moderator.require(token, tokens)
    told = _reason(reason)
    with store.transaction() as con:
        one = records.one(con, submission_id)
        _need(one, "waiting", "accepted")
        other, run_id = _target(con, into)
        own = one.status
        if other == own.submission_id or (run_id is not None and run_id == own.run_id):
            raise ModerationError("A submission cannot stand for itself. Nothing was done.")
        _same_task(con, one, other, run_id)
        if own.run_id:
            _off_the_board(con, own.run_id, told or "Merged with another row.")
        _decide(con, one, "merged", "moderator", reason=told, run_id=run_id, merged_into=other)


def withdraw(
    store: Store,
    submission_id: str,
    *,
    token: str = "",
    secret: str = "",
    reason: str = "",
    tokens: Tokens = moderator.configured,
) -> None:
    """Take a submission back, be it waiting or on the board; its rows stay in the database.

    Args:
        store: The database.
        submission_id: An id, or its beginning.
        token: The moderator's, or none.
        secret: Its submitter's, or none.
        reason: Why.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is neither, or it is not there to be taken back.
        NotFoundError: There is no such submission; nor is there for a secret that is not its own.
    """
    if not secret:
        moderator.require(token, tokens)
    told = _reason(reason)
    with store.transaction() as con:
        if secret:
            _owned(con, submission_id, secret)
        one = records.one(con, submission_id)
        _need(one, "waiting", "accepted")
        actor: Actor = "submitter" if secret else "moderator"
        if one.status.run_id:
            _off_the_board(con, one.status.run_id, told or f"Withdrawn by its {actor}.")
        _decide(con, one, "withdrawn", actor, reason=told, run_id=one.status.run_id)


def _reason(reason: object) -> str | None:
    try:
        return claim_values.text(reason, LONGEST_REASON, lines=True) or None
    except ValueError as error:
        raise SubmissionError(f"The reason {error}. Nothing was done.") from None


def _owned(con: duckdb.DuckDBPyConnection, submission_id: str, secret: str) -> None:
    known = [one.submission_id for one in records.statuses(con, secrecy.secret_hash(secret))]
    if not any(len(submission_id) >= 8 and one.startswith(submission_id) for one in known):
        raise NotFoundError("This link belongs to no such submission. Nothing was done.")


def _waiting(con: duckdb.DuckDBPyConnection, submission_id: str) -> Submission:
    one = records.one(con, submission_id)
    _need(one, "waiting")
    return one


def _need(one: Submission, *states: State) -> None:
    if one.status.state not in states:
        raise ModerationError(
            f"Submission {one.status.submission_id[:12]} is {one.status.state}, and this is for one that is "
            f"{' or '.join(states)}. Nothing was done."
        )


def _target(con: duckdb.DuckDBPyConnection, into: str) -> tuple[str | None, str | None]:
    """The submission and the run that an id names; a submission may have no run yet."""
    try:
        other = records.one(con, into).status
    except NotFoundError:
        try:
            return None, resolve(con, into)
        except NotFoundError:
            raise NotFoundError(f"There is no submission and no run {into!r}. Nothing was done.") from None
    if other.state not in {"waiting", "accepted"}:
        raise ModerationError(
            f"Submission {other.submission_id[:12]} is {other.state} and cannot stand for another "
            "one. Nothing was done."
        )
    return other.submission_id, other.run_id


def _same_task(con: duckdb.DuckDBPyConnection, one: Submission, other: str | None, run_id: str | None) -> None:
    table, key, value = ("submissions", "submission_id", other) if other else ("runs", "run_id", run_id)
    found = con.execute(f"SELECT task_id FROM {table} WHERE {key} = ?", [value]).fetchone()  # noqa: S608 - our own names
    if found is None or found[0] != one.claim.task:
        raise ModerationError("The two are of different tasks and cannot be merged. Nothing was done.")


def _off_the_board(con: duckdb.DuckDBPyConnection, run_id: str, reason: str) -> None:
    con.execute("INSERT INTO withdrawals VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [run_id, reason, utc_now()])


def _decide(
    con: duckdb.DuckDBPyConnection,
    one: Submission,
    state: State,
    actor: Actor,
    *,
    reason: str | None = None,
    run_id: str | None = None,
    merged_into: str | None = None,
    verification: str | None = None,
) -> None:
    con.execute(
        "UPDATE submissions SET state = ?, reason = ?, run_id = ?, merged_into = ?, decided_at = ? "
        "WHERE submission_id = ?",
        [state, reason, run_id, merged_into, utc_now(), one.status.submission_id],
    )
    told = {
        "reason": reason,
        "run_id": run_id,
        "merged_into": merged_into,
        "verification": verification,
        "before": one.status.state,
        "run_before": one.status.run_id,
    }
    audit.append(con, one.status.submission_id, state, actor, {key: value for key, value in told.items() if value})


def note(con: duckdb.DuckDBPyConnection, submission_id: str, report: Report) -> None:
    """Keep in the audit that a run was verified again."""
    audit.append(con, submission_id, "verified", "system", {"verification": report.sentence()})
