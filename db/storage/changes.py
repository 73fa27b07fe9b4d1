"""Writes as data.

A write is a list of changes, and a change is a table's name, a data frame and how it goes in. That one form serves
the transaction, the journal and the bundles that move runs between installations.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb
import pandas as pd
import pyarrow as pa

from db.base.errors import BundleError, one_line
from db.storage import outcomes, seals

Mode = Literal["upsert", "insert", "update", "replace"]

KEYS: dict[str, tuple[str, ...]] = {
    "tasks": ("task_id", "version"),
    "models": ("model_id",),
    "runs": ("run_id",),
    "metrics": ("run_id", "name"),
    "curves": ("run_id", "series", "step"),
    "predictions": ("run_id",),
    "artifacts": ("run_id", "kind", "path"),
    "slices": ("run_id", "facet", "part", "name"),
    "timings": ("run_id", "precision", "threads", "tokens", "batch"),
    "machines": ("run_id",),
    "feedback": ("feedback_id",),
}
"""The tables that may be written, each with its key. Which of them a bundle holds is up to ``db.runs.bundles``."""

_MANY = 10_000
_COLUMNS: dict[str, set[str]] = {}  # of the tables that were written to
_MANIFEST = "manifest.json"
_MEMBER_LIMIT = 512 * 1024 * 1024  # bytes unpacked; 50,000 predictions take 3 MB, so this is a bomb, not a run


@dataclass(frozen=True)
class Change:
    """Rows of one table and how they go in.

    Attributes:
        table: One of ``KEYS``.
        rows: A data frame, an Arrow table, or a list of rows with the same keys where many small writes must be
            cheap. Columns are a subset of the table's; the key columns must be there.
        mode: ``upsert`` inserts or overwrites by key, ``insert`` leaves alone what is there, ``update`` touches
            existing rows only, ``replace`` first deletes all rows of the key values that occur in ``rows``.
    """

    table: str
    rows: Any  # a union would have every reader of a frame check its type
    mode: Mode = "upsert"

    def __post_init__(self) -> None:
        """Refuse a table or a frame that cannot go in, before anything is opened."""
        if self.table not in KEYS:
            raise ValueError(f"unknown table {self.table!r}; known: {', '.join(KEYS)}")
        missing = [key for key in KEYS[self.table] if key not in self.columns]
        if missing:
            raise ValueError(f"rows for {self.table} lack the key column(s) {', '.join(missing)}")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that go in."""
        if isinstance(self.rows, list):
            return tuple(self.rows[0]) if self.rows else KEYS[self.table]
        return tuple(self.rows.column_names if isinstance(self.rows, pa.Table) else map(str, self.rows.columns))

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table; what pandas holds as NaN is missing."""
        if isinstance(self.rows, list):
            return pa.Table.from_pylist(self.rows)
        return self.rows if isinstance(self.rows, pa.Table) else pa.Table.from_pandas(self.rows, preserve_index=False)


def apply_all(con: duckdb.DuckDBPyConnection, batch: Iterable[Change], *, new: bool = False) -> None:
    """Write many changes, inside the caller's transaction, and then the digests of what they touched at once.

    Args:
        con: An open connection.
        batch: What to write.
        new: Expect that rows to be upserted are not there yet, which takes a third of the time.

    Raises:
        duckdb.ConstraintException: The schema refuses a row, or one that was expected to be new is there.
    """
    touched: dict[str, set[str]] = {}
    for change in batch:
        apply(con, change, new=new)
        if change.table in seals.PARTS:
            rows = change.rows
            ids = (row["run_id"] for row in rows) if isinstance(rows, list) else change.arrow()["run_id"].to_pylist()
            touched.setdefault(change.table, set()).update(ids)
    seals.refresh(con, touched)


def apply(con: duckdb.DuckDBPyConnection, change: Change, *, new: bool = False) -> None:
    """Write one change inside the caller's transaction, who writes the digests of its runs: see ``apply_all``."""
    if not len(change.rows):
        return
    try:
        _write(con, change, new=new)
        if change.table == "predictions":
            if len(change.rows) > _MANY:  # what follows needs the runs alone
                con.register("incoming", con.execute("SELECT DISTINCT run_id FROM incoming").to_arrow_table())
            outcomes.refresh(con, answers=change.mode != "replace" or {"f1", "em"} <= set(change.columns))
    finally:
        con.unregister("incoming")


