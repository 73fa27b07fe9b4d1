"""Batches of changes on their way into the database: a folder beside it, with one growing file for each process.

A batch is acknowledged once it is on the disk; no lock of the database is needed for that. Whoever next has the
database for itself takes all waiting batches in, oldest first, many in one transaction, each exactly once:
``ingested_batches`` holds how much of each file is in. A file goes only after the database has written itself to the
disk past its own log, so a lost log loses nothing. A batch that cannot be taken in is moved to ``rejected/``, never
deleted.
"""

import fcntl
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write, sync
from db.base.clock import utc_now
from db.base.errors import BundleError, one_line
from db.storage import changes
from db.storage.changes import Change
from db.storage.journal import encoding, notes, segments
from db.storage.journal.encoding import decode, encode
from db.storage.journal.merging import merged

__all__ = [
    "backlog",
    "decode",
    "encode",
    "folder",
    "merged",
    "move_away",
    "own",
    "put",
    "rejected",
    "retire",
    "sizes",
    "take_in",
    "taken",
    "waiting",
]

_LOG = logging.getLogger("featherboard.journal")
_REFUSED = (
    BundleError,
    ValueError,
    TypeError,
    KeyError,
    duckdb.DataError,
    duckdb.IntegrityError,
    duckdb.ProgrammingError,
)
_AT_ONCE = 256 * 2**20
"""Bytes of batches that go in together; more take several transactions."""


def folder(database: Path) -> Path:
    """The journal of a database."""
    return database.with_name(database.name + ".journal")


def put(database: Path, batch: Sequence[Change]) -> tuple[Path, int]:
    """Write a batch; when this returns, it survives a crash and a power cut.

    Returns:
        Its file, and how many batches this process has written to that.

    Raises:
        OSError: It could not be written; nothing of it was left.
    """
    return segments.append(folder(database), encode(batch))


def own(database: Path) -> Path | None:
    """The file to which this process appends; None where it has none."""
    return segments.own(folder(database))


def waiting(database: Path) -> list[Path]:
    """The files with batches that wait."""
    return list(sizes(database))


def sizes(database: Path) -> dict[Path, int]:
    """The files with batches that wait, and the size of each."""
    return {path: size for path, size, done in _unfinished(database)}


def backlog(database: Path) -> int:
    """How many bytes of batches wait."""
    return sum(size - max(0, done) for _, size, done in _unfinished(database))


def _unfinished(database: Path) -> Iterator[tuple[Path, int, int]]:
    """The files with batches that wait: the size of each, and how much of it is in the database, -1 where unknown."""
    noted = notes.read(database, folder(database))
    for path in _files(database):
        with suppress(FileNotFoundError):
            size, done = path.stat().st_size, noted.get(path.name, -1)
            if size > done:
                yield path, size, done


def _files(database: Path) -> list[Path]:
    """The files of the journal; older versions wrote one a batch, and once to a folder of another name."""
    files = []
    for name in (folder(database).name, database.name + ".spool"):
        path = database.with_name(name)
        with suppress(FileNotFoundError):
            files += [path / file for file in os.listdir(path) if file.endswith((".batch", segments.SUFFIX))]  # noqa: PTH208 - quick
    return sorted(files, key=lambda path: path.name)


def rejected(database: Path) -> list[Path]:
    """The batches that could not be taken in."""
    names = (database.name + ".spool", folder(database).name)
    return sorted(path for name in names for path in (database.with_name(name) / "rejected").glob("*.batch"))


@dataclass(frozen=True)
class _Batch:
    """A batch that waits.

    Attributes:
        file: Where it lies.
        stamp: Its place among all.
        end: Where the next one begins in the file; None in a file of one batch.
        changes: What it says; empty where it cannot be taken in.
        content: The same as it lies in the file.
    """

    file: Path
    stamp: int
    end: int | None
    changes: Sequence[Change]
    content: bytes

    @property
    def rejected(self) -> Path:
        """Where it goes when it cannot be taken in."""
        name = self.file.name if self.end is None else f"{self.file.stem}-{self.end}.batch"
        return self.file.parent / "rejected" / name


