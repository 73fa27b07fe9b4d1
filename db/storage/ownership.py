"""Which runs of a bundle may go in: adding is not changing.

A bundle adds runs. It replaces one only where it is signed by the installation that the run belongs to, or where a
moderator says so; the former version stays in the run's history. Rows that come with the package are replaced by the
package alone.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import duckdb
import pandas as pd

from db.base.clock import utc_now
from db.base.errors import BundleError
from db.storage import changes, seals
from db.storage.changes import Change

CLOCK_SKEW = timedelta(minutes=10)
"""How far the clock of another machine may be ahead."""

OF_RUNS = ("metrics", "curves", "predictions", "artifacts", "slices", "timings", "machines")
"""Tables with the rows of a run, besides ``runs`` itself."""

_TIMES = ("created_at", "finished_at", "updated_at", "heartbeat")

_RUN_ID = re.compile(r"(?!mean-)[0-9A-Za-z_-]{8,64}")
"""Ids name folders and stand in addresses, where ``mean-`` before one means its seeds."""

_UNKNOWN = dict.fromkeys(("stored_source", "stored_at", "origin", "installation", "withdrawn", "own"))
"""Of a run that is not here, in place of what ``stored`` says of others."""

_JSON = {"runs": ("recipe_json", "libraries"), "models": ("config",)}
"""Columns that programs parse."""

OWNER = """(SELECT coalesce(v.installation, 'unsigned') FROM provenance v
                WHERE v.run_id = r.run_id AND v.origin <> 'shipped') AS owner"""
"""A column of a query on ``runs r``: the other installation that a run came from; NULL for one of this installation or
of the package. Rows of boards hold runs of one owner, so that what somebody adds changes no row of others."""

ARRIVED = """greatest(r.created_at, coalesce((SELECT v.received_at FROM provenance v
                WHERE v.run_id = r.run_id AND v.origin <> 'shipped'), r.created_at))"""
"""An expression in a query on ``runs r``: since when a run is here; what a bundle says of its time does not decide."""


@dataclass(frozen=True)
class Source:
    """How a bundle came.

    Attributes:
        signer: The id of the installation that signed it; None where nobody did.
        own_id: The id of this installation.
        received_by: The name of the push token that it came by; None for a file.
        shipped: It comes with the package.
        replace: Runs that a moderator lets it replace.
    """

    signer: str | None
    own_id: str | None
    received_by: str | None = None
    shipped: bool = False
    replace: Collection[str] = ()

    @property
    def origin(self) -> str:
        """As the table ``provenance`` says it."""
        return "shipped" if self.shipped else "pushed" if self.received_by else "imported"

    def __str__(self) -> str:
        if self.shipped:
            return "the package"
        named = f"installation {self.signer[:12]}" if self.signer else "a bundle without signature"
        return f"{named}, by the push token {self.received_by}" if self.received_by else named


@dataclass(frozen=True)
class Decision:
    """What becomes of the runs of a bundle.

    Attributes:
        new: Ids that are added.
        newer: Ids that are replaced.
        unchanged: How many are here already and not older.
        refused: Ids that are left as they are here, each with the reason.
    """

    new: set[str] = field(default_factory=set)
    newer: set[str] = field(default_factory=set)
    unchanged: int = 0
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def taken(self) -> list[str]:
        """Ids of the runs that go in."""
        return sorted(self.new | self.newer)

    def sentence(self) -> str:
        """Word what was refused; empty where nothing was."""
        reasons: dict[str, list[str]] = {}
        for run_id, reason in self.refused.items():
            reasons.setdefault(reason, []).append(run_id[:12])
        return " ".join(
            f"Left as they were: {len(ids)} run(s) ({', '.join(ids[:3])}{', ...' if len(ids) > 3 else ''}), because "
            f"{reason}."
            for reason, ids in reasons.items()
        )


def check_runs(runs: pd.DataFrame, where: str) -> None:
    """Refuse a bundle with a run that cannot be one.

    Raises:
        BundleError: A run comes twice, has an id that is none, or is dated in the future.
    """
    _check_times(runs, where)
    for run_id in runs["run_id"]:
        if not isinstance(run_id, str) or not _RUN_ID.fullmatch(run_id):
            raise BundleError(
                f"{where}: {str(run_id)[:40]!r} is no id of a run (8 to 64 letters, digits, - and _); nothing was "
                "changed."
            )
    if runs["run_id"].duplicated().any():
        raise BundleError(f"{where}: holds a run twice; nothing was changed.")


def stored(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is known here of runs, by their ids, inside the transaction of the import; others are left out."""
    rows = con.execute(
        "SELECT r.run_id, r.source AS stored_source, r.updated_at AS stored_at, p.origin, p.installation, "
        "w.run_id IS NOT NULL AS withdrawn, p.run_id IS NULL AS own "
        "FROM runs r LEFT JOIN provenance p USING (run_id) LEFT JOIN withdrawals w USING (run_id) "
        "WHERE r.run_id IN (SELECT unnest(?))",
        [list(run_ids)],
    ).df()
    return {str(row["run_id"]): row for row in rows.to_dict("records")}