def _write(con: duckdb.DuckDBPyConnection, change: Change, *, new: bool) -> None:
    keys = KEYS[change.table]
    columns = change.columns
    if not set(columns) <= _COLUMNS.get(change.table, set()):  # it may have been brought up to date since
        _COLUMNS[change.table] = {row[0] for row in con.execute(f"DESCRIBE {change.table}").fetchall()}
    unknown = sorted(set(columns) - _COLUMNS[change.table])
    if unknown:
        raise ValueError(f"{change.table} has no column {', '.join(unknown)}")
    names = ", ".join(columns)
    con.register("incoming", change.arrow())  # of a data frame DuckDB looks at every column again in each statement
    if change.mode == "replace":
        con.execute(f"DELETE FROM {change.table} WHERE ({keys[0]}) IN (SELECT {keys[0]} FROM incoming)")  # noqa: S608
        con.execute(f"INSERT INTO {change.table} ({names}) SELECT {names} FROM incoming")  # noqa: S608
        return
    others = [column for column in columns if column not in keys]
    if change.mode == "update":
        sets = ", ".join(f"{column} = incoming.{column}" for column in others)
        match = " AND ".join(f"{change.table}.{key} = incoming.{key}" for key in keys)
        con.execute(f"UPDATE {change.table} SET {sets} FROM incoming WHERE {match}")  # noqa: S608
        return
    insert = f"INSERT INTO {change.table} ({names}) SELECT {names} FROM incoming"  # noqa: S608
    if new:
        absent = f" ANTI JOIN {change.table} USING ({', '.join(keys)})" if change.mode == "insert" else ""
        con.execute(insert + absent)
        return
    if change.mode == "insert":
        con.execute(f"{insert} ON CONFLICT DO NOTHING")
        return
    sets = ", ".join(f"{column} = excluded.{column}" for column in others)
    con.execute(f"{insert} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {sets}")


def pack(changes: Sequence[Change], kind: str, facts: dict[str, object] | None = None) -> bytes:
    """Changes as one file: a zip of Parquet tables and a JSON manifest.

    Args:
        changes: What to pack.
        kind: What the file is for; ``unpack`` checks it.
        facts: Further JSON values for the manifest.
    """
    buffer = io.BytesIO()
    members = []
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for position, change in enumerate(changes):
            member = f"{position:03d}-{change.table}.parquet"
            frame = io.BytesIO()
            change.rows.to_parquet(frame, index=False, compression="zstd")
            _add(archive, member, frame.getvalue())
            members.append({"member": member, "table": change.table, "mode": change.mode, "rows": len(change.rows)})
        manifest = {"featherboard": kind, "format": 1, **(facts or {}), "changes": members}
        _add(archive, _MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1).encode())
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed time makes the same runs the same bytes.
    archive.writestr(zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0)), content)


def unpack(content: bytes, kind: str, where: str) -> list[Change]:
    """The changes of a packed file.

    Members are read by the names that the manifest gives and never written to disk, so a path inside the zip has no
    meaning.

    Raises:
        BundleError: The file is not a zip, not of this kind, or one of its tables cannot be read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            manifest = json.loads(_read(archive, _MANIFEST))
            if manifest.get("featherboard") != kind or manifest.get("format") != 1:
                raise BundleError(f"{where}: not a Featherboard {kind} of format 1; nothing was read.")
            return [
                Change(entry["table"], pd.read_parquet(io.BytesIO(_read(archive, entry["member"]))), entry["mode"])
                for entry in manifest["changes"]
            ]
    except BundleError:
        raise
    except Exception as error:
        reason = one_line(error)
        raise BundleError(f"{where}: not a readable Featherboard {kind} ({reason}); nothing was read.") from error


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MEMBER_LIMIT:
        raise BundleError(f"{name} unpacks to more than {_MEMBER_LIMIT // 2**20} MiB; nothing was read.")
    return archive.read(name)
