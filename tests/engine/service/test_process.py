"""The service as a process of its own: start, readiness, a crowd, the token, slow clients, SIGTERM."""

import asyncio
import signal
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from db.base import secrets
from db.storage.store import Store
from engine.checkpoints.shipped import shipped_folder
from engine.cli import app
from engine.service import app as service_app
from tests.factories.models import TINY
from tests.factories.service import TOKEN, ready, served

Run = Callable[..., tuple[int, str]]

PEOPLE, EACH = 8, 25
SLACK = 8.0
"""Eight people who ask without a pause get their turns one after another, so each waits about eight times as long as
one alone. What their requests' own handling in the event loop adds comes on top of it, in both figures alike; the time
of one alone is measured before and after the crowd, on the same machine under the same load, and the longer median
counts."""


@pytest.fixture(scope="module")
def database(shared_board: Store) -> Path:
    """A board as a user has it."""
    return shared_board.path


@pytest.fixture(scope="module")
def address(database: Path) -> Iterator[str]:
    """A service that is ready for sentiment."""
    with served(database, "--warm", "sentiment", "--model", f"mine={shipped_folder(TINY)}") as (where, _):
        ready(where)
        yield where


def test_it_starts_and_answers(address: str) -> None:
    """The printed address is right, and every part of it works over a socket."""
    assert httpx2.get(f"{address}/healthz").json() == {"status": "ok"}
    reply = httpx2.post(f"{address}/v1/sentiment", json={"text": "정말 재미있는 영화", "model": "mine"}).json()
    assert (reply["label"], reply["model"]["key"]) == ("positive", "mine")
    assert httpx2.get(f"{address}/v1/board/nsmc?limit=1").json()["rows"][0]["rank"] == "1"
    assert "server" not in httpx2.get(f"{address}/healthz").headers
    assert "featherboard_models_loaded" in httpx2.get(f"{address}/metrics").text


def test_answers_on_a_kept_connection_are_not_held_back(address: str) -> None:
    """No answer waits for the client's acknowledgement, which comes 40 ms later."""
    with httpx2.Client(base_url=address, timeout=60) as http:
        took = [http.get("/healthz").elapsed.total_seconds() for _ in range(40)]
    assert statistics.median(took) < 0.03, took


def _asks(address: str) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Ask several questions one after the other: the answers, and the seconds that each took."""
    texts = [f"{'정말 ' * (n % 5)}{'재미있는' if n % 2 else '지루한'} 영화 {n}" for n in range(EACH)]
    answers, took = {}, []
    with httpx2.Client(base_url=address, timeout=60) as http:
        for text in texts:
            began = time.perf_counter()
            reply = http.post("/v1/sentiment", json={"text": text, "model": TINY})
            took.append(time.perf_counter() - began)
            assert reply.status_code == 200, reply.text
            answers[text] = reply.json()["probabilities"]
    return answers, took


def _crowd(address: str) -> list[tuple[dict[str, dict[str, float]], list[float]]]:
    with ThreadPoolExecutor(PEOPLE) as people:
        return list(people.map(_asks, [address] * PEOPLE))


def test_eight_people_at_once(address: str) -> None:
    """Each gets the answer to their own question."""
    alone, _ = _asks(address)
    assert all(answers == alone for answers, _ in _crowd(address))


@pytest.mark.slow  # a ratio of times, which other work on the machine changes
def test_eight_people_at_once_wait_no_more_than_eight_times_as_long(address: str) -> None:
    """The median of their waits against that of one alone."""
    _asks(address)  # the first answers are slower
    _, before = _asks(address)
    crowd = _crowd(address)
    _, after = _asks(address)
    single = max(statistics.median(before), statistics.median(after))
    together = statistics.median([seconds for _, took in crowd for seconds in took])
    print(f"alone {1e3 * single:.1f} ms, eight at once {1e3 * together:.1f} ms, ratio {together / single:.1f}")
    assert together <= SLACK * single, f"{1e3 * single:.1f} ms alone, {1e3 * together:.1f} ms together"


def test_a_body_in_pieces_without_a_length(address: str) -> None:
    """Over a real socket too an endless body is cut off with 413, as JSON."""

    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * 65536

    try:
        got = httpx2.post(f"{address}/v1/qa", content=endless(), headers={"content-type": "application/json"})
    except httpx2.WriteError:  # the connection was closed on us while we still sent
        return
    assert (got.status_code, got.json()["error"]["code"]) == (413, "too_large")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that waits a fifth of a second for a head, in a thread of this process."""
    monkeypatch.setattr(service_app, "HEAD_S", 0.2)

    async def hello(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await asyncio.sleep(0.5)  # longer than a head may take: an answer may
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    with socket.create_server(("127.0.0.1", 0)) as bound:
        config = uvicorn.Config(hello, http=service_app.Punctual, lifespan="off", log_level="critical")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]})
        thread.start()
        yield bound.getsockname()[:2]
        running.should_exit = True
        thread.join(10)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_client_that_never_finishes_its_head(impatient: tuple[str, int], sent: bytes) -> None:
    """A connection on which no whole request comes is closed, also after one that was answered."""
    with socket.create_connection(impatient, timeout=20) as line:
        if sent:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert line.recv(1000).startswith(b"HTTP/1.1 204")
        line.sendall(sent)
        began = time.monotonic()
        assert line.recv(1000) == b""
        assert time.monotonic() - began < 4


