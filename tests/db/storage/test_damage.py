"""A file that is not what was acknowledged: it is noticed, named, read and not written to, and can be repaired."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from db.base.errors import StoreDamagedError, StoreError
from db.bootstrap import backup as backups
from db.bootstrap.integrity import check
from db.storage import access, damage, journal
from db.storage.journal import spare_blocks
from db.storage.store import Store
from tests.factories.rows import change, contents, model_row, value_of, whole_run, with_tasks

FLIPS = 24


@pytest.fixture
def store(store: Store) -> Store:
    """A store with a run that is in the database file."""
    with_tasks(store)
    store.write(whole_run("run-00000001"))
    return store


def _log(store: Store) -> Path:
    return store.path.with_name(store.path.name + ".wal")


def _older_copy(store: Store) -> None:
    copy = store.path.read_bytes()
    store.write(whole_run("run-00000002"))
    store.path.write_bytes(copy)


def _log_lost(store: Store) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("db.storage.store.Store._settle", _failing_checkpoint(Store._settle))
        store.write(whole_run("run-00000002"))
    _log(store).unlink()


def _log_cut(store: Store) -> None:
    content = b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("db.storage.store.Store._settle", _failing_checkpoint(Store._settle))
        for number in (2, 3):
            content = content or (_log(store).read_bytes() if _log(store).exists() else b"")
            store.write(whole_run(f"run-0000000{number}"))
    _log(store).write_bytes(content)


def _failing_checkpoint(settle: Callable[..., None]) -> Callable[..., None]:
    class Full:
        def execute(self, _: str) -> None:
            raise duckdb.IOException("No space left on device")

    return lambda store, _, files, **options: settle(store, Full(), files, **options)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(_older_copy, "is an older copy"), (_log_lost, "log of .* has 0 of its"), (_log_cut, "log of .* has .* of its")],
)
def test_what_is_missing_is_noticed(
    store: Store, spoil: Callable[[Store], None], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A reader gets what is there with a warning, a writer is refused, results wait, `db check` names it."""
    spoil(store)
    assert value_of(store, "SELECT count(*) FROM runs") in {1, 2}
    assert "is read as far as that goes" in caplog.text
    before = store.path.read_bytes()
    with pytest.raises(StoreDamagedError, match=words):
        store.write([])
    store.append(whole_run("run-00000009"))
    assert value_of(store, "SELECT count(*) FROM runs WHERE run_id = 'run-00000009'") == 0
    assert store.path.read_bytes() == before
    assert any("db restore" in finding and "--repair" in finding for finding in check(store))

    former, lost = backups.repair(store)
    assert lost == []
    assert former is not None
    assert (former / store.path.name).read_bytes() == before
    store.write([])
    assert value_of(store, "SELECT count(*) FROM runs WHERE run_id = 'run-00000009'") == 1
    assert not any("as far as that goes" in finding for finding in check(store))


