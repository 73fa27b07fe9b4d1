"""How much is taken: from one client in an hour and a day, in one submission, and waiting in all."""

import os
from dataclasses import dataclass
from datetime import timedelta

import duckdb

from db.base.clock import utc_now
from db.base.errors import LimitError
from db.submissions import secrecy

ROWS = 500
"""Rows of one submission at most."""

PREDICTIONS = 500_000
"""Predictions of one row at most; the largest test split here has 50,000 examples."""

POINTS = 200_000
"""Curve points of one row at most."""


@dataclass(frozen=True)
class Limits:
    """What is taken; 0 takes the limit away.

    Attributes:
        per_hour: Submissions of one client in an hour.
        rows_per_day: Rows of one client in a day.
        waiting_mb: Megabytes of all that waits for a decision.
    """

    per_hour: int = 10
    rows_per_day: int = 200
    waiting_mb: int = 500


_VARIABLES = {
    "per_hour": "FEATHERBOARD_SUBMISSIONS_PER_HOUR",
    "rows_per_day": "FEATHERBOARD_SUBMITTED_ROWS_PER_DAY",
    "waiting_mb": "FEATHERBOARD_SUBMISSIONS_WAITING_MB",
}


def from_environment() -> Limits:
    """The limits of this installation.

    Raises:
        LimitError: A variable holds no whole number.
    """
    found: dict[str, int] = {}
    for field, variable in _VARIABLES.items():
        given = os.environ.get(variable, "").strip()
        if given:
            if not (given.isascii() and given.isdigit() and len(given) < 10):
                raise LimitError(f"{variable} must be a whole number; 0 takes the limit away. Nothing was taken.")
            found[field] = int(given)
    return Limits(**found)


def require(con: duckdb.DuckDBPyConnection, limits: Limits, client: str, via: str, rows: int, size: int) -> None:
    """Refuse what is too much now; inside the transaction that would take it.

    Whoever is at the command line holds the database file itself, so no client is counted there.

    Args:
        con: An open transaction.
        limits: What is taken.
        client: Who hands it in, as its address names it.
        via: The way in.
        rows: Of the submission.
        size: Its bytes.

    Raises:
        LimitError: It is too much; the message says until when.
    """
    waiting = _one(con, "SELECT coalesce(sum(bytes), 0) FROM submissions WHERE state = 'waiting'")
    if limits.waiting_mb and waiting + size > limits.waiting_mb * 1_000_000:
        raise LimitError(
            f"The queue is full: {waiting / 1e6:.1f} MB wait for a decision, this is {size / 1e6:.1f} MB, and "
            f"{limits.waiting_mb} MB is the most. Nothing was taken; try again when some of it has been decided."
        )
    if via == "cli":
        return
    known = secrecy.client_hashes(con, client)
    now = utc_now()
    lately = _one(
        con,
        "SELECT count(DISTINCT batch_id) FROM submissions WHERE client_hash IN (SELECT unnest(?)) AND created_at > ?",
        known,
        now - timedelta(hours=1),
    )
    # A listener takes bundles from whoever knows its token, eight runs at a time.
    if limits.per_hour and via != "quack" and lately >= limits.per_hour:
        raise LimitError(
            f"{lately} submissions came from you within an hour, and {limits.per_hour} is the most. Nothing was taken; "
            "try again later, or hand several rows in as one file."
        )
    today = _one(
        con,
        "SELECT count(*) FROM submissions WHERE client_hash IN (SELECT unnest(?)) AND created_at > ?",
        known,
        now - timedelta(days=1),
    )
    if limits.rows_per_day and today + rows > limits.rows_per_day:
        raise LimitError(
            f"{today} rows came from you within a day, these are {rows}, and {limits.rows_per_day} is the most. "
            "Nothing was taken; try again tomorrow."
        )


def _one(con: duckdb.DuckDBPyConnection, sql: str, *parameters: object) -> int:
    row = con.execute(sql, list(parameters)).fetchone()
    return int(row[0]) if row else 0
