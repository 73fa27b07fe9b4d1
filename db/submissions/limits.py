"""How much is taken from one client and in all, and the hashes by which clients and submitters are recognised.

A submitter's secret is random and long, so a plain hash is enough. A client (such as a network address) could be
guessed, so its hash has a salt of the day, and salts are deleted after the two days in which limits count.
"""

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from datetime import timedelta

import duckdb

from db.base.clock import utc_now
from db.base.errors import LimitError

ROWS = 500
"""Rows of one submission at most."""

PREDICTIONS = 500_000
"""Predictions of one row at most; the largest test split has 50,000 examples."""

POINTS = 200_000
"""Curve points of one row at most."""


@dataclass(frozen=True)
class Limits:
    """How much is taken; 0 removes a limit.

    Attributes:
        per_hour: Submissions of one client in an hour.
        rows_per_day: Rows of one client in a day.
        waiting_mb: Megabytes of everything that waits for a decision.
        votes_per_hour: Votes of one client in an hour; see ``db.votes``.
    """

    per_hour: int = 10
    rows_per_day: int = 200
    waiting_mb: int = 500
    votes_per_hour: int = 60


_VARIABLES = {
    "per_hour": "FEATHERBOARD_SUBMISSIONS_PER_HOUR",
    "rows_per_day": "FEATHERBOARD_SUBMITTED_ROWS_PER_DAY",
    "waiting_mb": "FEATHERBOARD_SUBMISSIONS_WAITING_MB",
    "votes_per_hour": "FEATHERBOARD_VOTES_PER_HOUR",
}


def from_environment() -> Limits:
    """Read the limits of this installation.

    Raises:
        LimitError: A variable is not a whole number.
    """
    result: dict[str, int] = {}
    for field, variable in _VARIABLES.items():
        value = os.environ.get(variable, "").strip()
        if value:
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise LimitError(f"{variable} must be a whole number; 0 removes the limit. Nothing was saved.")
            result[field] = int(value)
    return Limits(**result)


def require(con: duckdb.DuckDBPyConnection, limits: Limits, client: str, via: str, rows: int, size: int) -> None:
    """Refuse a submission that is too much now, inside the transaction that would save it.

    Clients are not counted on the command line: whoever uses it has the database file itself.

    Raises:
        LimitError: A limit is exceeded; the message says when to try again.
    """
    waiting = _count(con, "SELECT coalesce(sum(bytes), 0) FROM submissions WHERE state = 'waiting'")
    if limits.waiting_mb and waiting + size > limits.waiting_mb * 1_000_000:
        raise LimitError(
            f"The queue is full: {waiting / 1e6:.1f} MB are waiting for a decision, this is {size / 1e6:.1f} MB, and "
            f"the limit is {limits.waiting_mb} MB. Nothing was saved; try again when some of it has been decided."
        )
    if via == "cli":
        return
    own = "FROM submissions WHERE client_hash IN (SELECT unnest(?)) AND created_at > ?"
    hashes, now = client_hashes(con, client), utc_now()
    recent = _count(con, f"SELECT count(DISTINCT batch_id) {own}", hashes, now - timedelta(hours=1))
    # Bundles come from whoever has the token of the service, eight runs at a time.
    if limits.per_hour and via != "quack" and recent >= limits.per_hour:
        raise LimitError(
            f"You have sent {recent} submissions within an hour, and the limit is {limits.per_hour}. Nothing was "
            "saved; try again later, or send several rows in one file."
        )
    today = _count(con, f"SELECT count(*) {own}", hashes, now - timedelta(days=1))
    if limits.rows_per_day and today + rows > limits.rows_per_day:
        raise LimitError(
            f"You have sent {today} rows within a day; with these {rows} it would be more than the limit of "
            f"{limits.rows_per_day}. Nothing was saved; try again tomorrow."
        )


def _count(con: duckdb.DuckDBPyConnection, sql: str, *parameters: object) -> int:
    row = con.execute(sql, list(parameters)).fetchone()
    return int(row[0]) if row else 0


def secret_hash(secret: str) -> str:
    """Hash a submitter's secret; only the hash is stored."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def client_hash(con: duckdb.DuckDBPyConnection, client: str) -> str:
    """Hash a client with today's salt, inside a transaction; old salts are deleted."""
    today = utc_now().date()
    con.execute("DELETE FROM submission_salts WHERE day < ?", [today - timedelta(days=1)])
    con.execute("INSERT INTO submission_salts VALUES (?, ?) ON CONFLICT DO NOTHING", [today, secrets.token_hex(32)])
    row = con.execute("SELECT salt FROM submission_salts WHERE day = ?", [today]).fetchone()
    return _salted(str(row[0]) if row else "", client)


def client_hashes(con: duckdb.DuckDBPyConnection, client: str) -> list[str]:
    """Hash a client with every salt that is stored, for what it sent within a day."""
    return [_salted(str(salt), client) for (salt,) in con.execute("SELECT salt FROM submission_salts").fetchall()]


def _salted(salt: str, client: str) -> str:
    return hmac.new(salt.encode(), client.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
