"""The database: reading it, changing it, and writing results without waiting for it.

Nobody keeps the file open: every query and every transaction attaches it, works and lets go of it; see
``db.storage.access``. Results of runs do not wait for the file at all: ``append`` leaves them in the journal, on the
disk when it returns, and whoever reads or changes the database next takes them in first; see ``db.storage.journal``. So
a reader sees everything that was acknowledged before it began; only where it has to wait for others who take in, and
who go on writing, it may miss what was acknowledged in the meantime of one taking in.
"""

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import duckdb
import pandas as pd

from db.base.errors import StoreBusyError, StoreDamagedError, StoreError, StoreMissingError
from db.storage import access, changes, damage, journal, migrations
from db.storage.changes import Change
from db.storage.database_file import DatabaseFile

Written = Literal["committed", "journalled"]

LOOK_EVERY = 8
"""After so many batches, a process looks how much waits in the journal."""

_APPENDED: set[Path] = set()  # databases that this process has written to


class Store(DatabaseFile):
    """A database: queries, transactions, and writes that do not wait for it."""

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
        with self._held_for_reading(), self._attached(self.wait_s, read_only=True) as con:
            migrations.require_current(con, self.path)
            yield con

    def query(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> pd.DataFrame:
        """The rows of one query."""
        with self.read() as con:
            return con.execute(sql, parameters).df()

    @contextmanager
    def transaction(self, *, few_rows: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """A write connection inside one transaction; what waits in the journal goes in first.

        The file is created and brought to the current schema where needed. An exception rolls everything back.

        Args:
            few_rows: They are written in one thread.
        """
        with ExitStack() as stack:
            stack.enter_context(self._locked(self.wait_s, exclusive=True))
            con = stack.enter_context(self._attached(self.wait_s, read_only=False))
            if few_rows:
                stack.enter_context(access.one_thread(con))
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
            if files or damage.log_bytes(self.path):  # else nothing was changed
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
        if self._put(batch) % LOOK_EVERY == 0:
            self.keep_up()

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