def test_the_mark_of_a_checkpoint_that_failed_is_not_missed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB notes in the log that it writes the database to its end, and cuts that off when it replays the log."""

    def fail(*_: object) -> None:
        with _log(store).open("ab") as log:
            log.write(b"mark")
        raise OSError("Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(spare_blocks, "save", fail)
        store.write(whole_run("run-00000002"))
    _log(store).write_bytes(_log(store).read_bytes().removesuffix(b"mark"))
    store.write(whole_run("run-00000003"))
    assert value_of(store, "SELECT count(*) FROM runs") == 3


def _findings(store: Store) -> list[str]:
    """What `db check` says; DuckDB leaves free blocks at the end of a file, and reads one without them."""
    try:
        return check(store)
    except StoreDamagedError as error:
        return [str(error)]


@pytest.mark.parametrize("share", [0.3, 0.7, 0.999])
def test_a_file_that_is_cut_off_is_noticed(store: Store, share: float) -> None:
    """Neither a reader nor a writer takes it for a whole one, and it stays as it is; results wait."""
    content = store.path.read_bytes()
    store.path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(StoreDamagedError, match="is cut off"):
        store.write([])
    assert any(re.search("is cut off|cannot be opened|could not be read", finding) for finding in _findings(store))
    store.append(whole_run("run-00000009"))
    assert store.path.read_bytes() == content[: int(len(content) * share)]
    assert len(journal.waiting(store.path)) == 1


def test_a_copy_is_put_back_over_an_older_one(store: Store, tmp_path: Path) -> None:
    """What was noted about the former file does not count for the restored one, nor for one that is made anew."""
    backups.backup(store, tmp_path / "copy.duckdb")
    store.write(whole_run("run-00000002"))
    backups.restore(store, tmp_path / "copy.duckdb")
    store.write(whole_run("run-00000003"))
    store.path.unlink()
    store.write([change("models", model_row())])
    assert value_of(store, "SELECT count(*) FROM models") == 1


def test_a_process_that_dies_when_a_file_was_just_replaced(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was noted about the former file is still there; the repaired one is not taken for an older copy of it."""
    _older_copy(store)

    def dies(_: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(damage, "forget", dies)
        with pytest.raises(KeyboardInterrupt):
            backups.repair(store)
    assert (journal.folder(store.path) / "size").exists()
    assert value_of(store, "SELECT count(*) FROM runs") == 1
    store.write(whole_run("run-00000009"))
    assert value_of(store, "SELECT count(*) FROM runs") == 2
    assert not any("as far as that goes" in finding for finding in check(store))


def _flip(store: Store, content: bytes, position: int) -> None:
    """Write a database's content with one bit changed, and forget what was noted about the former file."""
    spoilt = bytearray(content)
    spoilt[position] ^= 0x10
    store.path.write_bytes(spoilt)
    damage.forget(journal.folder(store.path))


def test_flipped_bytes_are_noticed(board: Store) -> None:
    """Wherever a byte of the file is another one, `db check` says so, and nobody writes to the file after that."""
    content = board.path.read_bytes()
    step = len(content) / FLIPS
    positions = [int(step * (index + 0.37)) for index in range(FLIPS)] + [9, 5000, 9000]
    for position in positions:
        _flip(board, content, position)
        try:
            findings = check(board)
        except StoreError as error:
            findings = [str(error)]
        assert findings, f"byte {position} of {len(content)}"
        with pytest.raises(StoreDamagedError):
            board.write([])


def test_a_damaged_database_is_repaired(board: Store) -> None:
    """Rows that can be read are in the new file, those that cannot are counted, and it can be written to again."""
    before = contents(board)
    content = board.path.read_bytes()
    lost = None
    for position in range(12288 + 5000, len(content), 256 * 1024):
        _flip(board, content, position)
        try:
            _, lost = backups.repair(board)
        except StoreError:
            continue  # the block that lists the tables
        assert bool(lost) or contents(board) == before
        board.write([change("models", model_row("new"))])
    assert lost is not None, "no block could be repaired"


def test_a_database_that_cannot_be_opened_is_not_replaced(store: Store) -> None:
    """Repairing a text changes nothing."""
    store.path.write_bytes(b"text" * 9000)
    with pytest.raises(StoreDamagedError, match="cannot be opened as a database"):
        backups.repair(store)
    assert store.path.read_bytes() == b"text" * 9000
    assert [file.name for file in store.path.parent.iterdir() if ".before-" in file.name or ".part" in file.name] == []
    shutil.rmtree(journal.folder(store.path))


def _copy_of_blocks(store: Store) -> Path:
    """Copy the blocks that DuckDB fills up in place, as before a checkpoint, and return the file of the copy."""
    folder = journal.folder(store.path)
    store.write([])
    with access.attached(store.path, 5, read_only=False) as con:
        spare_blocks.save(con, store.path, folder)
    return folder / "blocks"


def test_blocks_that_were_written_half_are_put_back(board: Store) -> None:
    """Whatever of the blocks that DuckDB fills up in place is damaged when a process dies, nothing is lost."""
    board.write([])
    before, content = contents(board), board.path.read_bytes()
    copy = _copy_of_blocks(board)
    saved = copy.read_bytes()
    assert 256 * 1024 < len(saved) < len(content) // 2
    spoilt = bytearray(content)
    for block in range(12288, len(content), 256 * 1024):
        if content[block : block + 256 * 1024] in saved:
            spoilt[block + 4096 : block + 100_000] = bytes(100_000 - 4096)
    board.path.write_bytes(spoilt)
    assert contents(board) == before
    assert board.path.read_bytes() == content
    assert not copy.exists()


@pytest.mark.parametrize("cut", [0, 3, 4, 1000, -1])
def test_half_a_copy_of_blocks_is_not_put_back(board: Store, cut: int) -> None:
    """A process that died while it copied them had not begun to write the database to its end."""
    copy = _copy_of_blocks(board)
    copy.write_bytes(copy.read_bytes()[:cut])
    board.write([change("models", model_row("new"))])
    assert value_of(board, "SELECT count(*) FROM models WHERE model_id = 'new'") == 1


def test_copies_of_an_earlier_state_are_not_put_back(board: Store) -> None:
    """A process that died after it had written the database to its end left them."""
    copy = _copy_of_blocks(board)
    blocks = copy.read_bytes()
    board.write([change("models", model_row("new"))])
    copy.write_bytes(blocks)
    content = board.path.read_bytes()
    assert value_of(board, "SELECT count(*) FROM models WHERE model_id = 'new'") == 1
    assert board.path.read_bytes() == content
