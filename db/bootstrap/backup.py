"""Copies of a whole database: made while others write, and put back."""

import shutil
import time
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write, sync_folder
from db.base.errors import StoreBusyError, StoreDamagedError, StoreError, one_line
from db.storage import journal, migrations
from db.storage.store import Store


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
    try:
        with duckdb.connect(str(source), read_only=True) as con:
            migrations.require_known(con, source)
    except (duckdb.Error, OSError) as error:
        raise StoreDamagedError(
            f"{source} is no copy of a database ({one_line(error)}). Nothing was changed."
        ) from error
    former = store.path.with_name(f"{store.path.name}.before-restore-{time.strftime('%Y%m%d-%H%M%S')}")
    with store.alone():
        _refuse_held(store.path)
        files = [store.path, store.path.with_name(store.path.name + ".wal")]
        present = [file for file in files if file.exists()]
        if present or journal.waiting(store.path):
            former.mkdir(parents=True, exist_ok=True)
        for file in present:
            file.rename(former / file.name)
        journal.move_away(store.path, former)
        with atomic_write(store.path) as part:
            shutil.copyfile(source, part)
        (journal.folder(store.path) / "size").unlink(missing_ok=True)
        sync_folder(store.path.parent)
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
