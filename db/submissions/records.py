"""What is read of submissions: what their submitter sees, and what a moderator sees."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import duckdb
import pandas as pd

from db.base.errors import NotFoundError
from db.submissions.claim import Claim

State = Literal["waiting", "accepted", "rejected", "merged", "withdrawn"]
Via = Literal["form", "cli", "api", "quack"]

STATES: tuple[State, ...] = ("waiting", "accepted", "rejected", "merged", "withdrawn")


@dataclass(frozen=True)
class Problem:
    """What is wrong with one field of one draft; both count from 1.

    Attributes:
        draft: Its number; 0 where it is about all of them.
        field: Which field, or a part of it.
        message: In words.
    """

    draft: int
    field: str
    message: str

    def __str__(self) -> str:
        """In one line."""
        return f"row {self.draft}, {self.field}: {self.message}" if self.draft else f"{self.field}: {self.message}"


@dataclass(frozen=True)
class Receipt:
    """What became of what was handed in: all of it waits, or nothing was kept and ``problems`` say why.

    Attributes:
        submissions: Ids, one a draft, in their order.
        secret: By which the submitter sees what becomes of them; given this once.
        problems: Empty where all was taken.
    """

    submissions: tuple[str, ...] = ()
    secret: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def taken(self) -> bool:
        """Whether it waits."""
        return not self.problems


@dataclass(frozen=True)
class Status:
    """What a submitter sees of one row.

    Attributes:
        submission_id: Of the row.
        position: In its batch, from 1.
        task: A task's id.
        model: As it was handed in.
        state: Where it stands.
        reason: Why it was rejected or withdrawn; None where nothing was said.
        run_id: The run that it became, or was merged into.
        merged_into: The submission that stands for it.
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
    """A row as moderators see it.

    Attributes:
        status: As its submitter sees it.
        claim: With its contact, which stays among moderators.
        decimals: To how many decimals its figures were written.
        via: The way in.
        filename: Of the file that it came in; None where it was typed.
        batch_id: Handed in together.
        digest: Of claim, predictions and curves.
        answers_hash: Of its predictions; None without.
        predictions: How many there are.
        points: Points of its curves.
        bytes: That it takes.
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
    """What one secret opens, in the order in which it was handed in."""
    rows = con.execute(
        f"SELECT {_STATUS} FROM submissions WHERE secret_hash = ? ORDER BY position",  # noqa: S608 - a constant
        [secret_hash],
    ).fetchall()
    return [Status(*row) for row in rows]


def one(con: duckdb.DuckDBPyConnection, submission_id: str) -> Submission:
    """A submission by its id, or its beginning (8 characters at least).

    Raises:
        NotFoundError: There is none, or several begin so.
    """
    full = resolve(con, submission_id)
    row = con.execute(
        f"""
        SELECT {_STATUS}, claim, decimals, contact, via, filename, batch_id, digest, answers_hash,
               (SELECT count(*) FROM submission_predictions p WHERE p.submission_id = s.submission_id) AS predictions,
               (SELECT count(*) FROM submission_curves c WHERE c.submission_id = s.submission_id) AS points, bytes
        FROM submissions s WHERE submission_id = ?
        """,  # noqa: S608 - a constant
        [full],
    ).fetchone()
    found = row or ()
    count = _STATUS.count(",") + 1
    claim, decimals, contact, *rest = found[count:]
    return Submission(
        Status(*found[:count]), Claim.model_validate({**_json(claim), "contact": contact or ""}), _json(decimals), *rest
    )


def resolve(con: duckdb.DuckDBPyConnection, submission_id: str) -> str:
    """The whole id of a submission; see ``one``."""
    found = con.execute(
        "SELECT submission_id FROM submissions WHERE starts_with(submission_id, ?) LIMIT 2", [submission_id]
    ).fetchall()
    if not found or (len(submission_id) < 8 and found[0][0] != submission_id):
        raise NotFoundError(f"There is no submission {submission_id!r}; `featherboard moderate list` shows them.")
    if len(found) > 1:
        raise NotFoundError(f"Several submissions begin with {submission_id!r}; give more of the id.")
    return str(found[0][0])


def predictions(con: duckdb.DuckDBPyConnection, submission_id: str, limit: int | None = None) -> pd.DataFrame:
    """Of one submission, as they came: ``example_id, predicted, score``; the first ones where there is a limit."""
    return con.execute(
        "SELECT example_id, predicted, score FROM submission_predictions WHERE submission_id = ? ORDER BY rowid "
        "LIMIT ?",
        [submission_id, limit],
    ).df()


def curves(con: duckdb.DuckDBPyConnection, submission_id: str) -> pd.DataFrame:
    """Of one submission: ``series, step, epoch, value``."""
    return con.execute(
        "SELECT series, step, epoch, value FROM submission_curves WHERE submission_id = ? ORDER BY series, step",
        [submission_id],
    ).df()


def _json(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found