def take_in(con: duckdb.DuckDBPyConnection, database: Path) -> dict[Path, int | None]:
    """Take in every waiting batch and return the files, each with the bytes of it that are in; see ``retire``.

    A batch that is unreadable, or that the schema refuses, is set aside: it must not block those behind it. Any other
    error (a full disk, say) leaves the batches waiting.

    Args:
        con: Nobody else has the database open.
        database: Its file.
    """
    files = _files(database)
    if not files:
        return {}
    # The deletions of the last time reach the disk before their names are forgotten: a file that comes back after a
    # power cut would otherwise go in twice.
    sync(files[0].parent)
    taken = dict(con.execute("SELECT batch_id, bytes FROM ingested_batches").fetchall())
    forgotten = sorted(taken.keys() - {path.stem for path in files})
    batches: list[_Batch] = []
    for path in files:
        batches += _batches(path, taken)
    batches.sort(key=lambda batch: (batch.stamp, batch.file.name))
    start = size = 0
    for position, batch in enumerate(batches):
        size += len(batch.content)
        if size > _AT_ONCE:
            _take(con, batches[start : position + 1], forgotten)
            start, size = position + 1, 0
    _take(con, batches[start:], forgotten)
    in_all = {batch.file: batch.end for batch in batches}
    return {path: in_all.get(path, taken.get(path.stem, 0)) for path in files}


def taken(con: duckdb.DuckDBPyConnection, database: Path) -> dict[Path, int | None]:
    """The files of the journal, each with the bytes of it that are in; see ``retire``."""
    ends = dict(con.execute("SELECT batch_id, bytes FROM ingested_batches").fetchall())
    return {path: ends.get(path.stem, 0) for path in _files(database)}


def _batches(path: Path, taken: dict[str, int | None]) -> list[_Batch]:
    """The batches of a file that are not in the database yet; what cannot be read is set aside."""
    batches = []
    if path.suffix != segments.SUFFIX:
        if path.stem not in taken:
            batches.append(_read(path, int(path.name[:20]) if path.name[:20].isdigit() else 0, None, path.read_bytes()))
        return batches
    for frame in segments.frames(path, taken.get(path.stem) or 0):
        batches.append(_read(path, frame.stamp, frame.end, frame.content))
    return batches


def _read(path: Path, stamp: int, end: int | None, content: bytes) -> _Batch:
    try:
        if end is None and content[:2] != b"PK" and content[:4] != encoding.OLDER:
            raise BundleError(f"{path.name}: is not a complete batch.")
        return _Batch(path, stamp, end, decode(content, path.name), content)
    except _REFUSED as error:
        batch = _Batch(path, stamp, end, (), content)
        _set_aside(batch, error)
        return batch


def _take(con: duckdb.DuckDBPyConnection, batches: Sequence[_Batch], forgotten: list[str]) -> None:
    try:
        _commit(con, batches, forgotten)
    except _REFUSED as error:  # one of them is not taken; which one is learned by halves
        if len(batches) > 1:
            middle = len(batches) // 2
            _take(con, batches[:middle], forgotten)
            _take(con, batches[middle:], forgotten)
            return
        (batch,) = batches
        _set_aside(batch, error)
        _commit(con, [_Batch(batch.file, batch.stamp, batch.end, (), b"")], forgotten)


def _commit(con: duckdb.DuckDBPyConnection, batches: Sequence[_Batch], forgotten: list[str]) -> None:
    batch = list(merged(change for batch in batches for change in batch.changes))
    ends = {batch.file.stem: batch.end for batch in batches}
    try:
        _write(con, batch, ends, forgotten, new=True)
    except duckdb.ConstraintException:
        _write(con, batch, ends, forgotten, new=False)


def _write(
    con: duckdb.DuckDBPyConnection,
    batch: Sequence[Change],
    ends: dict[str, int | None],
    forgotten: list[str],
    *,
    new: bool,
) -> None:
    con.begin()
    try:
        changes.apply_all(con, batch, new=new)
        con.execute("DELETE FROM ingested_batches WHERE batch_id IN (SELECT unnest(?))", [[*forgotten, *ends]])
        con.execute(
            "INSERT INTO ingested_batches (batch_id, bytes, ingested_at) SELECT unnest(?), unnest(?::BIGINT[]), ?",
            [list(ends), list(ends.values()), utc_now()],
        )
    except BaseException:
        con.rollback()
        raise
    con.commit()


def _set_aside(batch: _Batch, error: Exception) -> None:
    with atomic_write(batch.rejected) as part:
        part.write_bytes(batch.content)
    _LOG.warning("A batch could not be taken in and was set aside at %s: %s", batch.rejected, one_line(error))


def retire(taken: dict[Path, int | None]) -> None:
    """Delete files whose batches are in the database, now that it is written to its end.

    Args:
        taken: Of ``take_in``.
    """
    for path, end in taken.items():
        if path.suffix != segments.SUFFIX:
            path.unlink(missing_ok=True)
        elif left := segments.retire(path, end or 0):
            batch = _Batch(path, 0, (end or 0) + len(left), (), left)
            _set_aside(batch, BundleError("the end of a file was never acknowledged, or is damaged"))


def move_away(database: Path, target: Path) -> None:
    """Move all that waits to another folder; a process that appends goes on in a new file."""
    for path in _files(database):
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # a batch that is on its way goes along
            path.rename(target / path.name)
