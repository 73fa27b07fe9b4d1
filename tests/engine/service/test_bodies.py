"""Bodies of requests: malformed, too long, too slow, too many values, too much work."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from db.storage.store import Store
from engine.service import limits
from engine.service.errors import ApiError
from tests.factories.models import TINY
from tests.factories.service import application, client, fault, inside

JSON = {"content-type": "application/json"}
BODY = {"text": "좋은 영화", "model": TINY}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "invalid"),
        (b"{", "invalid_json"),
        (b"\xff\xfe{}", "invalid_json"),
        ('{"text": "x"}'.encode("utf-16"), "invalid_json"),
        (b'{"text": NaN}', "invalid_json"),
        (b'{"text": "x", "a": -Infinity}', "invalid_json"),
        (b'{"text": "x", "a": 1e999}', "invalid_json"),
        (b'{"text": "x", "a": ' + b"9" * 5000 + b"}", "invalid_json"),
        (b"[" * 200_000, "invalid_json"),
        (b"[" * 17 + b"]" * 17, "invalid_json"),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "invalid_json"),
        (b'{"text": "\\ud800"}', "invalid"),
        (b'{"text": "x", "\\ud800": 1}', "invalid"),
        (b'{"text": "x", "model": "\\udfff"}', "invalid"),
        (b"[]", "invalid"),
        (b"null", "invalid"),
        (b'"text"', "invalid"),
        (b'{"text": 5}', "invalid"),
        (b'{"text": ["x"]}', "invalid"),
        (b'{"text": " \\t\\n\\u3000\\u200b"}', "invalid"),
        (b'{"text": "\\u0000"}', "invalid"),
        (b'{"text": "x", "txet": "y"}', "invalid"),
        (b'{"text": "x", "importance": "yes"}', "invalid"),
        (b'{"text": "x", "importance": 1}', "invalid"),
        (b'{"text": "x", "precision": "int4"}', "invalid"),
        (b'{"text": "x", "model": ""}', "invalid"),
    ],
)
def test_bodies_that_are_not_as_described(asking: TestClient, content: bytes, code: str) -> None:
    """422 with a word for programs and a sentence for people."""
    got = asking.post("/v1/sentiment", content=content, headers=JSON)
    assert (got.status_code, fault(got)["code"]) == (422, code), got.text
    assert "pydantic" not in got.text.lower()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": "q" * 1001}, "question"),
        ({"context": "c" * 100_001}, "context"),
        ({"keep": 0}, "keep"),
        ({"keep": 21}, "keep"),
        ({"keep": "5"}, "keep"),
        ({"keep": True}, "keep"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": "0.5"}, "threshold"),
        ({"question": None}, "question"),
    ],
)
def test_the_field_is_named(asking: TestClient, changes: dict[str, Any], field: str) -> None:
    """Which part of the body is wrong."""
    got = asking.post("/v1/qa", json={"question": "how?", "context": "The cup is red.", **changes})
    assert got.status_code == 422
    assert fault(got)["field"] == field
    assert len(got.content) < 1000, "what was sent is not sent back"


def test_batches_have_a_length(asking: TestClient) -> None:
    """None and 65 are refused, 64 are answered, and a wrong item is named by its place."""
    item = {"text": "x"}
    for count, status in ((0, 422), (64, 200), (65, 422)):
        got = asking.post("/v1/sentiment/batch", json={"items": [item] * count, "model": TINY})
        assert got.status_code == status
    got = asking.post("/v1/sentiment/batch", json={"items": [item, item, {"text": ""}], "model": TINY})
    assert fault(got)["field"] == "items.2.text"


def test_a_body_has_a_size(asking: TestClient) -> None:
    """A large one is refused by its announced length, and by what comes where no length is announced."""
    large = json.dumps({"text": "x" * 1_100_000})
    got = asking.post("/v1/sentiment", content=large, headers=JSON)
    assert (got.status_code, fault(got)["code"]) == (413, "too_large")
    just = b'{"text": "x", "model": "%s"}' % TINY.encode()
    just += b" " * (1024 * 1024 - len(just))
    assert asking.post("/v1/sentiment", content=just, headers=JSON).status_code == 200


def test_a_body_without_a_length_is_cut_off_while_it_comes(board: Store, folders: dict[str, Path]) -> None:
    """Of an endless body little more than the limit is read."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65536
            assert sent < 4_000_000, "the body was read on"
            yield b" " * 65536

    messages: list[dict[str, Any]] = []

    async def all_of_it() -> None:
        pieces = endless()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": await anext(pieces), "more_body": True}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/sentiment",
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
            "scheme": "http",
            "http_version": "1.1",
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8600),
        }
        await application(board, folders)(scope, receive, send)

    asyncio.run(all_of_it())
    assert messages[0]["status"] == 413
    assert 1024 * 1024 < sent < 1024 * 1024 + 3 * 65536
    assert (b"connection", b"close") in messages[0]["headers"]


def test_a_slow_body_is_given_up(board: Store, folders: dict[str, Path]) -> None:
    """408 once the time for a body is over."""

    async def drops() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" "
            await asyncio.sleep(0.05)

    made = application(board, folders, read_s=0.2)
    began = time.monotonic()
    got = inside(made, lambda http: http.post("/v1/sentiment", content=drops(), headers=JSON))
    assert (got.status_code, fault(got)["code"]) == (408, "too_slow")
    assert time.monotonic() - began < 3


def _seconds(body: bytes) -> float:
    """The shortest of three checks of a body that is refused, in seconds of the processor: others may be at work."""
    took = []
    for _ in range(3):
        began = time.thread_time()
        with pytest.raises(ApiError):
            limits.check_json(body, 16)
        took.append(time.thread_time() - began)
    return min(took)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(lambda count: b"{%s}" % b",".join(b'"%d":1' % (n // 2) for n in range(count)), id="keys"),
        pytest.param(lambda count: b"{%s}" % b",".join([b'"k":1'] * count), id="one key"),
        pytest.param(lambda count: b'"' + b'\\"' * count, id="a text that never ends"),
        pytest.param(lambda count: b'["' + b'\\",' * count, id="a text of signs that never ends"),
        pytest.param(lambda count: b"[" * count, id="lists"),
    ],
)
def test_the_work_for_a_body_grows_with_its_size(monkeypatch: pytest.MonkeyPatch, body: Callable[[int], bytes]) -> None:
    """Eight times as much takes some eight times as long, and not 64 times."""
    monkeypatch.setattr(limits, "MAX_VALUES", 1000)
    ratio = _seconds(body(160_000)) / _seconds(body(20_000))
    assert ratio < 24, f"{ratio:.0f} times as long for eight times as much"


def test_the_values_of_a_body_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are read; commas and brackets inside texts are none."""
    monkeypatch.setattr(limits, "MAX_VALUES", 100)
    limits.check_json(b'{"text": "%s"}' % (b"a, [b], {c}; " * 1000), 16)
    with pytest.raises(ApiError, match="more than 100 values"):
        limits.check_json(b"[%s]" % b",".join([b"1"] * 200), 16)


def test_bodies_at_once_have_a_size(board: Store, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory for all requests together is limited; whoever comes beyond that comes again."""
    monkeypatch.setattr(limits, "MAX_HELD_BYTES", 100_000)
    with client(application(board, folders)) as asking:
        for _ in range(2):
            got = asking.post("/v1/sentiment", content=b" " * 200_000, headers=JSON)
            assert (got.status_code, fault(got)["code"]) == (429, "busy")
            assert asking.post("/v1/sentiment", json=BODY).status_code == 200, "it is given back"
