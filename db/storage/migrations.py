"""The schema as numbered steps of SQL, each taken once and recorded in ``schema_migrations``."""

from functools import cache
from importlib import resources
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write
from db.base.clock import utc_now
from db.base.errors import StoreVersionError
from db.storage import access


@cache
def steps() -> tuple[tuple[int, str, str], ...]:
    """Every schema step as (number, name, SQL), in order."""
    files = sorted((resources.files("db.storage") / "schema").iterdir(), key=lambda file: file.name)
    return tuple(
        (int(file.name[:4]), file.name, file.read_text("utf-8")) for file in files if file.name.endswith(".sql")
    )


def create(path: Path) -> None:
    """Make a database of the newest schema. It gets its name when it is whole: a power cut leaves all of it or no file.

    Args:
        path: A file that is not there.
    """
    path = path.resolve()  # a link to a file that is yet to be made stays a link
    with atomic_write(path) as part:
        log = part.with_name(part.name + ".wal")
        try:
            with access.attached(part, 0, read_only=False) as con:
                migrate(con, path)
                con.execute("CHECKPOINT")
        finally:
            log.unlink(missing_ok=True)
        path.with_name(path.name + ".wal").unlink(missing_ok=True)  # of a database that was deleted


def migrate(con: duckdb.DuckDBPyConnection, path: Path) -> list[str]:
    """Take the steps that are missing, and return their names.

    Schema changes that are left in the write-ahead log may not survive a crash: write the database to its end then.

    Raises:
        StoreVersionError: It is another program's, or a newer Featherboard's.
    """
    applied = _applied(con)
    if not applied:
        _refuse_foreign(con, path)
        con.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(number INTEGER PRIMARY KEY, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)"
        )
    _refuse_newer(applied, path)
    taken = []
    for number, name, sql in steps():
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
    return taken


def require_current(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a schema that is not this version's.

    Raises:
        StoreVersionError: It is older, newer or another program's.
    """
    applied = _applied(con)
    if not applied:
        _refuse_foreign(con, path)
    _refuse_newer(applied, path)
    if len(applied) < len(steps()):
        raise StoreVersionError(
            f"{path} has an older layout. Its rows are safe; bring it up to date with `featherboard db init`."
        )


def require_known(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse what is no database of this version or of one before.

    Raises:
        StoreVersionError: It is newer, empty or another program's.
    """
    applied = _applied(con)
    if not applied:
        raise StoreVersionError(f"{path} is no database of Featherboard. Nothing was changed.")
    _refuse_newer(applied, path)


def _applied(con: duckdb.DuckDBPyConnection) -> set[int]:
    try:  # asking for the list of tables first would double the time of a look
        return {row[0] for row in con.execute("SELECT number FROM schema_migrations").fetchall()}
    except duckdb.CatalogException:
        return set()


def _refuse_foreign(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    if con.execute(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND table_name <> 'schema_migrations'"
    ).fetchone():
        raise StoreVersionError(
            f"{path} is a DuckDB database of another program. Nothing was changed; name another file with "
            "FEATHERBOARD_DB."
        )


def _refuse_newer(applied: set[int], path: Path) -> None:
    newest = max((number for number, _, _ in steps()), default=0)
    if applied and max(applied) > newest:
        raise StoreVersionError(
            f"{path} was written by a newer Featherboard (layout {max(applied)}, this one knows {newest}). "
            "Nothing was changed; update Featherboard."
        )
