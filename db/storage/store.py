"""The database: reading it, changing it, and writing results without waiting for it.

Nobody keeps the file open: every query and every transaction attaches it, works and lets go of it; see
``db.storage.access``. Results of runs do not wait for the file at all: ``append`` leaves them in the journal, on the
disk when it returns, and whoever reads or changes the database next takes them in first; see ``db.storage.journal``. So
a reader sees everything that was acknowledged before it began.
"""

import atexit
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import duckdb
import pandas as pd

from db.base.errors import StoreBusyError, StoreDamagedError, StoreError, StoreMissingError, one_line
from db.base.paths import refuse_remote
from db.storage import access, changes, damage, journal, migrations
from db.storage.changes import Change
from db.storage.journal import notes, spare_blocks

_LOG = logging.getLogger("featherboard.store")

Written = Literal["committed", "journalled"]

TAKE_IN_S = 2.0
"""A reader waits at most this long to take in what others wrote, and then reads without it."""

LOG_BYTES = 128 * 1024
"""What is taken in stays in the write-ahead log, and in the journal, until the log is this long: writing the database
to its end takes longer than all else, and longer with more rows. Each opening goes through the log."""

MANY_WAITING = 256
"""When so many of a process's batches wait, it takes all in unless the database is busy; at 8 times as many, always."""

_APPENDED: set[Path] = set()  # databases that this process has written to


