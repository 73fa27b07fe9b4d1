"""A folder beside the database where a writer leaves its rows when the database stays busy.

Every batch is one file that appears under its final name only when it is complete. The next writer takes the batches
in, oldest first, each exactly once (``ingested_batches`` remembers), and deletes the file afterwards. A file that
cannot be taken in is set aside in ``rejected/``, never deleted.
"""

import logging
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write
from db.base.clock import utc_now
from db.base.errors import BundleError
from db.storage import changes
from db.storage.changes import Change

_LOG = logging.getLogger("featherboard.spool")
_KIND = "spool batch"
_REFUSED = (BundleError, ValueError, duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError)


def folder(database: Path) -> Path:
    """The spool of a database."""
    return database.with_name(database.name + ".spool")


def put(database: Path, batch: Sequence[Change]) -> Path:
    """Leave a batch in the spool and return its file; when this returns, the batch survives a crash."""
    target = folder(database)
    name = f"{time.time_ns():020d}-{uuid.uuid4().hex}.batch"
    with atomic_write(target / name) as part:
        part.write_bytes(changes.pack(batch, _KIND))
    return target / name


def waiting(database: Path) -> list[Path]:
    """The batches that wait, oldest first."""
    return sorted(folder(database).glob("*.batch"))


def ingest(con: duckdb.DuckDBPyConnection, database: Path) -> int:
    """Take in every waiting batch, each in a transaction of its own, and return how many went in.

    A batch that is unreadable, or that the schema refuses, is set aside: it must not block those behind it. Any other
    error (a full disk, say) leaves the batch waiting.
    """
    taken = 0
    for path in waiting(database):
        try:
            content = path.read_bytes()
        except FileNotFoundError:  # another writer was quicker
            continue
        con.begin()
        try:
            if not con.execute("SELECT 1 FROM ingested_batches WHERE batch_id = ?", [path.stem]).fetchone():
                for change in changes.unpack(content, _KIND, path.name):
                    changes.apply(con, change)
                con.execute("INSERT INTO ingested_batches VALUES (?, ?)", [path.stem, utc_now()])
                taken += 1
        except _REFUSED as error:
            con.rollback()
            _set_aside(path, error)
            continue
        except BaseException:
            con.rollback()
            raise
        con.commit()
        path.unlink(missing_ok=True)
    return taken


def _set_aside(path: Path, error: Exception) -> None:
    rejected = path.parent / "rejected"
    rejected.mkdir(exist_ok=True)
    renamed = path.rename(rejected / path.name)
    _LOG.warning("A spooled batch could not be taken in and was set aside at %s: %s", renamed, error)
