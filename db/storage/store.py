"""Opening and closing the database.

DuckDB lets one process write and, while it does, no other process even read. So nobody keeps the file open here:
every query and every transaction opens it, works and closes it, waiting on a lock with bounded, jittered retries. A
writer that waits in vain leaves its rows in the spool (see ``db.storage.spool``).
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import duckdb
import pandas as pd
import tenacity

from db.base.clock import utc_now
from db.base.errors import StoreBusyError, StoreDamagedError, StoreMissingError, StoreVersionError, one_line
from db.base.paths import refuse_remote
from db.storage import changes, spool
from db.storage.changes import Change

_LOG = logging.getLogger("featherboard.store")

Written = Literal["committed", "spooled"]

_THREADS: dict[Path, threading.Lock] = {}


@cache
def migrations() -> tuple[tuple[int, str, str], ...]:
    """Every schema step as (number, name, SQL), in order."""
    files = sorted((resources.files("db.storage") / "schema").iterdir(), key=lambda file: file.name)
    return tuple(
        (int(file.name[:4]), file.name, file.read_text("utf-8")) for file in files if file.name.endswith(".sql")
    )


class Store:
    """One database file, opened for as short a time as possible."""

    def __init__(self, path: Path, wait_s: float = 15.0) -> None:
        """Name a database; nothing is opened or created.

        Args:
            path: The DuckDB file.
            wait_s: Seconds to wait for another process before giving up (readers) or spooling (writers).
        """
        refuse_remote(str(path))
        self.path = path
        self.wait_s = wait_s

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def generation(self) -> str:
        """A text that changes whenever the database does; cheap, for cache keys."""
        parts = []
        for path in (self.path, self._wal()):
            try:
                facts = path.stat()
            except FileNotFoundError:
                continue
            parts.append(f"{facts.st_ino}-{facts.st_mtime_ns}-{facts.st_size}")
        return "/".join(parts) or "none"

    def _wal(self) -> Path:
        return self.path.with_name(self.path.name + ".wal")

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        def attempt() -> duckdb.DuckDBPyConnection:
            try:
                return duckdb.connect(str(self.path), read_only=read_only)
            except (duckdb.Error, OSError) as error:
                raise self._explain(error, read_only=read_only) from error

        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_delay(self.wait_s),
            wait=tenacity.wait_random(0.005, 0.08),
            retry=tenacity.retry_if_exception_type(StoreBusyError),
            reraise=True,
        )
        return retrying(attempt)

    def _explain(self, error: Exception, *, read_only: bool) -> Exception:
        text = str(error)
        if "Could not set lock" in text or "different configuration" in text or "Conflicting lock" in text:
            return self._busy()
        if ("replaying WAL" in text or "WAL file" in text) and read_only:
            return StoreDamagedError(
                f"The write-ahead log of {self.path} could not be replayed ({one_line(error)}). Nothing was changed; "
                "`featherboard db init` sets the log aside and goes on from the last checkpoint."
            )
        if "replaying WAL" in text or "WAL file" in text:
            saved = self._set_wal_aside()
            return StoreDamagedError(
                f"The write-ahead log of {self.path} could not be replayed. It was kept as {saved.name}; the database "
                "holds all up to its last checkpoint. Run the command again, then `featherboard db check`."
            )
        return StoreDamagedError(
            f"{self.path} cannot be opened as a database ({one_line(error)}). The file was left as it is; restore a "
            "copy, or name another file with FEATHERBOARD_DB and run `featherboard db init`."
        )

    def _busy(self) -> StoreBusyError:
        return StoreBusyError(
            f"The database {self.path} stayed in use by another process for {self.wait_s:g} s. "
            "Nothing was changed; try again, or end the program that holds it."
        )

    def _broken(self, error: Exception) -> StoreDamagedError:
        return StoreDamagedError(
            f"{self.path} could not be read or written to its end ({one_line(error)}). Nothing was changed; look at "
            "the disk, or restore a copy."
        )

    def _set_wal_aside(self) -> Path:
        wal = self._wal()
        return wal.rename(wal.with_name(f"{wal.name}.damaged-{time.time_ns()}"))

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """An open, read-only connection for one short burst of queries.

        Raises:
            StoreMissingError: There is no such file.
            StoreBusyError: It stayed locked.
            StoreVersionError: Its schema is not this version's.
            StoreDamagedError: It is not a database.
        """
        if not self.exists():
            raise StoreMissingError(f"There is no database at {self.path}. Make one with `featherboard db init`.")
        con = self._connect(read_only=True)
        try:
            self._require_current(con)
            yield con
        except duckdb.IOException as error:
            raise self._broken(error) from error
        finally:
            con.close()

    def query(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> pd.DataFrame:
        """The rows of one query."""
        with self.read() as con:
            return con.execute(sql, parameters).df()

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A write connection inside one transaction; waiting batches of the spool go in first.

        The file is created and brought to the current schema where needed. An exception rolls everything back.
        """
        with self._alone(), self._writable() as con:
            self._migrate(con)
            spool.ingest(con, self.path)
            con.begin()
            try:
                yield con
            except BaseException:
                con.rollback()
                raise
            con.commit()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One writer at a time in this process: DuckDB's lock on the file keeps out other processes only."""
        lock = _THREADS.setdefault(self.path.resolve(), threading.Lock())
        if not lock.acquire(timeout=self.wait_s):
            raise self._busy()
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _writable(self) -> Iterator[duckdb.DuckDBPyConnection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        con = self._connect(read_only=False)
        try:
            yield con
        except (duckdb.IOException, duckdb.TransactionException) as error:  # the latter: a full disk at the commit
            raise self._broken(error) from error
        finally:
            con.close()

    def write(
        self, batch: Sequence[Change], before: Callable[[duckdb.DuckDBPyConnection], None] | None = None
    ) -> Written:
        """Write changes in one transaction, or spool them when the database stays busy.

        Args:
            batch: The changes.
            before: Called in the same transaction first; it may look, make room, or raise so that nothing is written.
                A batch that is spooled goes in without it.

        Returns:
            ``committed`` when they are in the database, ``spooled`` when the next writer will take them in. Either way
            they survive a crash once this returns.
        """
        try:
            with self.transaction() as con:
                if before is not None:
                    before(con)
                for change in batch:
                    changes.apply(con, change)
        except StoreBusyError:
            file = spool.put(self.path, batch)
            _LOG.warning("The database is busy; %d change(s) wait in %s", len(batch), file)
            return "spooled"
        return "committed"

    def migrate(self) -> list[str]:
        """Create the file or bring its schema up to date, and return the names of the steps taken."""
        with self._alone(), self._writable() as con:
            return self._migrate(con)

    def _migrate(self, con: duckdb.DuckDBPyConnection) -> list[str]:
        applied = self._applied(con)
        if not applied:
            self._refuse_foreign(con)
            con.execute(
                "CREATE TABLE IF NOT EXISTS schema_migrations "
                "(number INTEGER PRIMARY KEY, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)"
            )
        self._refuse_newer(applied)
        taken = []
        for number, name, sql in migrations():
            if number in applied:
                continue
            con.begin()
            try:
                con.execute(sql)
                con.execute("INSERT INTO schema_migrations VALUES (?, ?, ?)", [number, name, utc_now()])
            except BaseException:
                con.rollback()
                raise
            con.commit()
            taken.append(name)
        if taken:
            con.execute("CHECKPOINT")  # schema changes left in the write-ahead log may not survive a crash
        return taken

    def _require_current(self, con: duckdb.DuckDBPyConnection) -> None:
        applied = self._applied(con)
        if not applied:
            self._refuse_foreign(con)
        self._refuse_newer(applied)
        if len(applied) < len(migrations()):
            raise StoreVersionError(
                f"{self.path} has an older layout. Its rows are safe; bring it up to date with `featherboard db init`."
            )

    @staticmethod
    def _applied(con: duckdb.DuckDBPyConnection) -> set[int]:
        try:  # asking for the list of tables first would double the time of a look
            return {row[0] for row in con.execute("SELECT number FROM schema_migrations").fetchall()}
        except duckdb.CatalogException:
            return set()

    def _refuse_foreign(self, con: duckdb.DuckDBPyConnection) -> None:
        if con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name <> 'schema_migrations'").fetchone():
            raise StoreVersionError(
                f"{self.path} is a DuckDB database of another program. Nothing was changed; name another file with "
                "FEATHERBOARD_DB."
            )

    def _refuse_newer(self, applied: set[int]) -> None:
        newest = max((number for number, _, _ in migrations()), default=0)
        if applied and max(applied) > newest:
            raise StoreVersionError(
                f"{self.path} was written by a newer Featherboard (layout {max(applied)}, this one knows {newest}). "
                "Nothing was changed; update Featherboard."
            )
