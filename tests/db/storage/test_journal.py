"""What happens to reads and writes while another process keeps the database."""

import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from db.base.errors import StoreBusyError, StoreDamagedError
from db.storage import access, database_file, journal
from db.storage.changes import Change, pack
from db.storage.journal import notes
from db.storage.store import LOOK_EVERY, Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, contents, model_facts, model_row, run_row, value_of, whole_run, with_tasks


@pytest.fixture
def store(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _impatient(store: Store) -> Store:
    return Store(store.path, wait_s=0.2)


def _named(name: str) -> Change:
    return change("models", model_row("shared", name=name))


def _ingested(store: Store) -> int:
    return value_of(store, "SELECT count(*) FROM ingested_batches")


def test_reader_gives_up_after_the_bounded_wait(store: Store) -> None:
    """A reader waits about as long as it was told, then raises StoreBusyError, which says that nothing changed."""
    store = _impatient(store)
    with processes.held(store.path):
        began = time.monotonic()
        with pytest.raises(StoreBusyError, match=r"stayed in use by another process for 0\.2 s.*Nothing was changed"):
            store.query("SELECT 1")
        waited = time.monotonic() - began
    assert 0.1 < waited < 5, f"waited {waited:.2f} s instead of 0.2 s"
    assert store.query("SELECT 1 AS one")["one"].tolist() == [1]


def test_reader_waits_for_a_lock_that_ends_in_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that finds the database held tries again, and gets its rows once it is free, without an error."""
    store.write(whole_run("run-00000001"))
    process = processes.start("hold", store.path)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline().strip() == "held"
    refused, sleep = [], time.sleep

    def let_go(seconds: float) -> None:
        if not refused:
            process.stdin.write("done\n")
            process.stdin.flush()
        refused.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(access.time, "sleep", let_go)
    assert value_of(store, "SELECT count(*) FROM runs") == 1
    assert refused, "the database was never held"
    process.communicate(timeout=300)


def test_busy_write_is_journalled_and_the_next_reader_sees_it(store: Store) -> None:
    """A write to a busy database says journalled, is safe in one file, and is seen by the next reader."""
    store = _impatient(store)
    with processes.held(store.path):
        assert store.write(whole_run("run-00000001")) == "journalled"
        assert len(journal.waiting(store.path)) == 1
    assert value_of(store, "SELECT count(*) FROM runs") == 1, "a reader does not see what was acknowledged"
    assert store.write(whole_run("run-00000002")) == "committed"
    assert journal.waiting(store.path) == []
    direct = with_tasks(Store(store.path.with_name("direct.duckdb")))
    direct.write(whole_run("run-00000001"))
    direct.write(whole_run("run-00000002"))
    assert contents(store) == contents(direct), "rows that went through the journal differ from rows that did not"


def test_batches_go_in_oldest_first_and_before_the_new_write(store: Store) -> None:
    """Of three writes to one row, the last one made is what stays, though the first two were journalled."""
    store = _impatient(store)
    for name in ("first", "second"):
        journal.put(store.path, [_named(name)])
    with store.transaction() as con:
        assert con.execute("SELECT name FROM models").fetchall() == [("second",)]
    journal.put(store.path, [_named("third")])
    store.write([_named("fourth")])
    assert value_of(store, "SELECT name FROM models") == "fourth"
    assert _ingested(store) == 1, "names of batches are remembered longer than their files may come back"


def test_batch_that_reappears_is_not_taken_in_again(store: Store) -> None:
    """A batch whose file comes back (its deletion was lost in a crash) changes nothing, and its file goes."""
    store = _impatient(store)
    file, _ = journal.put(store.path, [_named("waiting")])
    content = file.read_bytes()
    store.write([])
    store.write([_named("newer")])
    file.write_bytes(content)
    store.write([])
    assert value_of(store, "SELECT name FROM models") == "newer"
    assert _ingested(store) == 1
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"not a zip",
        b"",
        pack([change("runs", run_row("run-00000009", status="no such status"))], "spool batch"),
        pack([change("metrics", {"run_id": "run-00000009", "name": "accuracy", "value": float("inf")})], "spool batch"),
        pack([change("models", model_row(unheard="x"))], "spool batch"),
        pack([change("models", model_row(params="many"))], "spool batch"),
        pack([change("models", model_row())], "run bundle"),
    ],
    ids=["text", "empty", "wrong status", "infinite", "unknown column", "wrong type", "other kind"],
)
def test_batch_that_cannot_go_in_is_set_aside(store: Store, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """A bad batch is kept in rejected/, changes nothing, and does not block the batch behind it or the new write."""
    bad = journal.folder(store.path) / "00000000000000000000-bad.batch"
    journal.put(store.path, [change("models", model_row("behind"))])
    bad.write_bytes(content)
    assert store.write([change("models", model_row("new"))]) == "committed"
    assert sorted(store.query("SELECT model_id FROM models")["model_id"]) == ["behind", "new"]
    assert value_of(store, "SELECT count(*) FROM runs") + value_of(store, "SELECT count(*) FROM metrics") == 0
    assert journal.waiting(store.path) == []
    assert (bad.parent / "rejected" / bad.name).read_bytes() == content
    assert "set aside" in caplog.text


def test_refused_batch_leaves_none_of_its_changes(store: Store) -> None:
    """A batch whose second change is refused leaves nothing of its first."""
    bad = change("curves", {"run_id": "r", "series": "loss", "step": 1, "value": float("inf")})
    journal.put(store.path, [change("models", model_row("half")), bad])
    store.write([])
    assert value_of(store, "SELECT count(*) FROM models") == 0
    assert len(journal.rejected(store.path)) == 1


def test_broken_disk_leaves_the_batch_waiting(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is not the batch's fault, such as a full disk, sets nothing aside: the batch goes in later."""
    file, _ = journal.put(store.path, [_named("waiting")])

    def full(*_: object, **__: object) -> None:
        raise duckdb.IOException("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal.changes, "apply_all", full)
        with pytest.raises(StoreDamagedError, match="No space left"):
            store.write([])
    assert journal.waiting(store.path) == [file]
    store.write([])
    assert value_of(store, "SELECT name FROM models") == "waiting"


def test_unfinished_file_is_not_taken_in(store: Store) -> None:
    """A file that a killed writer left under its hidden name is neither read nor deleted."""
    folder = journal.folder(store.path)
    folder.mkdir()
    part = folder / ".00000000000000000001-x.batch.part"
    part.write_bytes(b"half")
    store.write([])
    assert part.read_bytes() == b"half"
    assert not (folder / "rejected").exists()


def test_journal_lies_beside_its_own_database(tmp_path: Path) -> None:
    """Two databases of one folder have two journals."""
    assert journal.folder(tmp_path / "a.duckdb") != journal.folder(tmp_path / "b.duckdb")
    journal.put(tmp_path / "a.duckdb", [_named("a")])
    assert journal.waiting(tmp_path / "b.duckdb") == []


def test_runs_of_a_model_with_a_missing_value_go_in_together(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many waiting batches take one transaction, also where a column holds nothing; a bad one costs a few more."""
    commits = []
    commit = journal._commit

    def counted(*arguments: Any) -> None:
        commits.append(len(arguments[1]))
        commit(*arguments)

    monkeypatch.setattr(journal, "_commit", counted)
    for number in range(16):
        model = model_facts(language=None).as_change()
        journal.put(store.path, [model, Change("runs", [run_row(f"run-{number:08d}", notes=None)])])
    store.write([])
    assert commits == [16]
    journal.put(store.path, [change("models", model_row(params="many"))])
    for number in range(16, 31):
        journal.put(store.path, [Change("runs", [run_row(f"run-{number:08d}")])])
    store.write([])
    assert len(commits) <= 1 + 2 * 5
    assert len(journal.rejected(store.path)) == 1
    assert value_of(store, "SELECT count(*) FROM runs") == 31


def test_rows_that_are_there_already_are_written_over(store: Store) -> None:
    """Waiting batches are first taken for new rows; where one is there, the later value stands all the same."""
    for value in (0.25, 0.5):
        store.append([Change("metrics", [{"run_id": "run-00000001", "name": "accuracy", "value": value}])])
        assert value_of(store, "SELECT value FROM metrics") == value
    assert not journal.rejected(store.path)


def test_who_writes_waits_until_little_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer takes in what passes the limit; where the database stays in use, it goes on after a bounded wait."""
    monkeypatch.setattr(database_file, "BACKLOG_BYTES", 1000)
    monkeypatch.setattr(database_file, "PAUSE_S", 0.05)
    batch = [_named("x" * 100)]
    with store.alone():
        began = time.monotonic()
        for _ in range(4 * LOOK_EVERY):
            store.append(batch)
        assert time.monotonic() - began > 0.2, "the writer did not wait"
        assert journal.backlog(store.path) > 1000
    for _ in range(LOOK_EVERY):
        store.append(batch)
    assert journal.backlog(store.path) < 1000


@pytest.mark.parametrize("whose", ["others", "own", "nobody's"])
def test_reader_that_waited_leaves_what_others_write_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """A reader that waited while others took in reads that, if they write on; with batches of its own it takes in."""
    monkeypatch.setattr(database_file, "PATIENCE_S", -1.0)
    others = store.path.with_name("others")
    journal.put(others, [_named("early")])
    folder = journal.folder(store.path)
    folder.mkdir(exist_ok=True)
    (source,) = journal.waiting(others)
    early = source.read_bytes()
    journal.put(others, [_named("late")])
    late = source.read_bytes()
    file = folder / source.name
    file.write_bytes(early)
    store.take_in(1.0)
    file.write_bytes(late)  # acknowledged before the reader begins, and not taken in by whom it waits for
    if whose == "own":
        store.append([change("models", model_row("mine"))])
    take = access.locked

    @contextmanager
    def waited(*arguments: Any, exclusive: bool) -> Any:
        with take(*arguments, exclusive=exclusive) as share:
            if exclusive and whose != "nobody's":
                notes.write(store.path, folder, {file: len(early) - 1})
                with file.open("ab") as more:
                    more.write(b"x")
            yield share

    monkeypatch.setattr(access, "locked", waited)
    names = set(store.query("SELECT name FROM models")["name"])
    assert names == ({"early"} if whose == "others" else {"late", *(["mine"] if whose == "own" else [])})
