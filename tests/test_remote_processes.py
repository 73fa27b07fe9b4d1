"""Listeners and senders that end, wait and meet: nothing acknowledged is lost, and nothing arrives twice."""

import secrets
import shutil
import signal
import time
from pathlib import Path

import pytest

from db import exchange, remote
from db.errors import RemoteError
from db.exchange import Imported
from db.store import Store
from tests.db_processes import held
from tests.db_samples import whole_run
from tests.remote_processes import TOKEN, free_port, listening, need_extra, start, start_listener

need_extra()


@pytest.fixture
def there(_initialised: Path, tmp_path: Path) -> Store:
    """The other machine's board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "there.duckdb")))


def _bundles(board: Store, folder: Path, count: int, **columns: object) -> list[Path]:
    """Bundles of one run each; the run's id is the file's name."""
    ids = [f"run-{number:02d}" for number in range(count)]
    board.write([change for run_id in ids for change in whole_run(run_id, **columns)])
    for run_id in ids:
        exchange.export_runs(board, folder / run_id, [run_id])
    return [folder / run_id for run_id in ids]


def _arrived(store: Store) -> list[str]:
    return list(store.query("SELECT run_id FROM runs WHERE source = 'measured' ORDER BY run_id")["run_id"])


def _acknowledged(told: str) -> list[str]:
    return sorted(line.split()[0] for line in told.splitlines())


def test_several_senders_at_once(board: Store, there: Store, tmp_path: Path) -> None:
    """Four processes send five bundles each: all arrive, once, and each sender gets its own receipts."""
    bundles = _bundles(board, tmp_path, 20)
    with listening(there.path) as target:
        senders = [start("send", target, *bundles[who::4]) for who in range(4)]
        told = [sender.communicate(timeout=120)[0] for sender in senders]
    assert [sender.returncode for sender in senders] == [0] * 4
    assert [line.split()[1:] for text in told for line in text.splitlines()] == [["1", "0"]] * 20
    assert _acknowledged("".join(told)) == [bundle.name for bundle in bundles] == _arrived(there)
    twice = "SELECT count(*) AS n FROM predictions WHERE run_id LIKE 'run-%'"
    assert there.query(twice)["n"].item() == 2 * 20


def test_a_listener_that_is_killed_loses_nothing(board: Store, there: Store, tmp_path: Path) -> None:
    """What was acknowledged before the kill is in the board; the sender goes on with the next listener."""
    bundles = _bundles(board, tmp_path, 6, notes="x" * 1_500_000)
    port = free_port()
    first = start_listener(there.path, port)
    sender = start("send", f"quack:127.0.0.1:{port}", *bundles)
    assert sender.stdout is not None
    before = sender.stdout.readline()
    first.kill()
    first.communicate(timeout=30)
    assert set(_acknowledged(before)) <= set(_arrived(there))
    second = start_listener(there.path, port)
    try:
        rest, _ = sender.communicate(timeout=120)
    finally:
        second.terminate()
        second.communicate(timeout=30)
    assert sender.returncode == 0, "the sender gave up"
    assert second.returncode == 0
    assert _acknowledged(before + rest) == [bundle.name for bundle in bundles] == _arrived(there)


def test_a_sender_gives_up_on_a_listener_that_does_not_come_back(there: Store) -> None:
    """It says that the runs are kept."""
    port = free_port()
    process = start_listener(there.path, port)
    with held(there.path):  # so that the bundle is still waiting when the listener ends
        line = remote._Line(remote.quack.place(f"quack:127.0.0.1:{port}"), TOKEN)
        upload = line.ask(remote.quack.OFFER.format(upload="a" * 32, sha256="0" * 64, parts=1))
        assert upload == [(1,)]
        process.kill()
        process.communicate(timeout=30)
    with pytest.raises(RemoteError, match=r"nobody listens there.*kept here"):
        remote.send(f"quack:127.0.0.1:{port}", b"x", TOKEN, connect_s=0.2)
    with pytest.raises(remote._LostError, match="connection was lost"):
        line.ask(remote.quack.HELLO)


def test_a_busy_board_makes_the_sender_wait(board: Store, there: Store, tmp_path: Path) -> None:
    """While another program holds the board, a bundle waits; when it is free again, the bundle goes in."""
    (bundle,) = _bundles(board, tmp_path, 1)
    with listening(there.path) as target:
        busy = pytest.raises(RemoteError, match="arrived, but is not in the board yet, for 1 s")
        with held(there.path), busy:
            remote.send(target, bundle.read_bytes(), TOKEN, wait_s=1)
        until = time.monotonic() + 20
        while not _arrived(there) and time.monotonic() < until:
            time.sleep(0.1)
        assert _arrived(there) == ["run-00"]
        assert remote.send(target, bundle.read_bytes(), TOKEN) == Imported(0, 0, 1)


def test_a_full_disk_is_told_and_the_run_is_kept(board: Store, there: Store, tmp_path: Path) -> None:
    """A board that cannot be written acknowledges nothing; with room again, the same bundle goes in."""
    (bundle,) = _bundles(board, tmp_path, 1, notes=secrets.token_hex(500_000))
    full = pytest.raises(RemoteError, match=r"could not write to its board.*kept here")
    with listening(there.path, file_limit=200_000) as target, full:
        remote.send(target, bundle.read_bytes(), TOKEN)
    assert _arrived(there) == []
    with listening(there.path) as target:
        assert remote.send(target, bundle.read_bytes(), TOKEN) == Imported(1, 0, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_ends_well_when_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM ends `featherboard db listen` with 0, and its port is free again."""
    import os
    import subprocess
    import sys

    port = free_port()
    environment = {**os.environ, "FEATHERBOARD_TOKEN": TOKEN, "FEATHERBOARD_DB": str(tmp_path / "board.duckdb"),
                   "PYTHONPATH": str(Path(__file__).parent.parent)}  # fmt: skip
    Store(tmp_path / "board.duckdb").migrate()
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "db", "listen", "--port", str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().startswith(f"Listening on quack:127.0.0.1:{port}; runs go to ")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "Stopped listening.\n", "")
    start_listener(tmp_path / "board.duckdb", port).kill()
