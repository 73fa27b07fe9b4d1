"""The record of what was done with submissions: rows are added and never touched again.

Each is sealed by a hash over itself and the seal before it. Who changes a row, or takes one out, would have to seal all
later ones anew; ``broken`` finds a chain that does not fit.
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
    """Add a row, inside the transaction of what it tells."""
    last = con.execute("SELECT entry, seal FROM submission_audit ORDER BY entry DESC LIMIT 1").fetchone()
    entry, before = (int(last[0]) + 1, str(last[1])) if last else (1, "")
    told = json.dumps(dict(details), ensure_ascii=False, sort_keys=True)
    row = (entry, submission_id, action, actor, told, utc_now())
    con.execute("INSERT INTO submission_audit VALUES (?, ?, ?, ?, ?, ?, ?)", [*row, _seal(before, *row)])


def of(con: duckdb.DuckDBPyConnection, submission_id: str) -> pd.DataFrame:
    """What was done with a submission, oldest first: ``action, actor, details, done_at``."""
    return con.execute(
        "SELECT action, actor, details, done_at FROM submission_audit WHERE submission_id = ? ORDER BY entry",
        [submission_id],
    ).df()


def broken(con: duckdb.DuckDBPyConnection) -> int | None:
    """The first row whose seal or number does not fit; None where all do."""
    before, expected = "", 1
    for *row, seal in con.execute(f"SELECT {_COLUMNS}, seal FROM submission_audit ORDER BY entry").fetchall():  # noqa: S608 - a constant
        if row[0] != expected or seal != _seal(before, *row):
            return expected
        before, expected = str(seal), expected + 1
    return None


def _seal(before: str, entry: int, submission_id: str, action: str, actor: str, details: str, at: datetime) -> str:
    told = json.dumps([before, entry, submission_id, action, actor, details, at.isoformat()], ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()
