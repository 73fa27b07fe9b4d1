"""What the tests of the HTTP service share: tiny models of every kind, an application over them, a server process."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

from db.registry.tasks import INFERENCE
from db.storage.store import Store
from engine.inference import loading
from engine.inference.model_cache import ModelCache
from engine.inference.models import ModelRef
from engine.service import app
from engine.service.settings import Settings
from tests.factories.models import pair_folder, span_folder
from tests.factories.recipes import REPO

BASE = "http://127.0.0.1:8600"
TOKEN = "correct-horse-battery"  # noqa: S105 - of the tests alone


def write_models(folder: Path) -> dict[str, Path]:
    """Two tiny transformers as their library saves them: one answers questions, one judges pairs. Untrained."""
    return {"qa": span_folder(folder / "qa"), "nli": pair_folder(folder / "nli", INFERENCE)}


class ToyCache(ModelCache):
    """Loads tiny models under the names of the shipped ones, so that nothing takes long; counts what it loads."""

    def __init__(self, folders: dict[str, Path], **limits: Any) -> None:
        """Take the models from folders of ``write_models``; sentiment is really shipped."""
        self.loads = 0

        def load(choice: ModelRef, precision: str) -> Any:
            self.loads += 1
            if choice.reads in folders:
                toy = ModelRef(choice.key, choice.name, "folder", folders[choice.reads], choice.reads)
                return loading.load(toy, precision)
            return loading.load(choice, precision)

        super().__init__(load=load, **limits)


def application(store: Store, folders: dict[str, Path], **settings: Any) -> FastAPI:
    """The service over tiny models; nothing is warmed up unless asked for."""
    torch.set_num_threads(1)
    return app.create(Settings(**{"warm": (), **settings}), store, cache=ToyCache(folders))


@contextmanager
def client(made: FastAPI, **more: Any) -> Iterator[TestClient]:
    """Somebody who asks from this machine; whatever goes wrong in the application comes as its answer."""
    with TestClient(made, base_url=BASE, raise_server_exceptions=False, **more) as asking:
        yield asking


def fault(response: httpx2.Response) -> dict[str, Any]:
    """The error of an answer, which has nothing but it."""
    reply = response.json()
    assert list(reply) == ["error"]
    assert {"code", "message"} <= set(reply["error"]) <= {"code", "message", "field"}
    assert response.headers["content-type"] == "application/json"
    return dict(reply["error"])


@contextmanager
def served(database: Path, *options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``featherboard serve-api`` as a process of its own on a free port; yields its address once it listens.

    BiLSTMs are computed by NumPy, as for a user: torch is not imported.
    """
    settings = {"FEATHERBOARD_DB": str(database), loading.VARIABLE: "auto", "COLUMNS": "300", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "serve-api", "--port", "0", "--threads", "1", *options],
        cwd=REPO,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **settings, **environment},
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            if not line.startswith("Serving at "):
                pytest.fail(f"{line}{process.communicate(timeout=120)[0]}")
            yield line.split()[2].rstrip(","), process
        finally:
            process.kill()


def ready(address: str, within_s: float = 600.0, **headers: str) -> None:
    """Wait until the service calls itself ready."""
    ends = time.monotonic() + within_s
    while True:
        result = httpx2.get(f"{address}/readyz", headers=headers, timeout=120)
        if result.status_code == 200:
            return
        assert time.monotonic() < ends, result.text
        time.sleep(0.05)


def inside(made: FastAPI, work: Callable[[httpx2.AsyncClient], Any]) -> Any:
    """Ask from within one event loop, where several requests can be under way at once."""

    async def all_of_it() -> Any:
        transport = httpx2.ASGITransport(app=made, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE, timeout=30) as http:
            return await work(http)

    return asyncio.run(all_of_it())
