"""Sending runs to the board of another machine: what arrives, what is refused, and what waits."""

import secrets
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

import featherboard as fb
from db import remote
from db.base.errors import RemoteError
from db.remote import Target
from db.runs import bundles
from db.runs.bundles import Imported
from db.storage.store import Store
from tests.factories.database_processes import held
from tests.factories.rows import whole_run
from tests.remote.processes import TOKEN, free_port, serving


def _new_run(store: Store, **columns: object) -> str:
    """A finished, measured run in a board; returns its id, which is unlike any other."""
    run_id = f"run-{secrets.token_hex(6)}"
    store.write(whole_run(run_id, **columns))
    return run_id


def test_runs_arrive_whole_and_only_once(
    board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs are sent in bundles, a second push changes nothing, and a run that changed is brought up to date."""
    target, other_board = far
    monkeypatch.setattr(remote, "GROUP", 2)
    ids = [_new_run(board) for _ in range(3)]
    seen: list[int] = []
    assert remote.push(board, target, remote.measured(board), seen.append) == Imported(3, 0, 0)
    assert seen == [2, 3]
    for table in ("metrics", "curves", "predictions"):
        sql = f"SELECT * FROM {table} WHERE run_id IN (SELECT unnest(?)) ORDER BY ALL"
        assert other_board.query(sql, [ids]).equals(board.query(sql, [ids])), table
    assert remote.push(board, target, ids) == Imported(0, 0, 3)
    with board.transaction() as con:
        con.execute(
            "UPDATE runs SET notes = 'later', updated_at = updated_at + INTERVAL 1 DAY WHERE run_id = ?", ids[:1]
        )
    assert remote.push(board, target, ids[:1]) == Imported(0, 1, 0)
    assert other_board.query("SELECT notes FROM runs WHERE run_id = ?", ids[:1])["notes"].item() == "later"


def test_running_and_reported_runs_stay(board: Store) -> None:
    """By default only measured runs that came to an end are sent."""
    done, running = _new_run(board), _new_run(board)
    with board.transaction() as con:
        con.execute("UPDATE runs SET status = 'running' WHERE run_id = ?", [running])
    assert remote.measured(board) == [done]


def test_one_bad_run_keeps_no_other_back(
    board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others arrive, the message names the bad one and why, and it lies on neither disk as a bundle."""
    target, other_board = far
    good, bad = [_new_run(board) for _ in range(3)], _new_run(board)
    pack = bundles.bundle

    def broken(store: Store, ids: list[str]) -> tuple[bytes, int]:
        batch = bundles.changes.unpack(pack(store, ids)[0], bundles.KIND, "")
        for change in batch:
            if change.table == "runs":
                change.rows.loc[change.rows["run_id"] == bad, "status"] = "splendid"
        return bundles.changes.pack(batch, bundles.KIND), len(ids)

    monkeypatch.setattr(bundles, "bundle", broken)
    with pytest.raises(RemoteError, match=f"refused 1 of 4 run.s., run {bad[:12]} because: .*CHECK constraint"):
        remote.deliver(board, target, [*good, bad], 30)
    assert set(good) <= set(other_board.query("SELECT run_id FROM runs")["run_id"])
    assert not list(remote.outbox(board.path).iterdir())
    assert not list(other_board.path.parent.rglob("*.zip"))


def test_runs_wait_while_the_board_is_away(board: Store, other_board: Store) -> None:
    """A run that could not be sent goes with the next one; only its id takes space meanwhile."""
    first = _new_run(board)
    with pytest.raises(RemoteError, match=r"no answer .*kept here"):
        remote.deliver(board, Target(f"http://127.0.0.1:{free_port()}", TOKEN), [first], 0.1)
    (waiting,) = remote.outbox(board.path).iterdir()
    assert (waiting.name, waiting.stat().st_size) == (first, 0)
    second = _new_run(board)
    with serving(other_board.path) as url:
        assert remote.deliver(board, Target(url, TOKEN), [second], 30) == Imported(2, 0, 0)
    assert not list(remote.outbox(board.path).iterdir())


def test_a_run_of_ones_own_code_is_sent_when_it_ends(
    default_board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It waits there for a moderator; one that cannot be sent is a warning, and stays here."""
    monkeypatch.setenv(remote.VARIABLE, far[0].url)
    monkeypatch.setenv("FEATHERBOARD_TOKEN", TOKEN)
    name = f"logged-{secrets.token_hex(6)}"
    fb.init("reviews-ko-mini", name, params=7, seed=0).finish(metrics={"accuracy": 0.5})
    assert not caplog.text
    waiting = far[1].query("SELECT state FROM submissions WHERE model = ?", [name])
    assert waiting["state"].tolist() == ["waiting"]
    monkeypatch.setenv(remote.VARIABLE, "nowhere")
    run = fb.init("reviews-ko-mini", name, params=7, seed=1)
    run.finish(metrics={"accuracy": 0.5})
    assert "was not sent" in caplog.text
    assert fb.run(run.id).run["status"] == "finished"


@pytest.mark.parametrize("token", [TOKEN[:-1], TOKEN + "s", TOKEN.upper()])
def test_a_wrong_token_sends_nothing(board: Store, far: tuple[Target, Store], token: str) -> None:
    """The message says where the right one belongs."""
    run_id = _new_run(board)
    with pytest.raises(RemoteError, match="FEATHERBOARD_TOKENS"):
        remote.push(board, Target(far[0].url, token), [run_id])
    assert far[1].query("SELECT 1 FROM runs WHERE run_id = ?", [run_id]).empty


def test_a_bundle_that_is_too_large_is_not_sent(
    board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sender says so, be it by its own limit or by the service's."""
    run_id = _new_run(board)
    monkeypatch.setattr(remote, "MAX_BUNDLE_BYTES", 10)
    with pytest.raises(RemoteError, match="larger than"):
        remote.push(board, far[0], [run_id])
    content = b"0" * (64 * 1024 * 1024 + 1)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/zip"}
    got = httpx.post(f"{far[0].url}/v1/bundles", content=content, headers=headers, timeout=60)
    assert got.status_code == 413


def test_no_proxy_of_the_environment_sees_the_token(
    board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs go straight to the service where nothing is encrypted, whatever proxy other programs use."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert remote.push(board, far[0], [_new_run(board)]) == Imported(1, 0, 0)


def test_a_busy_board_makes_the_sender_come_again(board: Store, far: tuple[Target, Store]) -> None:
    """While another program holds the board nothing goes in; afterwards the same push does."""
    run_id = _new_run(board)
    with held(far[1].path), pytest.raises(RemoteError, match="kept here"):
        remote.push(board, far[0], [run_id], wait_s=1)
    assert remote.push(board, far[0], [run_id]) == Imported(1, 0, 0)


def test_a_full_disk_is_reported_and_the_run_is_kept(board: Store, other_board: Store) -> None:
    """A board that cannot be written acknowledges nothing; with space again the same run goes in."""
    run_id = _new_run(board, notes=secrets.token_hex(500_000))
    with serving(other_board.path, file_limit=200_000) as url, pytest.raises(RemoteError, match="kept here"):
        remote.push(board, Target(url, TOKEN), [run_id], wait_s=0.5)
    with serving(other_board.path) as url:
        assert remote.push(board, Target(url, TOKEN), [run_id]) == Imported(1, 0, 0)


@pytest.mark.parametrize("status", [200, 204, 301, 404])
def test_another_program_at_that_address_is_recognised(board: Store, status: int) -> None:
    """Whatever it answers, the runs are not taken to have arrived."""

    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(RemoteError, match=r"not as `featherboard serve-api` does.*kept here"):
            remote.push(board, Target(f"http://127.0.0.1:{server.server_port}", TOKEN), [_new_run(board)], wait_s=5)


@pytest.mark.parametrize(
    ("text", "url"), [("https://board.example/", "https://board.example"), (" http://[::1]:8600", "http://[::1]:8600")]
)
def test_addresses_of_boards(text: str, url: str) -> None:
    assert remote.parse_url(text) == url


@pytest.mark.parametrize(
    "text", ["", "pi", "pi:8600", "quack:pi:9494", "ftp://pi", "http://", "http://u:p@pi", "http://pi?x", "http://pi:x"]
)
def test_what_is_no_address_of_a_board_is_refused(text: str) -> None:
    """The message shows how to write it."""
    with pytest.raises(RemoteError, match="write https://HOST"):
        remote.parse_url(text)
