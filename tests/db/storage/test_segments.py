"""The growing files of a journal: what is complete is taken in once, whatever became of the rest."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from db.storage import journal
from db.storage.changes import Change
from db.storage.journal import segments
from db.storage.store import Store
from tests.factories.rows import change, model_row, value_of, with_tasks


@pytest.fixture
def store(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _named(name: str) -> Change:
    return change("models", model_row("shared", name=name))


def _models(store: Store) -> list[str]:
    return sorted(store.query("SELECT model_id FROM models")["model_id"])


def _put(store: Store, *names: str) -> Path:
    return [journal.put(store.path, [change("models", model_row(name))])[0] for name in names][-1]


def test_a_process_appends_to_one_file_until_it_is_taken_in(store: Store) -> None:
    """Its batches lie in one file, which goes when they are in; the next one begins another file."""
    assert _put(store, "a") == _put(store, "b")
    assert _models(store) == ["a", "b"]
    assert journal.waiting(store.path) == []
    assert len({_put(store, "c"), *journal.waiting(store.path)}) == 1
    assert _models(store) == ["a", "b", "c"]


def test_a_file_that_grows_while_it_is_taken_in_stays(store: Store) -> None:
    """What was appended after the look waits for the next one, and what was taken in is not taken in again."""
    file = _put(store, "a")
    with store.transaction() as con:
        journal.put(store.path, [_named("late")])
        con.execute("UPDATE models SET name = 'changed' WHERE model_id = 'a'")
    assert journal.waiting(store.path) == [file]
    assert _models(store) == ["a", "shared"]
    assert value_of(store, "SELECT name FROM models WHERE model_id = 'a'") == "changed"
    assert journal.waiting(store.path) == []


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_half_a_batch_of_a_killed_process_is_set_aside(store: Store, cut: int) -> None:
    """The batches before it go in, and the half is kept in rejected/."""
    file = _put(store, "a", "b")
    os.truncate(file, file.stat().st_size - cut)
    assert _models(store) == ["a"]
    assert _models(store) == ["a"]  # the second look finds that nothing follows, and nobody writes
    assert len(journal.rejected(store.path)) == 1
    assert _put(store, "c") != file
    assert _models(store) == ["a", "c"]


def test_a_damaged_batch_does_not_hide_those_behind_it(store: Store) -> None:
    """One flipped bit costs the batch that it is in, whose bytes are kept, and no other, wherever it is."""
    file = _put(store, "a")
    start = file.stat().st_size
    _put(store, "b")
    end = file.stat().st_size
    _put(store, "c")
    whole = file.read_bytes()
    first, _, third = segments.frames(file, 0)
    for position in range(start, end):
        content = bytearray(whole)
        content[position] ^= 0x40
        file.write_bytes(content)
        pieces = list(segments.frames(file, 0))
        assert (pieces[0], pieces[-1].content, len(pieces)) == (first, third.content, 3), f"byte {position}"
    assert _models(store) == ["a", "c"]
    assert len(journal.rejected(store.path)) == 1


def test_a_write_that_fails_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk in the middle of a batch is an error, and the batches before and after it go in."""
    _put(store, "a")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", full)
        with pytest.raises(OSError, match="No space"):
            _put(store, "lost")
    _put(store, "b")
    assert _models(store) == ["a", "b"]
    assert journal.rejected(store.path) == []


def test_batches_keep_their_order_when_the_clock_goes_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two processes, the second of which begins after a batch of the first with its clock a day back."""
    journal.put(store.path, [_named("first")])
    segments._forget(journal.folder(store.path))
    monkeypatch.setattr(segments.time, "time_ns", lambda: 1)
    journal.put(store.path, [_named("second")])
    assert len(journal.waiting(store.path)) == 2
    assert value_of(store, "SELECT name FROM models") == "second"


def test_a_forked_child_has_a_file_of_its_own(store: Store) -> None:
    """Parent and child append at once, and neither holds the other's lock."""
    _put(store, "parent")
    child = os.fork()
    if not child:
        _put(store, "child")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    _put(store, "parent-again")
    assert len(journal.waiting(store.path)) == 2
    assert _models(store) == ["child", "parent", "parent-again"]
    assert journal.waiting(store.path) == []


def test_a_lost_log_loses_nothing_that_was_taken_in(store: Store) -> None:
    """What a reader took in lies in the write-ahead log and still in the journal: without the log it goes in again."""
    _put(store, "a")
    assert _models(store) == ["a"]
    assert journal.waiting(store.path) == []
    log = store.path.with_name(store.path.name + ".wal")
    assert log.exists()
    for size in (log.stat().st_size // 2, 0):
        os.truncate(log, size)
        assert _models(store) == ["a"]
    log.unlink()
    assert _models(store) == ["a"]


def test_a_long_log_is_written_to_the_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the files of the journal go, and each batch is in once."""
    monkeypatch.setattr("db.storage.database_file.LOG_BYTES", 10_000)
    for number in range(6):
        _put(store, *(f"{number}-{part}" for part in range(8)))
        assert len(_models(store)) == 8 * (number + 1)
    assert value_of(store, "SELECT sum(bytes) FROM ingested_batches") < 60_000
    assert store.path.with_name(store.path.name + ".wal").stat().st_size < 20_000


def test_a_power_cut_between_two_syncs_loses_nothing_acknowledged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever of the bytes behind the last sync reached the disk, or zeros in their stead, batches go in whole."""
    sync, sizes = os.fdatasync, [0]
    monkeypatch.setattr(os, "fdatasync", lambda file: (sync(file), sizes.append(os.fstat(file).st_size)))
    file = _put(store, "a", "b", "c")
    monkeypatch.undo()
    content = file.read_bytes()
    assert len(sizes) == 1 + 3
    for synced, end in pairwise(sizes):
        for cut in sorted({synced, synced + 1, synced + 23, (synced + end) // 2, end - 1, end}):
            for zeros in (0, end - cut):
                after = with_tasks(Store(store.path.with_name(f"{cut}-{zeros}.duckdb")))
                journal.folder(after.path).mkdir(exist_ok=True)
                left = content[:cut] + bytes(zeros)
                (journal.folder(after.path) / file.name).write_bytes(left)
                whole = sum(left[:size] == content[:size] for size in sizes[1:])
                assert _models(after) == ["a", "b", "c"][:whole], f"{cut} bytes, then {zeros} zeros"
