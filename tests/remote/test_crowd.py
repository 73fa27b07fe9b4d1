"""Several senders at once, and a service that is killed: nothing acknowledged is lost, and nothing arrives twice."""

import secrets
from pathlib import Path

from db.storage.store import Store
from tests.remote.processes import arrived, bundles_of, free_port, start, start_service

SENDERS, EACH = 4, 3


def test_senders_outlive_a_service_that_is_killed(board: Store, other_board: Store, tmp_path: Path) -> None:
    """Four processes send while the service is killed and started again: all runs arrive, once."""
    bundles = bundles_of(board, tmp_path, SENDERS * EACH, notes=secrets.token_hex(100_000))
    port = free_port()
    first = start_service(other_board.path, port)
    senders = [start("send", f"http://127.0.0.1:{port}", *bundles[who::SENDERS]) for who in range(SENDERS)]
    assert senders[0].stdout is not None
    before = senders[0].stdout.readline()
    first.kill()
    first.communicate(timeout=60)
    assert before.split()[0] in arrived(other_board), "what was acknowledged is in the board"
    second = start_service(other_board.path, port)
    try:
        outputs = [sender.communicate(timeout=300)[0] for sender in senders]
    finally:
        second.terminate()
        second.communicate(timeout=60)
    assert [sender.returncode for sender in senders] == [0] * SENDERS, "a sender gave up"
    receipts = [line.split() for line in (before + "".join(outputs)).splitlines()]
    assert sorted(name for name, *_ in receipts) == [bundle.name for bundle in bundles] == arrived(other_board)
    # A run whose receipt was lost with the first service is unchanged when it comes again.
    assert all(int(added) + int(unchanged) == 1 for _, added, unchanged in receipts)
    rows = other_board.query("SELECT count(*) AS n FROM predictions WHERE run_id LIKE 'run-%'")["n"].item()
    assert rows == 2 * len(bundles)
