"""Copies of a database, made while others write, and put back."""

from pathlib import Path

import pytest

from db.base.errors import StoreError
from db.bootstrap import backup as backups
from db.storage import journal
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import contents, value_of, whole_run, with_tasks


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with one run in the database and one that waits in the journal."""
    with_tasks(store)
    store.write(whole_run("run-00000001"))
    journal.put(store.path, whole_run("run-00000002"))
    return store


def test_a_copy_holds_what_was_acknowledged(filled: Store, tmp_path: Path) -> None:
    """Results that waited beside the database are in it, and the database is as before."""
    size = backups.backup(filled, tmp_path / "copies" / "copy.duckdb")
    copy = Store(tmp_path / "copies" / "copy.duckdb")
    assert size == copy.path.stat().st_size
    assert contents(copy) == contents(filled)
    assert value_of(copy, "SELECT count(*) FROM runs") == 2


def test_a_copy_is_put_back_and_the_former_files_are_kept(filled: Store, tmp_path: Path) -> None:
    """What was written after the copy is in the folder that the command names, also what waited."""
    backups.backup(filled, tmp_path / "copy.duckdb")
    before = contents(filled)
    filled.write(whole_run("run-00000003"))
    journal.put(filled.path, whole_run("run-00000004"))
    former = backups.restore(filled, tmp_path / "copy.duckdb")
    assert contents(filled) == before
    assert former is not None
    assert len(list(former.glob("*.segment"))) == 1
    assert value_of(Store(former / filled.path.name), "SELECT count(*) FROM runs") == 3


def test_a_damaged_database_is_replaced(filled: Store, tmp_path: Path) -> None:
    """A file that cannot be opened is what a copy is for."""
    backups.backup(filled, tmp_path / "copy.duckdb")
    filled.path.write_bytes(b"no database")
    former = backups.restore(filled, tmp_path / "copy.duckdb")
    assert value_of(filled, "SELECT count(*) FROM runs") == 2
    assert former is not None
    assert (former / filled.path.name).read_bytes() == b"no database"


def test_what_is_no_copy_changes_nothing(filled: Store, tmp_path: Path) -> None:
    """A text, an empty file, an empty database of DuckDB, a missing file; and a copy onto the database itself."""
    import duckdb

    (tmp_path / "text.duckdb").write_text("hello")
    (tmp_path / "nothing.duckdb").touch()
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    before = contents(filled)
    for name in ("text.duckdb", "empty.duckdb", "missing.duckdb"):
        with pytest.raises(StoreError, match=name):
            backups.restore(filled, tmp_path / name)
    with pytest.raises(StoreError, match=r"nothing.duckdb is no copy of a database: the file is empty"):
        backups.restore(filled, tmp_path / "nothing.duckdb")
    with pytest.raises(StoreError, match="the database itself"):
        backups.backup(filled, filled.path)
    assert contents(filled) == before


def test_a_database_in_use_is_not_replaced(filled: Store, tmp_path: Path) -> None:
    """The command gives up after its time, with everything in its place."""
    backups.backup(filled, tmp_path / "copy.duckdb")
    before = contents(filled)
    with processes.held(filled.path), pytest.raises(StoreError, match="stayed in use"):
        backups.restore(Store(filled.path, wait_s=0.2), tmp_path / "copy.duckdb")
    assert contents(filled) == before


def test_a_database_that_cannot_be_written_to_its_end_is_not_copied(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the file alone would lack what is in its log."""
    monkeypatch.setattr("db.storage.journal.spare_blocks.save", lambda *_: (tmp_path / "none" / "file").touch())
    with pytest.raises(StoreError, match="could not be written to its end"):
        backups.backup(filled, tmp_path / "copy.duckdb")
    monkeypatch.undo()
    assert not (tmp_path / "copy.duckdb").exists()
    assert backups.backup(filled, tmp_path / "copy.duckdb")
    assert value_of(Store(tmp_path / "copy.duckdb"), "SELECT count(*) FROM runs") == 2
