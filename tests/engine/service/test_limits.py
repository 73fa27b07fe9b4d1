"""What the service refuses: too much, too deep, too slow, too many, strangers; always as one JSON object."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient

from db.storage.store import Store
from engine.service.errors import pathless
from engine.service.settings import ServiceError, Settings
from tests.factories.models import TINY
from tests.factories.service import TOKEN, application, client, fault, inside

JSON = {"content-type": "application/json"}
BODY = {"text": "좋은 영화", "model": TINY}


def test_other_types_and_methods(asking: TestClient) -> None:
    """A form of a web page is no JSON: 415; another method: 405 with those that are allowed; no address: 404."""
    content = json.dumps(BODY)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        got = asking.post("/v1/sentiment", content=content, headers={"content-type": kind})
        assert (got.status_code, fault(got)["code"]) == (415, "media_type")
    good = asking.post("/v1/sentiment", content=content, headers={"content-type": "Application/JSON; charset=utf-8"})
    assert good.status_code == 200
    got = asking.get("/v1/sentiment")
    assert (got.status_code, got.headers["allow"], fault(got)["code"]) == (405, "POST", "method_not_allowed")
    for path in ("/", "/v1", "/v2/qa", "/v1/qa/", "/redoc", "/v1/runs/"):
        assert fault(asking.get(path, follow_redirects=False))["code"] == "not_found", path
    assert asking.delete("/v1/runs/aaaaaaaa").status_code == 405


def test_only_this_machines_names(asking: TestClient) -> None:
    """A page whose name points to 127.0.0.1 is refused by its Host header."""
    for host in ("127.0.0.1:8600", "localhost", "LOCALHOST:1", "[::1]:8600"):
        assert asking.get("/healthz", headers={"host": host}).status_code == 200
    others = ("evil.example", "evil.example:8600", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::2]:1")
    for host in others:
        assert asking.get("/healthz", headers={"host": host}).status_code == 400, host


def test_no_web_page_may_ask_unless_named(board: Store, folders: dict[str, Path]) -> None:
    """Without a named origin no answer allows one; with it that one alone, also for the browser's question before."""
    ask = {
        "origin": "https://example.org",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    with client(application(board, folders)) as asking:
        for got in (asking.get("/healthz", headers=ask), asking.options("/v1/qa", headers=ask)):
            assert not [name for name in got.headers if name.startswith("access-control")]
    with client(application(board, folders, origins=("https://example.org",), token=TOKEN)) as asking:
        got = asking.options("/v1/qa", headers=ask)
        assert (got.status_code, got.headers["access-control-allow-origin"]) == (200, "https://example.org")
        other = asking.options("/v1/qa", headers={**ask, "origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
        assert asking.get("/v1/tasks", headers=ask).status_code == 401


def test_the_token(board: Store, folders: dict[str, Path]) -> None:
    """Every route but /healthz and the description asks for it; only the whole token counts."""
    with client(application(board, folders, token=TOKEN)) as asking:
        assert asking.get("/healthz").status_code == 200
        assert asking.get("/docs").status_code == asking.get("/openapi.json").status_code == 200
        for path in ("/readyz", "/metrics", "/v1/models", "/v1/tasks", "/nosuch"):
            got = asking.get(path)
            assert (got.status_code, fault(got)["code"]) == (401, "unauthorized")
            assert got.headers["www-authenticate"].startswith("Bearer")
        cut, more = f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x"
        for wrong in (TOKEN, f"Basic {TOKEN}", more, cut, "Bearer", "Bearer ", "Bearer é"):
            got = asking.get("/v1/tasks", headers={"authorization": wrong.encode()})
            assert got.status_code == 401, wrong
        for right in (f"Bearer {TOKEN}", f"bearer {TOKEN}"):
            assert asking.get("/v1/tasks", headers={"authorization": right}).status_code == 200
        reply = asking.get("/openapi.json").json()
        assert reply["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
        assert TOKEN not in json.dumps(reply)
        got = asking.post("/v1/qa", content=b" " * 2_000_000, headers=JSON)
        assert got.status_code == 401, "strangers' bodies are not read"


def test_bound_wider_needs_a_token() -> None:
    """Any address that others reach is refused without a token, and takes any Host with one."""
    for address in ("0.0.0.0", "::", "192.168.1.5", "example.org"):  # noqa: S104 - it is refused
        with pytest.raises(ServiceError, match="FEATHERBOARD_API_TOKEN"):
            Settings(address=address)
        assert Settings(address=address, token=TOKEN).hosts == ["*"]
        assert Settings(address=address, senders={"pi5": TOKEN}).private
    for address in ("127.0.0.1", "127.0.0.53", "::1", "localhost"):
        assert "*" not in Settings(address=address).hosts
    for origin in ("*", "example.org", "https://example.org/", "https://Example.org", "null"):
        with pytest.raises(ServiceError, match="no origin"):
            Settings(origins=(origin,))


def test_too_many_at_once(board: Store, folders: dict[str, Path]) -> None:
    """Whoever comes when all places are taken gets 429 and the time to come again; the others get their answers."""
    made = application(board, folders, most_waiting=3)
    service = made.state.service
    service.held(TINY, "sentiment", "float32")
    closed = threading.Event()
    service.predictor.executor._worker.submit(closed.wait)  # the desk is busy with something else

    async def crowd(http: httpx2.AsyncClient) -> tuple[list[httpx2.Response], list[httpx2.Response]]:
        first = [asyncio.create_task(http.post("/v1/sentiment", json=BODY)) for _ in range(3)]
        while service.prediction_pool.busy < 3:
            await asyncio.sleep(0.01)
        late = [await http.post("/v1/sentiment", json=BODY) for _ in range(2)]
        assert (await http.get("/healthz")).status_code == 200
        assert (await http.get("/v1/tasks")).status_code == 200, "the board is read while all wait"
        assert "featherboard_predictions_waiting 3.0" in (await http.get("/metrics")).text
        closed.set()
        return await asyncio.gather(*first), late

    answered, late = inside(made, crowd)
    assert [response.status_code for response in answered] == [200] * 3
    for got in late:
        assert (got.status_code, fault(got)["code"], got.headers["retry-after"]) == (429, "busy", "1")
    service.close()


def test_an_answer_that_does_not_come_is_given_up(board: Store, folders: dict[str, Path]) -> None:
    """504 in time, although the desk is still busy; the place is free again, and the next answer comes."""
    made = application(board, folders, timeout_s=0.3)
    service = made.state.service
    service.held(TINY, "sentiment", "float32")
    closed = threading.Event()
    service.predictor.executor._worker.submit(closed.wait)

    async def late(http: httpx2.AsyncClient) -> tuple[httpx2.Response, httpx2.Response]:
        began = time.monotonic()
        got = await http.post("/v1/sentiment", json=BODY)
        assert time.monotonic() - began < 2
        closed.set()
        while service.prediction_pool.busy:
            await asyncio.sleep(0.01)
        return got, await http.post("/v1/sentiment", json=BODY)

    got, after = inside(made, late)
    assert (got.status_code, fault(got)["code"]) == (504, "timeout")
    assert after.status_code == 200
    assert service.predictor.executor.waiting == 0
    service.close()


def test_a_long_batch_ends_with_its_time(board: Store, folders: dict[str, Path]) -> None:
    """The rest of a batch that nobody waits for is not computed."""
    made = application(board, folders, timeout_s=0.4)
    service = made.state.service
    service.held(None, "qa", "float32")
    item = {"question": "how?", "context": "The cup is red. " * 5000}

    async def given_up(http: httpx2.AsyncClient) -> httpx2.Response:
        got = await http.post("/v1/qa/batch", json={"items": [item] * 10})
        ends = time.monotonic() + 5
        while service.prediction_pool.busy or service.predictor.executor.waiting:
            assert time.monotonic() < ends, "it goes on for nobody"
            await asyncio.sleep(0.02)
        return got

    assert inside(made, given_up).status_code == 504
    service.close()


def test_the_event_loop_stays_free(board: Store, folders: dict[str, Path]) -> None:
    """While a long text is read, others are told that the service lives, and short questions get their turn."""
    made = application(board, folders)
    service = made.state.service
    service.held(None, "qa", "float32")
    long = {"question": "how?", "context": "The cup is red. " * 6000}
    short = {"question": "how?", "context": "The cup is red."}

    async def both(http: httpx2.AsyncClient) -> None:
        slow = asyncio.create_task(http.post("/v1/qa", json=long))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        assert (await http.get("/healthz")).status_code == 200
        assert time.monotonic() - began < 0.5
        assert (await http.post("/v1/qa", json=short)).status_code == 200
        assert not slow.done(), "the short question waited for the long one"
        assert (await slow).status_code == 200

    inside(made, both)
    service.close()


def test_eight_at_once_get_their_own_answers(board: Store, folders: dict[str, Path]) -> None:
    """Nobody gets another's."""
    texts = [f"영화 {'좋다 ' * (n % 4)}{'나쁘다 ' * (n % 3)}{n}" for n in range(32)]
    with client(application(board, folders)) as asking, ThreadPoolExecutor(8) as eight:

        def judged(text: str) -> dict[str, float]:
            got = asking.post("/v1/sentiment", json={"text": text, "model": TINY})
            assert got.status_code == 200
            return dict(got.json()["probabilities"])

        alone = [judged(text) for text in texts]
        assert list(eight.map(judged, texts)) == alone


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("There is no folder /home/ann/models/mine.", "There is no folder …/mine."),
        ("/srv/x/board.duckdb cannot be opened", "…/board.duckdb cannot be opened"),
        ("--data /data/nsmc --seed 1", "--data …/nsmc --seed 1"),
        ("see ~/runs/a and C:\\Users\\ann\\x.txt", "see …/a and …/x.txt"),
        ("--data=/data/nsmc", "--data=…/nsmc"),
        ("either/or, 3 / 4, KorQuAD/squad_kor_v1", "either/or, 3 / 4, KorQuAD/squad_kor_v1"),
        ("see https://example.org/a/b.html", "see https://example.org/a/b.html"),
    ],
)
def test_paths_are_taken_out_of_messages(text: str, cleaned: str) -> None:
    """Only the last part stays, and what merely has a stroke in it stays whole."""
    assert pathless(text) == cleaned
