"""Sending runs to the board of another machine: what arrives, and what is refused."""

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import listen, quack, remote
from db.base.errors import RemoteError
from db.listen import open_inbox, refused_folder
from db.runs import bundles
from db.runs.bundles import Imported
from db.storage.changes import Change, pack
from db.storage.store import Store
from tests.factories.rows import whole_run
from tests.remote.processes import TOKEN, free_port, listening, need_extra

need_extra()


@pytest.fixture(scope="module")
def far(_initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Store]]:
    """A listener for all tests of this file, and its board."""
    path = Path(shutil.copyfile(_initialised, tmp_path_factory.mktemp("far") / "far.duckdb"))
    with listening(path) as target:
        yield target, Store(path)


def _new_run(store: Store, **columns: object) -> str:
    """A finished, measured run in a board; returns its id, which is unlike any other."""
    run_id = f"run-{secrets.token_hex(6)}"
    store.write(whole_run(run_id, **columns))
    return run_id


def test_runs_arrive_whole_and_only_once(board: Store, far: tuple[str, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are sent in bundles, a second push changes nothing, and a run that changed is brought up to date."""
    target, store = far
    monkeypatch.setattr(remote, "GROUP", 2)
    ids = [_new_run(board) for _ in range(3)]
    seen: list[int] = []
    assert remote.push(board, target, TOKEN, moved=seen.append) == Imported(3, 0, 0)
    assert seen == [2, 3]
    for table in ("metrics", "curves", "predictions"):
        sql = f"SELECT * FROM {table} WHERE run_id IN (SELECT unnest(?)) ORDER BY ALL"
        assert store.query(sql, [ids]).equals(board.query(sql, [ids])), table
    before = store.generation()
    assert remote.push(board, target, TOKEN) == Imported(0, 0, 3)
    with board.transaction() as con:
        con.execute(
            "UPDATE runs SET notes = 'later', updated_at = updated_at + INTERVAL 1 DAY WHERE run_id = ?", ids[:1]
        )
    assert remote.push(board, target, TOKEN, ids[:1]) == Imported(0, 1, 0)
    assert store.generation() != before
    assert store.query("SELECT notes FROM runs WHERE run_id = ?", ids[:1])["notes"].item() == "later"


def test_running_and_reported_runs_stay(board: Store) -> None:
    """By default only measured runs that came to an end are sent."""
    done, running = _new_run(board), _new_run(board)
    with board.transaction() as con:
        con.execute("UPDATE runs SET status = 'running' WHERE run_id = ?", [running])
    assert remote.waiting(board) == [done]


def test_a_bundle_of_many_parts_arrives(board: Store, far: tuple[str, Store]) -> None:
    """A bundle that does not fit one statement is put together again, byte by byte."""
    target, store = far
    run_id = _new_run(board, notes=secrets.token_hex(2 * quack.PART_BYTES))
    content, _ = bundles.bundle(board, [run_id])
    assert len(content) > 2 * quack.PART_BYTES
    assert remote.send(target, content, TOKEN) == Imported(1, 0, 0)
    notes = "SELECT notes FROM runs WHERE run_id = ?"
    assert store.query(notes, [run_id]).equals(board.query(notes, [run_id]))


def test_a_broken_bundle_is_refused_and_kept_aside(board: Store, far: tuple[str, Store]) -> None:
    """Its sender is told what is wrong, the board stays as it was, and the next bundle is taken."""
    target, store = far
    run_id = _new_run(board)
    batch = bundles.changes.unpack(bundles.bundle(board, [run_id])[0], "run bundle", "")
    wrong = [
        Change("runs", table.rows.assign(status="splendid")) if table.table == "runs" else table for table in batch
    ]
    before = store.generation()
    for content, message in ((b"no zip", "not a readable"), (pack(wrong, "run bundle"), "CHECK constraint")):
        with pytest.raises(RemoteError, match=f"refused it: the bundle: .*{message}.*kept here"):
            remote.send(target, content, TOKEN)
        assert content in [file.read_bytes() for file in refused_folder(store.path).iterdir()]
    assert store.query("SELECT 1 FROM runs WHERE run_id = ?", [run_id]).empty
    assert before.split("-")[0] == store.generation().split("-")[0]
    assert remote.push(board, target, TOKEN, [run_id]) == Imported(1, 0, 0)


def test_refused_bundles_do_not_fill_the_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many are kept aside, and one that comes again takes no further place."""
    monkeypatch.setattr(listen, "KEPT_ASIDE", 2)
    messages: list[str] = []
    with open_inbox() as con:
        inbox = listen.Inbox(con, store, messages.append)
        for number in (0, 0, 1, 2):
            assert inbox._imported(b"broken %d" % number, _digest(b"broken %d" % number))[0] == "refused"
        assert inbox._imported(b"broken", "0" * 64)[0] == "failed"
    assert len(list(refused_folder(store.path).iterdir())) == 2
    assert "is full" in messages[-1]
    assert not store.exists()


def _digest(content: bytes) -> str:
    return listen.hashlib.sha256(content).hexdigest()


def test_a_wrong_token_sends_nothing(board: Store, far: tuple[str, Store]) -> None:
    """Nor does it see anything; the message says where the right one is."""
    run_id = _new_run(board)
    for token in (TOKEN[:-1], TOKEN + "s", TOKEN.upper()):
        with pytest.raises(RemoteError, match="does not take this token"):
            remote.push(board, far[0], token, [run_id])
    assert far[1].query("SELECT 1 FROM runs WHERE run_id = ?", [run_id]).empty


def test_nobody_listens() -> None:
    """It is told within the time that was given."""
    with pytest.raises(RemoteError, match=r"nobody listens there; start `featherboard db listen`.*kept here"):
        remote.send(f"quack:127.0.0.1:{free_port()}", b"x", TOKEN, connect_s=0.2)
    with pytest.raises(RemoteError, match="no machine of that name"):
        remote.send("quack:no-such-machine.invalid:9494", b"x", TOKEN)


def test_a_bundle_that_is_too_large_is_not_sent(far: tuple[str, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    """The sender says so, be it by its own limit or by the listener's."""
    monkeypatch.setattr(quack, "BUNDLE_LIMIT", 10)
    with pytest.raises(RemoteError, match=r"Nothing was sent; name fewer runs"):
        remote.send(far[0], b"x" * 11, TOKEN)
    monkeypatch.setattr(quack, "BUNDLE_LIMIT", 2**40)
    monkeypatch.setattr(quack, "PART_BYTES", 1)
    with pytest.raises(RemoteError, match=r"larger than quack:.* takes"):
        remote.send(far[0], b"x" * 600, TOKEN)


def test_a_full_inbox_makes_senders_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener that has no room takes no part of a bundle, and a sender that waited in vain says so."""
    monkeypatch.setattr(listen, "ROOM_PARTS", 1)
    listener = quack.Place("127.0.0.1", free_port())
    with open_inbox() as con:
        listen._serve(con, listener, TOKEN)
        with pytest.raises(RemoteError, match=r"its inbox is full, for 0\.3 s"):
            remote.send(str(listener), b"x" * (quack.PART_BYTES + 1), TOKEN, wait_s=0.3)
        with pytest.raises(RemoteError, match="arrived, but is not in the board yet"):
            remote.send(str(listener), b"x", TOKEN, wait_s=0.3)
        assert con.execute("SELECT count(*) FROM parts").fetchall() == [(1,)]


def test_no_proxy_of_the_environment_sees_the_token(
    board: Store, far: tuple[str, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs go straight to the listener, whatever proxy other programs use."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setitem(os.environ, name, f"http://127.0.0.1:{free_port()}")
    assert remote.push(board, far[0], TOKEN, [_new_run(board)]) == Imported(1, 0, 0)
