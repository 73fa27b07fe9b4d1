"""Listeners and senders that end or wait: what was not acknowledged is told and kept."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from db import remote
from db.base.errors import RemoteError
from db.runs.bundles import Imported
from db.storage.store import Store
from tests import paths
from tests.factories.database_processes import held
from tests.remote.processes import TOKEN, arrived, bundles_of, free_port, listening, need_extra, start_listener

need_extra()


@pytest.fixture
def receiver(_initialised: Path, tmp_path: Path) -> Store:
    """The other machine's board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "there.duckdb")))


def test_a_sender_gives_up_on_a_listener_that_does_not_come_back(receiver: Store) -> None:
    """It says that the runs are kept."""
    port = free_port()
    process = start_listener(receiver.path, port)
    with held(receiver.path):  # so that the bundle is still waiting when the listener ends
        line = remote._Line(remote.quack.place(f"quack:127.0.0.1:{port}"), TOKEN)
        upload = line.ask(remote.quack.OFFER.format(upload="a" * 32, sha256="0" * 64, parts=1))
        assert upload == [(1,)]
        process.kill()
        process.communicate(timeout=30)
    with pytest.raises(RemoteError, match=r"nobody listens there.*kept here"):
        remote.send(f"quack:127.0.0.1:{port}", b"x", TOKEN, connect_s=0.2)
    with pytest.raises(remote._LostError, match="connection was lost"):
        line.ask(remote.quack.HELLO)


def test_a_busy_board_makes_the_sender_wait(board: Store, receiver: Store, tmp_path: Path) -> None:
    """While another program holds the board, a bundle waits; when it is free again, the bundle goes in."""
    (bundle,) = bundles_of(board, tmp_path, 1)
    with listening(receiver.path) as target:
        busy = pytest.raises(RemoteError, match="arrived, but is not in the board yet, for 1 s")
        with held(receiver.path), busy:
            remote.send(target, bundle.read_bytes(), TOKEN, wait_s=1)
        until = time.monotonic() + 20
        while not arrived(receiver) and time.monotonic() < until:
            time.sleep(0.1)
        assert arrived(receiver) == ["run-00"]
        assert remote.send(target, bundle.read_bytes(), TOKEN) == Imported(0, 0, 1)


def test_a_full_disk_is_told_and_the_run_is_kept(board: Store, receiver: Store, tmp_path: Path) -> None:
    """A board that cannot be written acknowledges nothing; with room again, the same bundle goes in."""
    (bundle,) = bundles_of(board, tmp_path, 1, notes=secrets.token_hex(500_000))
    full = pytest.raises(RemoteError, match=r"could not write to its board.*kept here")
    with listening(receiver.path, file_limit=200_000) as target, full:
        remote.send(target, bundle.read_bytes(), TOKEN)
    assert arrived(receiver) == []
    with listening(receiver.path) as target:
        assert remote.send(target, bundle.read_bytes(), TOKEN) == Imported(1, 0, 0)


def test_the_command_ends_well_on_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C ends `featherboard db listen` with 0, and its port is free again."""
    port = free_port()
    environment = {
        **os.environ,
        "FEATHERBOARD_TOKEN": TOKEN,
        "FEATHERBOARD_DB": str(tmp_path / "board.duckdb"),
        "PYTHONPATH": str(paths.REPO),
    }
    Store(tmp_path / "board.duckdb").migrate()
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "db", "listen", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(f"Listening on quack:127.0.0.1:{port}; runs go to ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "Stopped listening.\n", "")
    start_listener(tmp_path / "board.duckdb", port).kill()
