"""Copies of a whole database: made while others write, and put back."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write, sync
from db.base.errors import StoreBusyError, StoreDamagedError, StoreError, one_line
from db.storage import access, damage, journal, migrations
from db.storage.store import Store

_PIECE = 10 * 2048  # rows; what is damaged is left out by pieces, and DuckDB reads 2,048 at a time


def backup(store: Store, target: Path) -> int:
    """Copy a database with all that was acknowledged; other writers wait meanwhile, their results in the journal.

    Args:
        store: The database.
        target: The file to write; it is replaced whole or not at all.

    Returns:
        The copy's size in bytes.

    Raises:
        StoreBusyError: The database stayed in use; nothing was written.
        StoreError: It is missing, or the target is the database itself.
    """
    if target.resolve() == store.path.resolve():
        raise StoreError(f"{target} is the database itself; name another file for the copy.")
    with store.settled() as path, atomic_write(target) as part:
        shutil.copyfile(path, part)
    return target.stat().st_size


def restore(store: Store, source: Path) -> Path | None:
    """Put a copy in the place of a database; the former file and what waited for it are kept beside it.

    Args:
        store: The database; it may be missing or damaged.
        source: Of ``backup``.

    Returns:
        The folder with the former files; None where there were none.

    Raises:
        StoreDamagedError: The source is no database of Featherboard; nothing was changed.
        StoreBusyError: The database stayed in use; nothing was changed.
    """
    if source.is_file() and not source.stat().st_size:
        raise StoreDamagedError(f"{source} is no copy of a database: the file is empty. Nothing was changed.")
    try:
        with duckdb.connect(str(source), read_only=True) as con:
            migrations.require_known(con, source)
    except (duckdb.Error, OSError) as error:
        raise StoreDamagedError(
            f"{source} is no copy of a database ({one_line(error)}). Nothing was changed."
        ) from error
    return _replace(store, "restore", lambda part: shutil.copyfile(source, part))


def repair(store: Store) -> tuple[Path | None, list[str]]:
    """Write a damaged database anew from what can be read of it; the former files are kept beside it.

    Returns:
        The folder with the former files, and a sentence for each table of which rows could not be read.

    Raises:
        StoreError: It cannot be opened at all, or stayed in use; nothing was changed.
    """
    lost: list[str] = []
    try:
        return _replace(store, "repair", lambda part: lost.extend(_salvage(store.path, part))), lost
    except duckdb.Error as error:
        raise StoreError(
            f"{store.path} could not be written anew ({one_line(error)}). Nothing was changed; look at the disk, its "
            "free space and the memory, then run the command again."
        ) from error


def _salvage(source: Path, target: Path) -> Iterator[str]:
    """Copy all rows that can be read to a new database; yield what could not be read."""
    with access.stoppable(), duckdb.connect() as con:
        for name, path, mode in (("fresh", target, ""), ("former", source, " (READ_ONLY)")):
            try:
                con.execute("ATTACH '{}' AS {}{}".format(str(path).replace("'", "''"), name, mode))
                con.execute(f"USE {name}")
                if path == source:
                    migrations.require_current(con, source)
            except (duckdb.Error, OSError) as error:
                raise damage.explained(error, path, read_only=True) from error
        con.execute("USE fresh")
        migrations.migrate(con, target)
        tables = con.execute(
            "SELECT table_name, estimated_size FROM duckdb_tables() WHERE database_name = 'former' "
            "AND table_name <> 'schema_migrations'"
        )
        for table, rows in tables.fetchall():
            copy = f'INSERT INTO "{table}" BY NAME SELECT * FROM former."{table}"'  # noqa: S608 - our own tables
            try:
                con.execute(copy)
            except duckdb.Error:
                unread = 0
                for start in range(0, rows, _PIECE):
                    try:
                        con.execute(f"{copy} WHERE rowid >= {start} AND rowid < {start + _PIECE}")
                    except duckdb.Error:
                        unread += min(_PIECE, rows - start)
                yield f"{table}: {unread:,} of {rows:,} rows could not be read"
        con.execute("CHECKPOINT fresh")


def _keep(file: Path, former: Path) -> None:
    """Give a file a second name; a copy where the file system knows no links, as on memory cards."""
    try:
        former.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, former)


def _replace(store: Store, reason: str, write: Callable[[Path], object]) -> Path | None:
    """Put a file in the place of a database and keep the former files; nothing changes where it cannot be written.

    Returns:
        The folder with the former files; None where there were none.
    """
    now = time.strftime("%Y%m%d-%H%M%S")
    former = store.path.with_name(f"{store.path.name}.before-{reason}-{now}-{time.time_ns() % 10**9:09d}")
    log = store.path.with_name(store.path.name + ".wal")
    with store.alone():
        _refuse_held(store.path)
        waits = reason == "restore" and journal.waiting(store.path)
        with atomic_write(store.path) as part:
            try:
                write(part)
            finally:
                part.with_name(part.name + ".wal").unlink(missing_ok=True)  # of a database that was not finished
            present = [file for file in (store.path, log) if file.exists()]
            if present or waits:
                former.mkdir(parents=True)
            for file in present:  # a kill in between leaves the former database where it was
                _keep(file, former / file.name)
            damage.announce(part, journal.folder(store.path))
            log.unlink(missing_ok=True)
        damage.forget(journal.folder(store.path))
        if waits:
            journal.move_away(store.path, former)
        sync(store.path.parent)
    return former if former.exists() else None


def _refuse_held(path: Path) -> None:
    """Refuse a file that a program of another kind, such as the DuckDB shell, has open for writing."""
    try:
        duckdb.connect(str(path), read_only=True).close()
    except duckdb.Error as error:  # that it is damaged or missing is why it is replaced
        if "Could not set lock" in str(error):
            raise StoreBusyError(
                f"The database {path} stayed in use by another process. Nothing was changed; end the program that "
                "holds it."
            ) from error
