"""The audit of submissions and of what moderators write beside runs: rows are added and never changed.

Each row is sealed by a hash over itself and the seal before it, so that changing or removing one breaks the chain;
``broken`` finds where.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import duckdb
import pandas as pd

from db.base.clock import utc_now

Actor = Literal["moderator", "submitter", "system"]

_COLUMNS = "entry, submission_id, action, actor, details, done_at"


def append(
    con: duckdb.DuckDBPyConnection, submission_id: str, action: str, actor: Actor, details: Mapping[str, object]
) -> None:
    """Add a row about a submission, or about the run of that id, inside the transaction of the action itself."""
    last = con.execute("SELECT entry, seal FROM submission_audit ORDER BY entry DESC LIMIT 1").fetchone()
    entry, seal = (int(last[0]) + 1, str(last[1])) if last else (1, "")
    packed = json.dumps(dict(details), ensure_ascii=False, sort_keys=True)
    row = (entry, submission_id, action, actor, packed, utc_now())
    con.execute("INSERT INTO submission_audit VALUES (?, ?, ?, ?, ?, ?, ?)", [*row, _seal(seal, *row)])


def history(con: duckdb.DuckDBPyConnection, submission_id: str) -> pd.DataFrame:
    """List what was done with a submission and its run, oldest first: ``action, actor, details, done_at``."""
    return con.execute(
        "SELECT action, actor, details, done_at FROM submission_audit WHERE submission_id = $id OR submission_id IN "
        "(SELECT run_id FROM submissions WHERE submission_id = $id AND state <> 'merged') ORDER BY entry",
        {"id": submission_id},
    ).df()


def broken(con: duckdb.DuckDBPyConnection) -> int | None:
    """Return the number of the first row whose seal or number does not fit; None where all do."""
    seal_before, expected = "", 1
    for *row, seal in con.execute(f"SELECT {_COLUMNS}, seal FROM submission_audit ORDER BY entry").fetchall():  # noqa: S608 - a constant
        if row[0] != expected or seal != _seal(seal_before, *row):
            return expected
        seal_before, expected = str(seal), expected + 1
    return None


def _seal(
    seal_before: str, entry: int, submission_id: str, action: str, actor: str, details: str, done_at: datetime
) -> str:
    parts = [seal_before, entry, submission_id, action, actor, details, done_at.isoformat()]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
