"""Batches of changes on their way into the database: a folder beside it, one file a batch.

A batch is acknowledged once its file is complete under its final name and both the file and the folder are on the disk;
no lock is needed for that. Whoever next has the database for itself takes all waiting batches in, oldest first, many in
one transaction, each exactly once: ``ingested_batches`` holds the names of those whose files may still be there. A file
goes only after the database has written itself to the disk past its own log, so a lost log loses nothing. A batch that
cannot be taken in is moved to ``rejected/``, never deleted.
"""

import logging
import os
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from db.base.atomic import atomic_write, sync_folder
from db.base.clock import utc_now
from db.base.errors import BundleError, one_line
from db.storage import changes
from db.storage.changes import KEYS, Change, Mode

_LOG = logging.getLogger("featherboard.journal")
_MAGIC = b"FBJ1"
_REFUSED = (BundleError, ValueError, duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError)
_AT_ONCE = 256 * 2**20
"""Bytes of batches that go in together; more take several transactions."""


def folder(database: Path) -> Path:
    """The journal of a database."""
    return database.with_name(database.name + ".journal")


def put(database: Path, batch: Sequence[Change]) -> Path:
    """Write a batch and return its file; when this returns, the batch survives a crash and a power cut."""
    target, newest = folder(database), "0"
    content = encode(batch)
    # Whoever begins after another batch was acknowledged is sorted behind it, even if the clock has gone back.
    with suppress(FileNotFoundError):
        newest = max((name[:20] for name in os.listdir(target) if name.endswith(".batch")), default="0")  # noqa: PTH208 - quick
    name = f"{max(time.time_ns(), int(newest) + 1):020d}-{uuid.uuid4().hex}.batch"
    with atomic_write(target / name) as part:
        part.write_bytes(content)
    return target / name


def waiting(database: Path) -> list[Path]:
    """The batches that wait, oldest first; an older version left them in a folder of another name."""
    older = database.with_name(database.name + ".spool")
    files = [*older.glob("*.batch"), *folder(database).glob("*.batch")]
    return sorted(files, key=lambda path: path.name)


def rejected(database: Path) -> list[Path]:
    """The batches that could not be taken in."""
    names = (database.name + ".spool", folder(database).name)
    return sorted(path for name in names for path in (database.with_name(name) / "rejected").glob("*.batch"))


def encode(batch: Sequence[Change]) -> bytes:
    """Pack a batch: a checksum, then one Arrow stream a change."""
    sink = pa.BufferOutputStream()
    for change in batch:
        rows = change.arrow().replace_schema_metadata({"table": change.table, "mode": change.mode})
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
    content = sink.getvalue().to_pybytes()
    return bytes(_MAGIC + zlib.crc32(content).to_bytes(4, "big") + content)


def decode(content: bytes, where: str) -> list[Change]:
    """Unpack a batch.

    Args:
        content: The whole file.
        where: Its name, for messages.

    Raises:
        BundleError: The content is not what was written.
    """
    if content[:2] == b"PK":
        return changes.unpack(content, "spool batch", where)
    if content[:4] != _MAGIC or zlib.crc32(content[8:]).to_bytes(4, "big") != content[4:8]:
        raise BundleError(f"{where}: is not a complete batch.")
    source = pa.BufferReader(content[8:])
    batch = []
    while source.tell() < source.size():
        with pa.ipc.open_stream(source) as stream:
            rows = stream.read_all()
        facts = rows.schema.metadata
        batch.append(Change(facts[b"table"].decode(), rows, cast("Mode", facts[b"mode"].decode())))
    return batch


def take_in(con: duckdb.DuckDBPyConnection, database: Path) -> list[Path]:
    """Take in every waiting batch and return the files that may go once the database is written to its end.

    A batch that is unreadable, or that the schema refuses, is set aside: it must not block those behind it. Any other
    error (a full disk, say) leaves the batches waiting.

    Args:
        con: Nobody else has the database open.
        database: Its file.
    """
    files = waiting(database)
    if not files:
        return []
    # The deletions of the last time reach the disk before their names are forgotten: a file that comes back after a
    # power cut would otherwise go in twice.
    sync_folder(files[0].parent)
    known = {row[0] for row in con.execute("SELECT batch_id FROM ingested_batches").fetchall()}
    forgotten = sorted(known - {path.stem for path in files})
    batches: dict[Path, list[Change]] = {}
    size = 0
    for path in files:
        if path.stem in known:
            continue
        try:
            content = path.read_bytes()
            batches[path] = decode(content, path.name)
        except _REFUSED as error:
            _set_aside(path, error)
            continue
        size += len(content)
        if size > _AT_ONCE:
            _take(con, batches, forgotten)
            batches, size = {}, 0
    _take(con, batches, forgotten)
    return [path for path in files if path.exists()]


