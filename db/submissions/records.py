"""Reading submissions: what their submitter sees, and what a moderator sees."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

import duckdb
import pandas as pd

from db.base import audit
from db.base.errors import NotFoundError
from db.base.problems import Problem
from db.storage.store import Store
from db.submissions.claim import Claim

State = Literal["waiting", "accepted", "rejected", "merged", "withdrawn"]
Via = Literal["form", "cli", "api", "quack"]

STATES: tuple[State, ...] = get_args(State)

_MAX_CURVE_POINTS = 20_000


@dataclass(frozen=True)
class Receipt:
    """The result of submitting: all rows wait, or nothing was saved and ``problems`` say why.

    Attributes:
        submissions: Ids, one for each draft, in their order.
        secret: Shows the submitter what becomes of the rows; returned this once.
        problems: Empty where all rows were saved.
    """

    submissions: tuple[str, ...] = ()
    secret: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the rows were saved."""
        return not self.problems


@dataclass(frozen=True)
class Status:
    """What a submitter sees of one row.

    Attributes:
        submission_id: Of the row.
        position: In its batch, from 1.
        task: A task's id.
        model: As it was submitted.
        state: What became of it.
        reason: Why it was rejected or withdrawn; None where no reason was written.
        run_id: The run that it became, or was merged into.
        merged_into: The submission that it was merged into.
        created_at: UTC.
        decided_at: UTC, of the last decision.
    """

    submission_id: str
    position: int
    task: str
    model: str
    state: State
    reason: str | None
    run_id: str | None
    merged_into: str | None
    created_at: datetime
    decided_at: datetime | None


@dataclass(frozen=True)
class Submission:
    """What a moderator sees of one row.

    Attributes:
        status: As its submitter sees it.
        claim: With its contact, which only moderators see.
        decimals: That its metrics were written with.
        via: The way in.
        filename: Of the file that it came in; None where it was typed.
        batch_id: Shared by the rows that were submitted together.
        digest: Of claim, predictions and curves.
        answers_hash: Of its predictions; None without.
        predictions: How many there are.
        points: How many points its curves have.
        bytes: Its size.
    """

    status: Status
    claim: Claim
    decimals: Mapping[str, int]
    via: Via
    filename: str | None
    batch_id: str
    digest: str
    answers_hash: str | None
    predictions: int
    points: int
    bytes: int


_STATUS = "submission_id, position, task_id, model, state, reason, run_id, merged_into, created_at, decided_at"


def statuses(con: duckdb.DuckDBPyConnection, secret_hash: str) -> list[Status]:
    """Read the rows of one secret, in the order in which they were submitted."""
    rows = con.execute(
        f"SELECT {_STATUS} FROM submissions WHERE secret_hash = ? ORDER BY position",  # noqa: S608 - a constant
        [secret_hash],
    ).fetchall()
    return [Status(*row) for row in rows]


def load(con: duckdb.DuckDBPyConnection, submission_id: str) -> Submission:
    """Read a submission by its id, or the beginning of it (8 characters at least).

    Raises:
        NotFoundError: There is none, or several begin like that.
    """
    row = con.execute(
        f"""
        SELECT {_STATUS}, claim, decimals, contact, via, filename, batch_id, digest, answers_hash,
               (SELECT count(*) FROM submission_predictions p WHERE p.submission_id = s.submission_id) AS predictions,
               (SELECT count(*) FROM submission_curves c WHERE c.submission_id = s.submission_id) AS points, bytes
        FROM submissions s WHERE submission_id = ?
        """,  # noqa: S608 - a constant
        [resolve(con, submission_id)],
    ).fetchone()
    columns = row or ()
    count = _STATUS.count(",") + 1
    claim, decimals, contact, *rest = columns[count:]
    whole = Claim.model_validate({**json.loads(claim), "contact": contact or ""})
    return Submission(Status(*columns[:count]), whole, json.loads(decimals), *rest)


