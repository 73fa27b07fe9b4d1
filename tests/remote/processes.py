"""Services and senders in processes of their own: the tests run this file with the name of a role below."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests import paths

if TYPE_CHECKING:
    from db.storage.store import Store

TOKEN = "a-token-of-the-tests"  # noqa: S105


def bundles_of(board: "Store", folder: Path, count: int, **columns: object) -> list[Path]:
    """Bundles of one run each; the run's id is the file's name."""
    from db.runs import bundles
    from tests.factories.rows import whole_run

    ids = [f"run-{number:08d}" for number in range(count)]
    board.write([change for run_id in ids for change in whole_run(run_id, **columns)])
    for run_id in ids:
        bundles.export_runs(board, folder / run_id, [run_id])
    return [folder / run_id for run_id in ids]


def arrived(store: "Store") -> list[str]:
    """The measured runs of a board."""
    return list(store.query("SELECT run_id FROM runs WHERE source = 'measured' ORDER BY run_id")["run_id"])


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(role: str, *arguments: object, repo: Path = paths.REPO) -> "subprocess.Popen[str]":
    """Start one of the roles below in a new Python, with the packages of a checkout."""
    return subprocess.Popen(
        [sys.executable, __file__, role, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(repo), "OMP_NUM_THREADS": "1"},
    )


def start_service(
    board: Path, port: int, file_limit: int = 0, wait_s: float = 0.3, repo: Path = paths.REPO
) -> "subprocess.Popen[str]":
    """A service that takes requests; ``file_limit``: bytes after which its disk is full."""
    process = start("serve", board, port, file_limit, wait_s, repo=repo)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://"), "the service did not start"
    return process


@contextmanager
def serving(board: Path, file_limit: int = 0, wait_s: float = 0.3, repo: Path = paths.REPO) -> Iterator[str]:
    """A service in front of a board, by its address, until the block ends."""
    port = free_port()
    process = start_service(board, port, file_limit, wait_s, repo)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0, "the service did not end well"


def _serve(board: str, port: str, file_limit: str, wait_s: str) -> None:
    import resource

    from db.storage.store import Store
    from engine.service import app
    from engine.service.settings import Settings

    if int(file_limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_limit), int(file_limit)))
    settings = Settings(port=int(port), senders={"pi5": TOKEN, "laptop": TOKEN[::-1]}, warm=())
    made = app.create(settings, Store(Path(board), wait_s=float(wait_s)))
    app.serve(made, settings, ready=lambda address: print(address, flush=True))


def _send(url: str, *bundles: str) -> None:
    """Send each bundle, and write a line for each whose receipt came."""
    from db import remote

    with remote.client(remote.Target(url, TOKEN)) as client:
        for bundle in bundles:
            done = remote._send(client, Path(bundle).read_bytes(), 300)
            print(Path(bundle).name, done.added, done.unchanged, flush=True)


if __name__ == "__main__":
    {"serve": _serve, "send": _send}[sys.argv[1]](*sys.argv[2:])