def test_a_wider_address_needs_a_token(database: Path, tmp_path: Path) -> None:
    """With one in the environment it is served, under any name, to those who show it."""
    with served(database, "--address", "0.0.0.0", "--warm", "sentiment", FEATHERBOARD_API_TOKEN=TOKEN) as (where, _):  # noqa: S104
        local = where.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        assert httpx2.get(f"{local}/healthz", headers={"host": "board.example"}).status_code == 200
        assert httpx2.get(f"{local}/v1/tasks").status_code == 401
        assert httpx2.get(f"{local}/v1/tasks", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_it_ends_in_peace(database: Path, how: signal.Signals) -> None:
    """What was taken is answered, nothing new is taken, and the process ends with 0 and without a traceback."""
    items = [{"text": "정말 재미있는 영화 " * 20}] * 64
    with served(database, "--warm", "sentiment") as (where, process):
        ready(where)
        request = {"items": items, "importance": True}
        with ThreadPoolExecutor(1) as other:
            late = other.submit(httpx2.post, f"{where}/v1/sentiment/batch", json=request, timeout=60)
            while "featherboard_predictions_waiting 0.0" in httpx2.get(f"{where}/metrics", timeout=60).text:
                time.sleep(0.01)
            process.send_signal(how)
            ends = time.monotonic() + 30
            while _takes(where):
                assert time.monotonic() < ends, "it still takes requests"
                time.sleep(0.02)
            got = late.result(timeout=60)
        assert got.status_code == 200
        assert len(got.json()["items"]) == 64
        out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert "Stopped serving." in out
    assert "Traceback" not in out


def _takes(address: str) -> bool:
    try:
        httpx2.get(f"{address}/healthz", timeout=10)
    except httpx2.TransportError:
        return False
    return True


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process as ``main`` does; gives its code and its errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["featherboard", "serve-api", *arguments])
        with pytest.raises(SystemExit) as end:
            app.main()
        return int(end.value.code or 0), capfd.readouterr().err

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--address", "0.0.0.0"), "set FEATHERBOARD_API_TOKEN"),  # noqa: S104 - it is refused
        (("--address", "192.168.1.7"), "--token-file"),
        (("--token-file", "/nowhere"), "/nowhere cannot be read"),
        (("--allow-origin", "*"), "no origin"),
        (("--model", "mine"), "NAME=FOLDER"),
        (("--model", "mine=/no/such"), "no folder /no/such"),
        (("--model", f"{TINY}=."), "another model"),
        (("--model", "abcdef012345=."), "looks like a run's id"),
        (("--model", "mine=."), "holds no model"),
    ],
)
def test_what_cannot_be_served_is_told(run: Run, arguments: tuple[str, ...], message: str) -> None:
    """One line, before anything is loaded."""
    code, err = run(*arguments)
    assert code == 1
    assert message in err
    assert err.startswith("Error: ")
    assert len(err.strip().splitlines()) == 1


def test_a_port_that_is_taken(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told at once, with what to do."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(database))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, err = run("--port", str(taken.getsockname()[1]))
    assert code == 1
    assert "name another --port" in err


def test_missing_packages_are_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the command says how to get it."""
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "fastapi" else find(name))
    assert "pip install -e '.[engine,service]'" in run()[1]


def test_the_token_of_the_service_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret of senders of runs opens nothing here."""
    monkeypatch.setenv(secrets.VARIABLE, "a" * 20)
    monkeypatch.delenv("FEATHERBOARD_API_TOKEN", raising=False)
    assert secrets.load_token(None, "FEATHERBOARD_API_TOKEN") is None
    monkeypatch.setenv("FEATHERBOARD_API_TOKEN", TOKEN)
    assert secrets.load_token(None, "FEATHERBOARD_API_TOKEN") == TOKEN
