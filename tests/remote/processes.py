"""Listeners and senders in processes of their own: run as ``python remote_processes.py ROLE ...`` by the tests."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import paths

if TYPE_CHECKING:
    from db.storage.store import Store

ROOT = paths.REPO
TOKEN = "a-token-of-the-tests"  # noqa: S105


def need_extra() -> None:
    """Skip the module where DuckDB's extensions are not installed."""
    for name in ("duckdb_extension_quack", "duckdb_extension_httpfs"):
        pytest.importorskip(name, reason="the extra 'server' is not installed")


def bundles_of(board: "Store", folder: Path, count: int, **columns: object) -> list[Path]:
    """Bundles of one run each; the run's id is the file's name."""
    from db.runs import bundles as exchange
    from tests.factories.rows import whole_run

    ids = [f"run-{number:02d}" for number in range(count)]
    board.write([change for run_id in ids for change in whole_run(run_id, **columns)])
    for run_id in ids:
        exchange.export_runs(board, folder / run_id, [run_id])
    return [folder / run_id for run_id in ids]


def arrived(store: "Store") -> list[str]:
    """The measured runs of a board."""
    return list(store.query("SELECT run_id FROM runs WHERE source = 'measured' ORDER BY run_id")["run_id"])


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(role: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start one of the roles below in a new Python."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.remote.processes", role, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )


def start_listener(board: Path, port: int, file_limit: int = 0) -> "subprocess.Popen[str]":
    """A listener that can be reached; ``file_limit``: bytes after which its disk is full."""
    process = start("listen", board, port, file_limit)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready", "the listener did not start"
    return process


@contextmanager
def listening(board: Path, file_limit: int = 0) -> Iterator[str]:
    """A listener in front of a board, by its name, until the block ends."""
    port = free_port()
    process = start_listener(board, port, file_limit)
    try:
        yield f"quack:127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0, "the listener did not end well"


def _listen(board: str, port: str, file_limit: str) -> None:
    import resource
    import signal

    from db.listen import listen
    from db.quack import Place
    from db.storage.store import Store

    if int(file_limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_limit), int(file_limit)))
    calls: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: calls.append(number))
    listen(
        Store(Path(board), wait_s=0.3),
        Place("127.0.0.1", int(port)),
        TOKEN,
        should_stop=lambda: bool(calls),
        tell=lambda text: print(text, flush=True),
        ready=lambda: print("ready", flush=True),
    )


def _send(target: str, *bundles: str) -> None:
    """Send each bundle, and write a line for each whose receipt came."""
    from db.remote import send

    for bundle in bundles:
        done = send(target, Path(bundle).read_bytes(), TOKEN, connect_s=30)
        print(Path(bundle).name, done.added, done.unchanged, flush=True)


def _mute(port: str) -> None:
    """Accept connections and never answer."""
    with socket.create_server(("127.0.0.1", int(port))) as server:
        print("ready", flush=True)
        buffers = []
        server.settimeout(20)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            buffers.append(server.accept())


if __name__ == "__main__":
    {"listen": _listen, "send": _send, "mute": _mute}[sys.argv[1]](*sys.argv[2:])