def _take(con: duckdb.DuckDBPyConnection, batches: dict[Path, list[Change]], forgotten: list[str]) -> None:
    try:
        _commit(con, batches, forgotten)
    except _REFUSED as error:  # one of them is not taken; which one is learned by halves
        files = list(batches)
        if len(files) == 1:
            _set_aside(files[0], error)
            return
        for half in (files[: len(files) // 2], files[len(files) // 2 :]):
            _take(con, {path: batches[path] for path in half}, forgotten)


def _commit(con: duckdb.DuckDBPyConnection, batches: dict[Path, list[Change]], forgotten: list[str]) -> None:
    con.begin()
    try:
        for change in merged(change for batch in batches.values() for change in batch):
            changes.apply(con, change)
        con.execute("DELETE FROM ingested_batches WHERE batch_id IN (SELECT unnest(?))", [forgotten])
        rows = pd.DataFrame({"batch_id": [path.stem for path in batches], "ingested_at": utc_now()})
        con.register("taken", rows)
        con.execute("INSERT INTO ingested_batches SELECT batch_id, ingested_at FROM taken")
        con.unregister("taken")
    except BaseException:
        con.rollback()
        raise
    con.commit()


def _set_aside(path: Path, error: Exception) -> None:
    target = path.parent / "rejected"
    target.mkdir(exist_ok=True)
    saved = path.rename(target / path.name)
    _LOG.warning("A batch could not be taken in and was set aside at %s: %s", saved, one_line(error))


@dataclass
class _Group:
    """Changes of one table, mode and set of columns that go in with one statement."""

    mode: Mode
    columns: tuple[str, ...]
    parts: list[pa.Table] = field(default_factory=list)


def merged(batch: Iterable[Change]) -> Iterator[Change]:
    """Yield as few changes as do the same as all of them in order.

    Changes of different rows may change places, so those of one kind are joined unless a change of another kind to
    one of their rows comes between them. Of the same row in one group the last stands; in mode ``insert`` the first.
    """
    groups: dict[str, list[_Group]] = {}
    last: dict[tuple[str, object], int] = {}
    for change in batch:
        if not len(change.rows):
            continue
        rows, of_table = change.arrow(), groups.setdefault(change.table, [])
        keys = [(change.table, key) for key in pc.unique(rows[KEYS[change.table][0]]).to_pylist()]
        start = max((last.get(key, 0) for key in keys), default=0)
        kind = (change.mode, change.columns)
        index = next(
            (index for index in range(start, len(of_table)) if (of_table[index].mode, of_table[index].columns) == kind),
            len(of_table),
        )
        if index == len(of_table):
            of_table.append(_Group(*kind))
        of_table[index].parts.append(rows)
        last.update(dict.fromkeys(keys, index))
    for table, of_table in groups.items():
        for group in of_table:
            yield Change(table, _joined(table, group), group.mode)


def _joined(table: str, group: _Group) -> pa.Table:
    parts = [part.replace_schema_metadata(None) for part in group.parts]
    if len(parts) == 1:
        return parts[0]
    rows = pa.concat_tables(parts, promote_options="permissive")
    if group.mode == "replace":
        part = pa.array([number for number, part in enumerate(parts) for _ in range(len(part))])
        key = rows[KEYS[table][0]]
        last = pa.table({"key": key, "part": part}).group_by("key").aggregate([("part", "max")])
        return rows.filter(pc.equal(last["part_max"].take(pc.index_in(key, last["key"])), part))
    keys = list(KEYS[table])
    stands = "min" if group.mode == "insert" else "max"
    positions = rows.select(keys).append_column("_row", pa.array(range(len(rows))))
    wins = positions.group_by(keys).aggregate([("_row", stands)])[f"_row_{stands}"]
    return rows if len(wins) == len(rows) else rows.take(wins.sort())