def decide(
    con: duckdb.DuckDBPyConnection, runs: pd.DataFrame, source: Source, known: Mapping[str, dict[str, Any]]
) -> Decision:
    """Decide which runs of a bundle go in, inside the transaction of the import, by what ``stored`` says of them."""
    present = [run_id for run_id in runs["run_id"] if run_id in known]
    changed = seals.changed(con, present) if source.shipped and present else set()
    new, newer, refused, unchanged = set[str](), set[str](), dict[str, str](), 0
    for incoming in runs[["run_id", "source", "updated_at"]].to_dict("records"):
        run_id = str(incoming["run_id"])
        row = {**incoming, **known.get(run_id, _UNKNOWN)}
        reason = _refusal(row, source)
        restored = source.shipped and (run_id in changed or row["origin"] != "shipped")
        if run_id in known and not (row["updated_at"] > row["stored_at"] or restored):
            unchanged += 1
        elif reason:
            refused[run_id] = reason
        else:
            (newer if run_id in known else new).add(run_id)
    return Decision(new, newer, unchanged, refused)


def _check_times(runs: pd.DataFrame, where: str) -> None:
    latest = utc_now() + CLOCK_SKEW
    for column in _TIMES:
        if column not in runs:
            continue
        times = pd.to_datetime(runs[column], format="ISO8601")
        for run_id, time in zip(runs["run_id"], times, strict=True):
            if time > latest:
                raise BundleError(
                    f"{where}: run {str(run_id)[:12]} is dated {time:%Y-%m-%d}, which is in the future; nothing was "
                    "changed. Set the clock of the machine that made it."
                )


def check_json(table: str, rows: pd.DataFrame, where: str) -> None:
    """Refuse JSON that the programs that read it cannot parse.

    Raises:
        BundleError: A text is no JSON, or too deep.
    """
    for column in _JSON[table]:
        for text in rows[column].dropna().unique() if column in rows else ():
            try:
                json.loads(text)
            except (ValueError, RecursionError) as error:
                raise BundleError(
                    f"{where}: {column} cannot be read ({type(error).__name__}); nothing was changed."
                ) from None


def _refusal(row: dict[str, object], source: Source) -> str:
    """Why a run may not go in; empty where it may."""
    known = row["stored_source"] is not None
    owner = source.own_id if bool(row["own"]) else row["installation"]
    by_moderator = row["run_id"] in source.replace
    reasons = (
        (row["source"] == "reported", "printed rows come with the package alone"),
        (
            known and (row["stored_source"] == "reported" or row["origin"] == "shipped"),
            "they come with the package, and `featherboard db init` alone replaces them",
        ),
        (known and bool(row["withdrawn"]), "they were withdrawn here"),
        (
            known and row["source"] != row["stored_source"] and not by_moderator,
            f"they are {row['stored_source']} here, and the bundle says {row['source']}",
        ),
        (
            known and not by_moderator and (source.signer is None or source.signer != owner),
            "they belong to another installation; a moderator can replace them with `featherboard db import --replace`",
        ),
    )
    return "" if source.shipped else next((reason for applies, reason in reasons if applies), "")


def keep_versions(con: duckdb.DuckDBPyConnection, run_ids: Collection[str], source: Source) -> None:
    """Store runs that are about to be replaced as former versions, each whole as a bundle."""
    for run_id in sorted(run_ids):
        run = con.execute("SELECT * FROM runs WHERE run_id = ?", [run_id]).df()
        if run["status"].item() == "running":  # what it was a minute ago is no version of it
            continue
        batch = [
            Change("models", con.execute("SELECT * FROM models WHERE model_id = ?", [run["model_id"].iloc[0]]).df()),
            Change("runs", run),
        ]
        for table in OF_RUNS:
            rows = con.execute(f"SELECT * FROM {table} WHERE run_id = ? ORDER BY ALL", [run_id]).df()  # noqa: S608
            if len(rows):
                batch.append(Change(table, rows, "replace" if table == "predictions" else "upsert"))
        figures = dict(con.execute("SELECT name, value FROM metrics WHERE run_id = ?", [run_id]).fetchall())
        content = changes.pack(batch, "run bundle", {"runs": 1})
        con.execute(
            "INSERT INTO run_versions SELECT ?, 1 + count(*), ?, ?, ?, ?, ? FROM run_versions WHERE run_id = ?",
            [run_id, run["name"].iloc[0], json.dumps(figures), utc_now(), str(source), content, run_id],
        )


def record(con: duckdb.DuckDBPyConnection, arrivals: Sequence[tuple[Decision, Source]]) -> None:
    """Record how runs came; a run that was replaced still belongs to whom it belonged before."""
    now = utc_now()
    rows, newer = list[tuple[object, ...]](), list[tuple[str | None, str]]()
    for decision, source in arrivals:
        came = decision.taken if source.shipped else sorted(decision.new)
        if source.shipped or source.signer is None or source.signer != source.own_id:
            rows += [(run_id, source.origin, source.signer, source.received_by, now) for run_id in came]
        newer += [(source.received_by, run_id) for run_id in sorted(decision.newer)]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        types = ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "TIMESTAMP")
        values = ", ".join(f"unnest(?::{kind}[])" for kind in types)
        con.execute(f"INSERT OR REPLACE INTO provenance SELECT {values}", columns)
    for received_by, run_id in newer:
        con.execute(
            "UPDATE provenance SET received_by = ?, received_at = ? WHERE run_id = ?", [received_by, now, run_id]
        )


def versions(con: duckdb.DuckDBPyConnection, run_id: str) -> pd.DataFrame:
    """List what a run was before: ``version, name, figures, replaced_at, replaced_by``, the newest first."""
    return con.execute(
        "SELECT version, name, figures, replaced_at, replaced_by FROM run_versions WHERE run_id = ? "
        "ORDER BY version DESC",
        [run_id],
    ).df()