class Store:
    """One database file, opened for as short a time as possible."""

    def __init__(self, path: Path, wait_s: float = 15.0) -> None:
        """Name a database; nothing is opened or created.

        Args:
            path: The DuckDB file.
            wait_s: Seconds to wait for another process before giving up.
        """
        refuse_remote(str(path))
        self.path = path
        self.wait_s = wait_s

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def generation(self) -> str:
        """A text that changes whenever the database does; cheap, for cache keys. What waits is taken in first."""
        if self.exists():
            with suppress(StoreError, OSError):
                self.take_in(min(1.0, self.wait_s))
        parts = []
        for path in (self.path, self.path.with_name(self.path.name + ".wal"), *journal.waiting(self.path)):
            with suppress(FileNotFoundError):
                facts = path.stat()
                parts.append(f"{facts.st_ino}-{facts.st_mtime_ns}-{facts.st_size}")
        return "/".join(parts) or "none"

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
        if not access.holds_for_reading(journal.folder(self.path)):
            try:
                self.take_in(min(TAKE_IN_S, self.wait_s))
            except (StoreError, OSError) as error:
                _LOG.warning("What waits beside the database is not shown yet: %s", error)
        with self._locked(self.wait_s, exclusive=False), self._attached(self.wait_s, read_only=True) as con:
            migrations.require_current(con, self.path)
            yield con

    def query(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> pd.DataFrame:
        """The rows of one query."""
        with self.read() as con:
            return con.execute(sql, parameters).df()

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A write connection inside one transaction; what waits in the journal goes in first.

        The file is created and brought to the current schema where needed. An exception rolls everything back.
        """
        with self._locked(self.wait_s, exclusive=True), self._attached(self.wait_s, read_only=False) as con:
            if migrations.migrate(con, self.path):
                self._settle(con, {})
            files = journal.take_in(con, self.path)
            con.begin()
            try:
                yield con
            except BaseException:
                con.rollback()
                raise
            con.commit()
            self._settle(con, files, log=True)

    def write(
        self, batch: Sequence[Change], before: Callable[[duckdb.DuckDBPyConnection], None] | None = None
    ) -> Written:
        """Write changes in one transaction, or leave them in the journal when the database stays busy.

        Args:
            batch: The changes.
            before: Called in the same transaction first; it may look, make room, or raise so that nothing is written.
                A batch that goes to the journal goes in without it.

        Returns:
            ``committed`` when they are in the database, ``journalled`` when the next reader or writer will take them
            in. Either way they survive a crash once this returns.
        """
        try:
            with self.transaction() as con:
                if before is not None:
                    before(con)
                changes.apply_all(con, batch)
        except StoreBusyError:
            self._put(batch)
            return "journalled"
        return "committed"

    def append(self, batch: Sequence[Change]) -> None:
        """Write changes to the journal: on the disk when this returns, seen by whoever reads next.

        The rows must be such as the schema takes: nobody is there to be told when they go in. A database that is
        missing or older is made or brought up to date, once a process.

        Raises:
            StoreError: The database is another program's or a newer version's, or the disk is full.
        """
        if self.path not in _APPENDED and not damage.missing(self.path, journal.folder(self.path)):
            with suppress(StoreBusyError):
                self.migrate()
            atexit.register(self._at_exit)
            _APPENDED.add(self.path)
        waiting = self._put(batch)
        if waiting % MANY_WAITING == 0:
            with suppress(StoreError, OSError):
                self.take_in(self.wait_s if waiting >= 8 * MANY_WAITING else 0.0)

    def take_in(self, wait_s: float) -> None:
        """Take in what waits in the journal.

        Args:
            wait_s: Seconds to wait for the database.

        Raises:
            StoreBusyError: It stayed in use.
        """
        if not (before := journal.sizes(self.path)):
            return
        with self._locked(wait_s, exclusive=True):
            noted = notes.read(self.path, journal.folder(self.path))
            if all(noted.get(path.name, -1) >= size or not path.exists() for path, size in before.items()):
                return  # somebody else has done it meanwhile
            with self._attached(wait_s, read_only=False) as con:
                migrations.require_current(con, self.path)
                files = journal.take_in(con, self.path)
                nothing_new = all(noted.get(path.name) == end for path, end in files.items())
                if nothing_new or not 0 < damage.log_bytes(self.path) <= LOG_BYTES:
                    self._settle(con, files)
            notes.write(self.path, journal.folder(self.path), files)

    @contextmanager
    def settled(self) -> Iterator[Path]:
        """Hold the database alone, all that waited taken in and its file written to the end; yield the file.

        Raises:
            StoreMissingError: There is no such file.
            StoreBusyError: It stayed in use.
            StoreDamagedError: It is not whole.
        """
        if not self.exists():
            raise StoreMissingError(f"There is no database at {self.path}. Make one with `featherboard db init`.")
        with self.alone():
            with self._attached(self.wait_s, read_only=False) as con:
                migrations.require_current(con, self.path)
                if not self._settle(con, journal.take_in(con, self.path)):
                    raise StoreDamagedError(
                        f"{self.path} could not be written to its end; what it holds is safe in its log and its "
                        "journal. Look at the disk and its free space, then run the command again."
                    )
            yield self.path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the database for oneself without opening it.

        Raises:
            StoreBusyError: It stayed in use.
        """
        with self._locked(self.wait_s, exclusive=True):
            yield

    def migrate(self) -> list[str]:
        """Create the file or bring its schema up to date, and return the names of the steps taken."""
        with self._locked(self.wait_s, exclusive=True):
            new = not self.exists()
            with self._attached(self.wait_s, read_only=False) as con:
                if taken := migrations.migrate(con, self.path):
                    self._settle(con, {})
            return [name for _, name, _ in migrations.steps()] if new else taken

    def _at_exit(self) -> None:
        with suppress(StoreError, duckdb.Error, OSError):
            self.take_in(0.0)

    def _put(self, batch: Sequence[Change]) -> int:
        try:
            return journal.put(self.path, batch)[1]
        except OSError as error:
            raise StoreDamagedError(
                f"Results could not be written to {journal.folder(self.path)} ({error.strerror}); nothing of them was "
                "left there. Free space on the disk, or look at its permissions."
            ) from error

    def _settle(self, con: duckdb.DuckDBPyConnection, files: dict[Path, int | None], *, log: bool = False) -> bool:
        """Write the database to its end, and only then delete what was taken in; whether that was done.

        Args:
            con: An open connection.
            files: Of ``journal.take_in``.
            log: What was committed is nowhere but in the write-ahead log until then.
        """
        folder, before = journal.folder(self.path), spare_blocks.iteration(self.path)
        committed = damage.log_bytes(self.path)  # writing to the end adds a mark, which goes if that fails
        try:
            spare_blocks.save(con, self.path, folder)
            con.execute("CHECKPOINT")
        except (duckdb.Error, OSError) as error:
            _LOG.warning("What was written is safe in the log but not in the database file yet: %s", one_line(error))
            with suppress(OSError, ValueError):
                if log and spare_blocks.iteration(self.path) == before:  # else the log is no longer needed
                    damage.record(self.path, folder, committed)
            return False
        with suppress(OSError):
            spare_blocks.drop(folder)
            damage.record(self.path, folder)
        journal.retire(files)
        return True

    @contextmanager
    def _locked(self, wait_s: float, *, exclusive: bool) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(access.locked(journal.folder(self.path), wait_s, exclusive=exclusive))
            except access.BusyError as error:
                raise self._busy(wait_s) from error
            yield

    @contextmanager
    def _attached(self, wait_s: float, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        folder, new = journal.folder(self.path), not read_only and not self.exists()
        if new or (not read_only and damage.replaced(self.path, folder)):
            damage.forget(folder)
        with suppress(OSError):
            spare_blocks.put_back(self.path, folder)
        missing = damage.missing(self.path, folder)
        if missing and not read_only:
            raise StoreDamagedError(missing)
        if missing:
            _LOG.warning("%s", missing)
        with ExitStack() as stack:
            try:
                if new:
                    migrations.create(self.path)
                con = stack.enter_context(access.attached(self.path, wait_s, read_only=read_only))
            except access.BusyError as error:
                raise self._busy(wait_s) from error
            except (duckdb.Error, OSError) as error:
                raise damage.explained(error, self.path, read_only=read_only) from error
            try:
                yield con
            except damage.BROKEN as error:
                raise damage.broken(error, self.path) from error

    def _busy(self, wait_s: float) -> StoreBusyError:
        return StoreBusyError(
            f"The database {self.path} stayed in use by another process for {wait_s:g} s. "
            "Nothing was changed; try again, or end the program that holds it."
        )
