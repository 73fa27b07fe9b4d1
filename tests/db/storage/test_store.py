"""Opening, migrating and closing the database file."""

from pathlib import Path

import duckdb
import pytest

from db.base.errors import StoreBusyError, StoreDamagedError, StoreMissingError, StoreVersionError
from db.storage import access, migrations
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, contents, model_row, value_of, whole_run

EXTRA = "CREATE TABLE later (a INTEGER)"


def _with_steps(monkeypatch: pytest.MonkeyPatch, *more: tuple[int, str, str]) -> None:
    steps = [*migrations.steps(), *more]
    monkeypatch.setattr(migrations, "steps", lambda: steps)


def _tables(path: Path) -> set[str]:
    with duckdb.connect(str(path), read_only=True) as con:
        return {row[0] for row in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def test_migrations_are_numbered_without_gap() -> None:
    """The schema steps are numbered 1, 2, 3 ... in the order in which they are applied."""
    assert [number for number, _, _ in migrations.steps()] == list(range(1, len(migrations.steps()) + 1))


def test_migrate_records_every_step_in_order_and_takes_none_twice(store: Store) -> None:
    """Creating a database takes every step in order and writes each into schema_migrations; a second time none."""
    names = [name for _, name, _ in migrations.steps()]
    assert store.migrate() == names
    assert store.query("SELECT name FROM schema_migrations ORDER BY number")["name"].tolist() == names
    before = contents(store, "schema_migrations")
    assert store.migrate() == []
    assert contents(store, "schema_migrations") == before


def test_new_steps_are_taken_in_order_and_keep_rows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older file is brought up to date by the missing steps alone, in order, and its rows stay."""
    store.write(whole_run("run-00000001"))
    _with_steps(monkeypatch, (98, "0098_a.sql", EXTRA), (99, "0099_b.sql", "ALTER TABLE later ADD COLUMN b INTEGER"))
    assert store.migrate() == ["0098_a.sql", "0099_b.sql"]
    assert store.query("SELECT a, b FROM later").empty
    assert value_of(store, "SELECT count(*) FROM runs") == 1


def test_write_brings_an_older_file_up_to_date(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer migrates on its own, so that a run can be written to an older file."""
    store.migrate()
    _with_steps(monkeypatch, (99, "0099_a.sql", EXTRA))
    assert store.write([change("models", model_row())]) == "committed"
    assert "later" in _tables(store.path)


def test_older_layout_is_told_to_readers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of an older file is told what to run, and the file stays byte for byte."""
    store.migrate()
    before = store.path.read_bytes()
    _with_steps(monkeypatch, (99, "0099_a.sql", EXTRA))
    with pytest.raises(StoreVersionError, match=r"older layout.*featherboard db init"):
        store.query("SELECT 1")
    assert store.path.read_bytes() == before


def test_newer_layout_is_refused_and_nothing_changed(store: Store) -> None:
    """A file of a newer Featherboard is neither read nor written."""
    store.write(whole_run("run-00000001"))
    with store.transaction() as con:
        con.execute("INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', now()::TIMESTAMP)")
    before = store.path.read_bytes()
    for call in (lambda: store.query("SELECT 1"), lambda: store.write(whole_run("run-00000002")), store.migrate):
        with pytest.raises(StoreVersionError, match=r"newer Featherboard \(layout 9999"):
            call()
        assert store.path.read_bytes() == before


def test_failing_step_is_rolled_back_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails half-way leaves neither its tables nor its record."""
    store.migrate()
    _with_steps(monkeypatch, (99, "0099_a.sql", f"{EXTRA}; INSERT INTO later VALUES ('not a number')"))
    with pytest.raises(duckdb.ConversionException):
        store.migrate()
    assert "later" not in _tables(store.path)
    monkeypatch.undo()
    assert value_of(store, "SELECT max(number) FROM schema_migrations") == len(migrations.steps())


def test_database_of_another_program_is_left_alone(store: Store) -> None:
    """A DuckDB file with other tables is refused by writers and gets no table of ours."""
    with duckdb.connect(str(store.path)) as con:
        con.execute("CREATE TABLE runs (theirs INTEGER)")
    for call in (lambda: store.query("SELECT 1"), lambda: store.write(whole_run("run-00000001")), store.migrate):
        with pytest.raises(StoreVersionError):
            call()
    assert _tables(store.path) == {"runs"}


def test_naming_a_store_creates_nothing(store: Store) -> None:
    """A Store that nobody has written to leaves no file."""
    assert not store.exists()
    assert store.generation() == "none"
    assert not store.path.exists()


def test_missing_file_is_told_and_not_created(store: Store) -> None:
    """Reading a file that is not there says how to make one, and does not make one."""
    with pytest.raises(StoreMissingError, match="featherboard db init"):
        store.query("SELECT 1")
    assert not store.path.exists()


def test_write_creates_the_folder(tmp_path: Path) -> None:
    """A writer creates the folders above the file."""
    store = Store(tmp_path / "a" / "b" / "board.duckdb")
    assert store.write([change("models", model_row())]) == "committed"
    assert value_of(store, "SELECT count(*) FROM models") == 1


@pytest.mark.parametrize("kind", ["text", "empty", "header only", "random"])
def test_file_that_is_no_database_stays_as_it_is(board: Store, tmp_path: Path, kind: str) -> None:
    """A file that is not a database is told as such, and is byte for byte what it was."""
    content = {
        "text": "그냥 글입니다\n".encode() * 900,
        "empty": b"",
        "random": bytes(range(256)) * 64,
        "header only": board.path.read_bytes()[:8192],
    }[kind]
    path = tmp_path / "other.duckdb"
    path.write_bytes(content)
    store = Store(path)
    for call in (lambda: store.query("SELECT 1"), lambda: store.write(whole_run("run-00000001")), store.migrate):
        with pytest.raises(StoreDamagedError, match=r"other\.duckdb cannot be opened as a database"):
            call()
        assert path.read_bytes() == content
    assert sorted(file.name for file in tmp_path.glob("other*")) == ["other.duckdb", "other.duckdb.journal"]


def test_truncated_database_is_told_when_its_lost_rows_are_read(board: Store) -> None:
    """A database whose second half is gone raises StoreDamagedError, not a driver's error, and stays as it is."""
    content = board.path.read_bytes()
    half = content[: len(content) // 2]
    board.path.write_bytes(half)
    with pytest.raises(StoreDamagedError, match=r"could not be read|cannot be opened"):
        contents(board)
    assert board.path.read_bytes() == half


def test_exception_in_a_transaction_rolls_back(store: Store) -> None:
    """What was written before an exception in the block is gone, and the rows are as they were."""
    store.write(whole_run("run-00000001"))
    before = contents(store)

    def fail_half_way() -> None:
        with store.transaction() as con:
            con.execute("DELETE FROM runs")
            con.execute("UPDATE metrics SET value = 0")
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        fail_half_way()
    assert contents(store) == before


def test_batch_whose_last_change_is_refused_changes_nothing(store: Store) -> None:
    """A batch goes in whole or not at all."""
    store.write(whole_run("run-00000001"))
    before = contents(store)
    bad = change("metrics", {"run_id": "run-00000002", "name": "accuracy", "value": float("inf")})
    with pytest.raises(duckdb.ConstraintException):
        store.write([*whole_run("run-00000002"), bad])
    assert contents(store) == before


def test_many_rows_after_a_few_are_compressed(store: Store) -> None:
    """Of a few rows texts are not compressed; many are while they go in, whatever was written before."""
    access.instance().execute("SET force_compression = 'auto'")
    store.write(whole_run("few"))
    with store.transaction() as con:
        con.execute("CREATE TABLE words AS SELECT 'the same long words again, ' || i AS word FROM range(200_000) t(i)")
    access.instance().execute("SET force_compression = 'uncompressed'")
    with store.read() as con:
        kinds = con.execute("SELECT compression FROM pragma_storage_info('words') WHERE segment_type = 'VARCHAR'")
        assert {kind for (kind,) in kinds.fetchall()} & {"DICT_FSST", "FSST", "ZSTD"}


def test_reader_cannot_write(store: Store) -> None:
    """A read connection refuses to write."""
    store.write(whole_run("run-00000001"))
    with store.read() as con, pytest.raises(duckdb.InvalidInputException, match="read-only"):
        con.execute("DELETE FROM runs")
    assert value_of(store, "SELECT count(*) FROM runs") == 1


def test_generation_changes_on_write_and_not_on_read(store: Store) -> None:
    """The generation is equal over any number of reads and new after every write."""
    seen = [store.generation()]
    for number in range(3):
        store.write(whole_run(f"run-0000000{number}"))
        seen.append(store.generation())
        contents(store)
        assert store.generation() == seen[-1], "a read changed the generation"
    assert len(set(seen)) == len(seen), "two states of the database have one generation"


def test_store_is_free_after_every_use(store: Store) -> None:
    """Neither a write, a read nor a failed write keeps the file open: another process can open it."""
    store.write(whole_run("run-00000001"))
    store.query("SELECT 1")
    with pytest.raises(ValueError, match="no column"):
        store.write([change("models", model_row(unheard=1))])
    with processes.held(store.path):
        assert store.exists()


def test_commit_outlives_a_kill(store: Store) -> None:
    """A row that was committed by a process killed before it closed the database is there."""
    store.migrate()
    processes.start("killed", store.path, "survivor").wait(300)
    assert store.path.with_name("fresh.duckdb.wal").exists(), "the killed process left no write-ahead log"
    assert value_of(store, "SELECT count(*) FROM models WHERE model_id = 'survivor'") == 1
    store.write([change("models", model_row("next"))])
    assert value_of(store, "SELECT count(*) FROM models") == 2


def test_torn_end_of_the_write_ahead_log_loses_no_commit(store: Store) -> None:
    """Bytes of an unfinished write behind the last commit do not hide the commit."""
    store.migrate()
    processes.start("killed", store.path, "survivor").wait(300)
    wal = store.path.with_name("fresh.duckdb.wal")
    wal.write_bytes(wal.read_bytes() + b"\x07\x00torn")
    store.write([change("models", model_row("next"))])
    assert sorted(store.query("SELECT model_id FROM models")["model_id"]) == ["next", "survivor"]


def test_damaged_write_ahead_log_is_kept_aside_and_reported(store: Store) -> None:
    """A log that cannot be replayed is told to a reader; a writer moves it aside whole, names it and goes on."""
    store.write(whole_run("run-00000001"))
    processes.start("killed", store.path, "lost").wait(300)
    wal = store.path.with_name("fresh.duckdb.wal")
    content = bytearray(wal.read_bytes())
    content[len(content) // 2] ^= 0xFF
    wal.write_bytes(content)
    with pytest.raises(StoreDamagedError, match="Nothing was changed; `featherboard db init` sets the log aside"):
        store.query("SELECT 1")
    assert wal.read_bytes() == content
    with pytest.raises(StoreDamagedError, match=r"saved as fresh\.duckdb\.wal\.damaged-"):
        store.write([change("models", model_row("next"))])
    assert not wal.exists()
    (renamed,) = store.path.parent.glob("fresh.duckdb.wal.damaged-*")
    assert renamed.read_bytes() == content
    assert store.write([change("models", model_row("next"))]) == "committed"
    assert sorted(store.query("SELECT model_id FROM models")["model_id"]) == ["next", "tiny"]


def test_two_writers_of_one_process_wait_for_each_other(store: Store) -> None:
    """A second transaction of the same process waits its bounded time, then says busy; nothing is mixed."""
    impatient = Store(store.path, wait_s=0.2)
    with store.transaction() as con:
        con.execute(
            "INSERT INTO models (model_id, name, family, architecture, config) VALUES ('a', 'n', 'f', 'a', '{}')"
        )
        with pytest.raises(StoreBusyError), impatient.transaction():
            pass
        assert impatient.write([change("models", model_row("b"))]) == "journalled"
    store.write([])
    assert sorted(store.query("SELECT model_id FROM models")["model_id"]) == ["a", "b"]
