"""Who may use a database file, and for how long: many readers or one writer, in the order in which they came.

Two files in the journal's folder are locked with ``flock``. ``turn`` is a turnstile that everybody passes one at a
time; who waits for ``lock`` behind it holds the turnstile, so that nobody overtakes and a writer is not starved by
readers. The kernel frees both when a process dies.

One DuckDB instance in memory serves the whole process, and each use attaches the file to it: making an instance for
each use would take three times as long.
"""

import errno
import fcntl
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

_FOREIGN_RETRY_S = 0.02
_ROW_GROUP = 8192
"""Rows that are written together: with DuckDB's 122,880, writing a database to its end writes the last so many rows of
each table again."""
_NAMES = itertools.count()
_INSTANCES: dict[int, duckdb.DuckDBPyConnection] = {}  # by process id: a forked child must not use its parent's
_INSTANCE_GUARD = threading.Lock()
_HELD = threading.local()


class BusyError(Exception):
    """The lock was not free within the time."""


@contextmanager
def locked(folder: Path, wait_s: float, *, exclusive: bool) -> Iterator[Callable[[], None]]:
    """Hold the database for reading, or for writing; a thread that holds it for reading may do so again.

    Yields a function that lets others read too from now on, and nobody write.

    Args:
        folder: Where the two lock files lie; it is created where missing.
        wait_s: Seconds to wait at most.
        exclusive: For writing.

    Raises:
        BusyError: It stayed in use.
    """
    if not exclusive and holds_for_reading(folder):
        yield lambda: None
        return
    deadline = time.monotonic() + wait_s
    try:
        folder.mkdir(parents=True, exist_ok=True)
        turn = _acquire(folder / "turn", fcntl.LOCK_EX, deadline)
    except OSError as error:
        if exclusive or error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise
        yield lambda: None  # a folder that we may not write to: nobody of this user changes the file either
        return
    try:
        lock = _acquire(folder / "lock", fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, deadline)
    finally:
        _release(turn)
    if not exclusive:
        _readable().add(folder)

    def share() -> None:
        fcntl.flock(lock, fcntl.LOCK_SH)
        _readable().add(folder)

    try:
        yield share
    finally:
        _readable().discard(folder)
        _release(lock)


@contextmanager
def helping(folder: Path, wait_s: float) -> Iterator[None]:
    """Be the one of those that write to the journal who takes it in: they do not all stand before a reader.

    Raises:
        BusyError: Another one was for all of the time.
    """
    lock = _acquire(folder / "helper", fcntl.LOCK_EX, time.monotonic() + wait_s)
    try:
        yield
    finally:
        _release(lock)


def holds_for_reading(folder: Path) -> bool:
    """Whether this thread holds the database for reading."""
    return folder in _readable()


def _readable() -> set[Path]:
    folders: set[Path] = _HELD.__dict__.setdefault("folders", set())
    return folders


def _acquire(path: Path, kind: int, deadline: float) -> int:
    """Lock a file and return its descriptor. The wait is the kernel's queue, in a thread that can be abandoned."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        return descriptor
    if time.monotonic() >= deadline:
        os.close(descriptor)
        raise BusyError
    guard, acquired, abandoned = threading.Lock(), threading.Event(), threading.Event()

    def wait() -> None:
        fcntl.flock(descriptor, kind)
        with guard:
            acquired.set()
            if abandoned.is_set():
                _release(descriptor)

    threading.Thread(target=wait, name="featherboard-lock", daemon=True).start()
    acquired.wait(max(0.0, deadline - time.monotonic()))
    with guard:
        if not acquired.is_set():
            abandoned.set()
            raise BusyError
    return descriptor


def _release(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_UN)  # a forked child may still have it open
    os.close(descriptor)


@contextmanager
def attached(path: Path, wait_s: float, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection whose database is the file, and let go of the file afterwards.

    Args:
        path: The DuckDB file.
        wait_s: Seconds to wait for another program that has it open without regard to our lock.
        read_only: Refuse to change it.

    Raises:
        BusyError: Another program kept it.
        duckdb.Error: It cannot be opened.
    """
    con = instance().cursor()
    name = f"board_{next(_NAMES)}"
    try:
        with stoppable():
            _attach(con, path, name, wait_s, read_only=read_only)
            try:
                con.execute(f"USE {name}")
                yield con
            finally:
                _detach(con, name)
    finally:
        con.close()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt: DuckDB raises a RuntimeError where it comes during a statement."""
    try:
        yield
    except RuntimeError as error:
        if "Query interrupted" in str(error):
            raise KeyboardInterrupt from error
        raise


@contextmanager
def one_thread(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let this process's DuckDB work in one thread: for few rows, sharing them out takes longer than the work.

    Who reads at the same time in another thread has one, too.
    """
    con.execute("SET threads TO 1")
    try:
        yield
    finally:
        with suppress(duckdb.Error):  # after a write that failed half-way, whose error counts
            con.execute("RESET threads")


def _detach(con: duckdb.DuckDBPyConnection, name: str) -> None:
    try:
        con.execute("USE memory")
        con.execute(f"DETACH {name}")
    except duckdb.Error:  # after a write that failed half-way; an instance that lets go of no file serves nobody
        _INSTANCES.pop(os.getpid(), None)


def _attach(con: duckdb.DuckDBPyConnection, path: Path, name: str, wait_s: float, *, read_only: bool) -> None:
    target = str(path).replace("'", "''")
    deadline = time.monotonic() + wait_s
    while True:
        try:
            con.execute(f"ATTACH '{target}' AS {name} ({'READ_ONLY' if read_only else f'ROW_GROUP_SIZE {_ROW_GROUP}'})")
        except duckdb.IOException as error:
            if "Could not set lock" not in str(error):
                raise
            if time.monotonic() >= deadline:
                raise BusyError from error
            time.sleep(_FOREIGN_RETRY_S)
        else:
            return


def instance() -> duckdb.DuckDBPyConnection:
    """The DuckDB instance of this process, to which files are attached."""
    with _INSTANCE_GUARD:
        process = os.getpid()
        if process not in _INSTANCES:
            _INSTANCES[process] = duckdb.connect()
            # The store says when a file is written to its end: at each close that would take longer than all else, and
            # the blocks that are written over are to be copied before.
            _INSTANCES[process].execute("PRAGMA disable_checkpoint_on_shutdown; SET wal_autocheckpoint = '1TB'")
        return _INSTANCES[process]
