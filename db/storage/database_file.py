"""A database file and the journal beside it: held by one process at a time, opened, and written to its end.

Who writes acknowledges far faster than batches can be taken in. So that little waits, writers wait in their turn: where
the journal is long, one of them takes it in and the others wait for that one, while readers go first.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import duckdb

from db.base.errors import StoreBusyError, StoreDamagedError, StoreError, one_line
from db.base.paths import refuse_remote
from db.storage import access, damage, journal, migrations
from db.storage.journal import notes, spare_blocks

_LOG = logging.getLogger("featherboard.store")

TAKE_IN_S = 2.0
"""A reader waits at most this long for the database to take in what waits, and then reads without that."""

PATIENCE_S = 0.05
"""A reader that waited longer than this takes nothing in where others did meanwhile, and go on writing: it reads what
they took in."""

LOG_BYTES = 512 * 1024
"""What is taken in stays in the write-ahead log, and in the journal, until the log is this long (four times as long,
for readers): writing the database to its end takes as long as taking in. Each opening goes through the log."""

BACKLOG_BYTES = 128 * 1024
"""While more than this waits in the journal, who writes waits too, or takes it in."""

PAUSE_S = 1.0
"""A writer waits at most this long, where the database is in use for longer."""


_SLOW_COMPRESSION = "fsst,zstd,dict_fsst"
"""Of texts: half of the time that it takes to write the rows of a few runs to the end, and a third of the bytes."""


class DatabaseFile:
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

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the database for oneself without opening it.

        Raises:
            StoreBusyError: It stayed in use.
        """
        with self._locked(self.wait_s, exclusive=True):
            yield

    def take_in(self, wait_s: float) -> None:
        """Take in what waits in the journal.

        Raises:
            StoreBusyError: It stayed in use.
        """
        if not (before := journal.sizes(self.path)):
            return
        with self._locked(wait_s, exclusive=True):
            self._take_in(before, wait_s)
        if damage.log_bytes(self.path) > LOG_BYTES:  # held anew, so that readers go in between
            with self._locked(wait_s, exclusive=True):
                with self._attached(wait_s, read_only=False) as con, access.one_thread(con):
                    migrations.require_current(con, self.path)
                    files = journal.taken(con, self.path)
                    self._settle(con, files)
                notes.write(self.path, journal.folder(self.path), files)

    def keep_up(self) -> None:
        """Where much waits in the journal, wait until it was taken in: one writer does it, the others wait for that."""
        if journal.backlog(self.path) > BACKLOG_BYTES:
            with suppress(StoreError, OSError, access.BusyError), access.helping(journal.folder(self.path), PAUSE_S):
                if journal.backlog(self.path) > BACKLOG_BYTES:
                    self.take_in(PAUSE_S)

    @contextmanager
    def _held_for_reading(self) -> Iterator[None]:
        """Hold the database with other readers, and with what was acknowledged before in it."""
        with ExitStack() as stack:
            folder = journal.folder(self.path)
            if not access.holds_for_reading(folder) and (before := journal.sizes(self.path)):
                began, noted, wait_s = time.monotonic(), notes.read(self.path, folder), min(TAKE_IN_S, self.wait_s)
                try:
                    share = stack.enter_context(self._locked(wait_s, exclusive=True))
                    if time.monotonic() > began + PATIENCE_S and self._others_go_on(before, noted):
                        _LOG.info("What waits beside the database is not shown yet: others go on writing.")
                    else:
                        self._take_in(before, wait_s)
                    share()
                except (StoreError, OSError) as error:
                    _LOG.warning("What waits beside the database is not shown yet: %s", error)
                    stack.close()
            stack.enter_context(self._locked(self.wait_s, exclusive=False))
            yield

    def _others_go_on(self, before: dict[Path, int], noted: dict[str, int]) -> bool:
        """Whether others took in and wrote more since files had these sizes, and nothing of this process waits."""
        now, done = journal.sizes(self.path), notes.read(self.path, journal.folder(self.path))
        own = journal.own(self.path)
        written = any(size > before.get(path, 0) for path, size in now.items())
        return done != noted and written and (own is None or done.get(own.name, -1) >= before.get(own, 0))

    def _take_in(self, before: dict[Path, int], wait_s: float) -> None:
        """Take in what waits, with the database held exclusively, unless that was done since files had these sizes."""
        noted = notes.read(self.path, journal.folder(self.path))
        if all(noted.get(path.name, -1) >= size or not path.exists() for path, size in before.items()):
            return
        with self._attached(wait_s, read_only=False) as con, access.one_thread(con):
            migrations.require_current(con, self.path)
            files = journal.take_in(con, self.path)
            nothing_new = all(noted.get(path.name) == end for path, end in files.items())
            if nothing_new or not 0 < damage.log_bytes(self.path) <= 4 * LOG_BYTES:
                self._settle(con, files)
        notes.write(self.path, journal.folder(self.path), files)

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
            skipped = "" if log and committed > LOG_BYTES else _SLOW_COMPRESSION
            con.execute(f"SET disabled_compression_methods = '{skipped}'")
            try:
                con.execute("CHECKPOINT")
            finally:  # many rows are compressed when they are inserted: they are to be small
                con.execute("SET disabled_compression_methods = ''")
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
    def _locked(self, wait_s: float, *, exclusive: bool) -> Iterator[Callable[[], None]]:
        with ExitStack() as stack:
            try:
                share = stack.enter_context(access.locked(journal.folder(self.path), wait_s, exclusive=exclusive))
            except access.BusyError as error:
                raise self._busy(wait_s) from error
            yield share

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
