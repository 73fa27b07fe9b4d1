"""Fixtures for every test: a place of its own, no network, and a store that is fresh or already initialised."""

import os
import shutil
import signal
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # before any library reads it: a hub look-up then fails at once

from db.bootstrap.create import initialise
from db.runs import bundles
from db.storage.store import Store


@pytest.fixture(scope="session", autouse=True)
def _hears_ctrl_c() -> None:
    """A shell that starts the tests in the background lets them ignore Ctrl-C, which some of them are about."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No test, and no process that a test starts, ever touches the user's database or the network.

    The shipped measured runs grow with every release; tests count without them unless they are marked ``shipped``.
    """
    if request.node.get_closest_marker("shipped") is None:
        monkeypatch.setattr(bundles, "shipped", list)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "default" / "featherboard.duckdb"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose file does not exist yet."""
    return Store(tmp_path / "fresh.duckdb")


@pytest.fixture(scope="session")
def _initialised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "board.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "shipped", list)
        initialise(Store(path))
    return path


@pytest.fixture
def board(_initialised: Path, tmp_path: Path) -> Store:
    """An initialised store: tasks and reported results. A copy, so a test may change it."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "board.duckdb")))