def resolve(con: duckdb.DuckDBPyConnection, submission_id: str) -> str:
    """Complete the id of a submission; see ``load``."""
    rows = con.execute(
        "SELECT submission_id FROM submissions WHERE starts_with(submission_id, ?) LIMIT 2", [submission_id]
    ).fetchall()
    if not rows or (len(submission_id) < 8 and rows[0][0] != submission_id):
        raise NotFoundError(f"There is no submission {submission_id!r}; `featherboard moderate list` shows them.")
    if len(rows) > 1:
        raise NotFoundError(f"Several submissions begin with {submission_id!r}; write more of the id.")
    return str(rows[0][0])


def predictions(con: duckdb.DuckDBPyConnection, submission_id: str, limit: int | None = None) -> pd.DataFrame:
    """Read the (first) predictions of a submission, as they came: ``example_id, predicted, score``."""
    return con.execute(
        "SELECT example_id, predicted, score FROM submission_predictions WHERE submission_id = ? ORDER BY rowid "
        "LIMIT ?",
        [submission_id, limit],
    ).df()


def curves(con: duckdb.DuckDBPyConnection, submission_id: str) -> pd.DataFrame:
    """Read the curves of a submission: ``series, step, epoch, value``."""
    return con.execute(
        "SELECT series, step, epoch, value FROM submission_curves WHERE submission_id = ? ORDER BY series, step",
        [submission_id],
    ).df()


# What the moderation page and `featherboard moderate` read. The page checks the moderator's token before it calls.


def queue(
    store: Store, *, states: Sequence[State] = ("waiting",), limit: int = 500, search: str = "", batch: str = ""
) -> pd.DataFrame:
    """List submissions, the oldest first.

    Args:
        store: The database.
        states: In which states; empty: all.
        limit: Rows at most.
        search: Words, each of which is part of the model's name, the task, the file's name or the reason, ignoring
            case, or the beginning of an id.
        batch: Only the rows of this batch; empty: all.

    Returns:
        ``submission_id, batch_id, position, task_id, model, state, reason, run_id, merged_into, via, filename, claim``
        (JSON), ``predictions`` (how many), ``created_at, decided_at``.
    """
    return store.query(
        """
        SELECT submission_id, batch_id, position, task_id, model, state, reason, run_id, merged_into, via, filename,
               claim, coalesce(p.predictions, 0) AS predictions, created_at, decided_at
        FROM submissions LEFT JOIN (SELECT submission_id, count(*) AS predictions FROM submission_predictions GROUP BY
                                    ALL) p USING (submission_id)
        WHERE state IN (SELECT unnest($states)) AND ($batch = '' OR batch_id = $batch)
          AND len(list_filter($words, lambda word:
              NOT (contains(lower(concat_ws(' ', model, task_id, filename, reason)), word)
                   OR starts_with(submission_id, word) OR starts_with(coalesce(run_id, ''), word)))) = 0
        ORDER BY created_at, batch_id, position LIMIT $rows
        """,
        {"states": list(states or STATES), "rows": limit, "batch": batch, "words": search.lower().split()[:20]},
    )


def counts(store: Store) -> dict[State, int]:
    """Count the submissions in each state."""
    rows = store.query("SELECT state, count(*) AS rows FROM submissions GROUP BY state").set_index("state")["rows"]
    return {state: int(rows.get(state, 0)) for state in STATES}


def read(store: Store, submission_id: str) -> Submission:
    """Read one submission, with its contact; see ``load``."""
    with store.read() as con:
        return load(con, submission_id)


def answers(store: Store, submission_id: str, *, limit: int = 200) -> pd.DataFrame:
    """Read the first predictions of a submission, as they came: ``example_id, predicted, score``."""
    with store.read() as con:
        return predictions(con, resolve(con, submission_id), limit)


def points(store: Store, submission_id: str, *, limit: int = _MAX_CURVE_POINTS) -> pd.DataFrame:
    """Read the curves of a submission: ``series, step, epoch, value``; of long ones the first of each series."""
    with store.read() as con:
        frame = curves(con, resolve(con, submission_id))
    if len(frame) <= limit:
        return frame
    each = max(1, limit // frame["series"].nunique())
    return frame.groupby("series", sort=False).head(each).reset_index(drop=True)


def history(store: Store, submission_id: str) -> pd.DataFrame:
    """List what was done with a submission, oldest first: ``action, actor, details`` (JSON) and ``done_at``."""
    with store.read() as con:
        return audit.history(con, resolve(con, submission_id))
