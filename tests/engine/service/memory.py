"""What a served process holds in memory while it is asked, from outside; used by a short test and a long one."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
import psutil

from db.bootstrap.create import initialise
from db.storage.store import Store
from engine.inference.loading import VARIABLE
from tests.factories.models import TINY
from tests.factories.service import ready, served

PEOPLE = 4
"""Who ask at once, so that every thread of the service has worked before the first look."""


def requests(count: int) -> list[tuple[str, str, dict[str, Any] | None]]:
    """Requests of every kind, each with other texts and of other lengths, so that nothing can be answered from memory.

    Args:
        count: How many; one in ten is refused.
    """
    kinds: list[tuple[str, str, dict[str, Any] | None]] = []
    for n in range(count):
        text = f"{n} " + "재미있는 영화 " * (1 + n * 7 % 23)
        kinds.append(
            [
                ("POST", "/v1/sentiment", {"text": text, "model": TINY}),
                ("POST", "/v1/sentiment", {"text": text, "model": TINY, "importance": n % 4 == 1}),
                ("POST", "/v1/sentiment/batch", {"items": [{"text": f"{text}{k}"} for k in range(8)], "model": TINY}),
                ("GET", f"/v1/board/nsmc?limit={1 + n % 40}&offset={n % 17}", None),
                ("POST", "/v1/sentiment", {"text": text, "model": "distilkobilstm-mini"}),
                ("GET", "/metrics", None),
                ("POST", "/v1/sentiment", {"text": text, "model": TINY}),
                ("GET", "/v1/tasks", None),
                ("POST", "/v1/sentiment", {"text": text, "model": TINY}),
                ("POST", "/v1/sentiment", {"text": " ", "unknown": text}),
            ][n % 10]
        )
    return kinds


def resident(folder: Path, *counts: int, **environment: str) -> list[int]:
    """Ask a fresh service and look at its resident memory.

    Args:
        folder: For its board.
        counts: Requests before each look. The first ones warm up: allocators and caches fill.
        environment: Of the service.

    Returns:
        Bytes at each look.
    """
    board = folder / "board.duckdb"
    initialise(Store(board))
    with (
        served(board, "--warm", "sentiment", **{VARIABLE: "torch"}, **environment) as (address, process),
        httpx2.Client(base_url=address, timeout=60) as http,
        ThreadPoolExecutor(PEOPLE) as people,
    ):
        ready(address)
        looked = psutil.Process(process.pid)

        def ask(request: tuple[str, str, dict[str, Any] | None]) -> None:
            method, path, body = request
            got = http.request(method, path, json=body) if body else http.request(method, path)
            assert got.status_code == (422 if body and "unknown" in body else 200), got.text

        def all_of(some: list[tuple[str, str, dict[str, Any] | None]]) -> int:
            list(people.map(ask, some))
            return int(looked.memory_info().rss)

        sent = iter(requests(sum(counts)))
        return [all_of(list(islice(sent, count))) for count in counts]
