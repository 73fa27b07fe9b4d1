"""Several senders at once, and a listener that is killed: nothing acknowledged is lost, and nothing arrives twice."""

import secrets
import shutil
from pathlib import Path

import pytest

from db.storage.store import Store
from tests.remote.processes import arrived, bundles_of, free_port, listening, need_extra, start, start_listener

need_extra()


@pytest.fixture
def receiver(_initialised: Path, tmp_path: Path) -> Store:
    """The other machine's board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "there.duckdb")))


def _acknowledged(output: str) -> list[str]:
    return sorted(line.split()[0] for line in output.splitlines())


def test_several_senders_at_once(board: Store, receiver: Store, tmp_path: Path) -> None:
    """Four processes send five bundles each: all arrive, once, and each sender gets its own receipts."""
    bundles = bundles_of(board, tmp_path, 20)
    with listening(receiver.path) as target:
        senders = [start("send", target, *bundles[who::4]) for who in range(4)]
        outputs = [sender.communicate(timeout=120)[0] for sender in senders]
    assert [sender.returncode for sender in senders] == [0] * 4
    assert [line.split()[1:] for text in outputs for line in text.splitlines()] == [["1", "0"]] * 20
    assert _acknowledged("".join(outputs)) == [bundle.name for bundle in bundles] == arrived(receiver)
    twice = "SELECT count(*) AS n FROM predictions WHERE run_id LIKE 'run-%'"
    assert receiver.query(twice)["n"].item() == 2 * 20


def test_a_listener_that_is_killed_loses_nothing(board: Store, receiver: Store, tmp_path: Path) -> None:
    """What was acknowledged before the kill is in the board; the sender goes on with the next listener."""
    bundles = bundles_of(board, tmp_path, 6, notes=secrets.token_hex(700_000))
    port = free_port()
    first = start_listener(receiver.path, port)
    sender = start("send", f"quack:127.0.0.1:{port}", *bundles)
    assert sender.stdout is not None
    before = sender.stdout.readline()
    first.kill()
    first.communicate(timeout=30)
    assert set(_acknowledged(before)) <= set(arrived(receiver))
    second = start_listener(receiver.path, port)
    try:
        rest, _ = sender.communicate(timeout=120)
    finally:
        second.terminate()
        second.communicate(timeout=30)
    assert sender.returncode == 0, "the sender gave up"
    assert second.returncode == 0
    assert _acknowledged(before + rest) == [bundle.name for bundle in bundles] == arrived(receiver)
