"""Fixtures for every test: its own folders, no network, no process left behind, a store that is new or initialised.

Random tests (hypothesis) try the same few examples in every `make test`, and many new ones in `make test-slow`:
``tests.factories.examples``.
"""

import fcntl
import gc
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

os.environ["HF_HUB_OFFLINE"] = "1"  # before any library reads it: a look-up in the hub then fails at once

from db.bootstrap.create import initialise
from db.runs import bundles
from db.storage import access
from db.storage.store import Store
from tests import paths
from tests.factories.command_line import CommandLine
from tests.factories.examples import THOROUGH

# The same examples in every run: a change is never refused for a fault that was there before it. New ones are tried by
# the thorough profile.
settings.register_profile("default", deadline=None, database=None, derandomize=True)
settings.register_profile(THOROUGH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)  # before ``-m`` chooses among them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark random tests as ``random``, and benchmarks as ``slow``."""
    for item in items:
        if "benchmarks" in item.path.relative_to(paths.REPO).parts[1:2]:
            item.add_marker("slow")
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker("random")


def pytest_collection_finish() -> None:
    """Spare each full garbage collection the million objects of the imported packages."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _receives_ctrl_c() -> None:
    """Listen to Ctrl-C, which some tests send: a shell that starts pytest in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _database_for_small_tables() -> None:
    """Let DuckDB work on one thread and compress nothing: small tables gain nothing from either.

    A second thread costs time, and so does looking for the best compression.
    """
    access.instance().execute("SET threads = 1; SET force_compression = 'uncompressed'")


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Keep each test, and each process that it starts, away from the user's database and the network.

    The shipped measured runs grow with every release; tests count without them unless they are marked ``shipped``.
    """
    if request.node.get_closest_marker("shipped") is None:
        monkeypatch.setattr(bundles, "shipped", list)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("FEATHERBOARD_RUNTIME", "torch")  # an export takes longer than most tests
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "default" / "featherboard.duckdb"))


@pytest.fixture(autouse=True)
def _kills_what_is_left() -> Iterator[None]:
    """Kill every process that the test started and did not end, whether it passed, failed or ran out of time.

    Processes of fixtures with a wider scope, such as the served board, live on: they start before this fixture.
    """
    before = _children()
    yield
    for child in _children() - before:
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(child)
            if "resource_tracker" in " ".join(process.cmdline()):
                continue  # of multiprocessing, one for the whole of this process
            for descendant in [*process.children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    descendant.kill()


def _children() -> set[int]:
    """Process ids of the direct children, from the kernel: psutil would look at every process of the machine."""
    children: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            children.update(map(int, (task / "children").read_text().split()))
    return children


@pytest.fixture(autouse=True)
def _one_thread(request: pytest.FixtureRequest) -> None:
    """Compute on one thread: tiny models gain nothing from a second one and lose much on a busy machine."""
    if "torch" in sys.modules and request.path.parent != paths.REPO / "tests" / "benchmarks":
        sys.modules["torch"].set_num_threads(1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose file does not exist yet."""
    return Store(tmp_path / "fresh.duckdb")


Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Make a file once for all workers of a test run: the first that asks makes it, the others wait."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def make_once(name: str, make: Callable[[Path], None]) -> Path:
        path = folder / name
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                part = folder / f"part-{threading.get_ident()}-{name}"
                make(part)
                part.rename(path)
        return path

    return make_once


@pytest.fixture(scope="session")
def _initialised(once: Once) -> Path:
    """A database file with tasks and reported results. Copy it; it is shared."""

    def make(path: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bundles, "shipped", list)
            initialise(Store(path))

    return once("reported.duckdb", make)


@pytest.fixture(scope="session")
def with_shipped_runs(once: Once) -> Path:
    """The database file that `featherboard db init` makes, shipped measured runs included. Copy it; it is shared."""

    def make(path: Path) -> None:
        access.instance().execute("SET force_compression = 'auto'")  # 50 MB instead of 182
        initialise(Store(path))
        access.instance().execute("SET force_compression = 'uncompressed'")

    return once("shipped.duckdb", make)


@pytest.fixture(scope="session")
def shipped(with_shipped_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A fresh database as `featherboard db init` makes it, for tests that change none of its rows."""
    return Store(Path(shutil.copyfile(with_shipped_runs, tmp_path_factory.mktemp("shipped") / "featherboard.duckdb")))


@pytest.fixture
def board(_initialised: Path, tmp_path: Path) -> Store:
    """An initialised store: tasks and reported results. A copy, so a test may change it."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "board.duckdb")))


@pytest.fixture(scope="module")
def shared_board(_initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """An initialised store for what the tests of a module share, such as a run that takes long."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path_factory.mktemp("shared") / "board.duckdb")))


@pytest.fixture
def default_board(_initialised: Path) -> Store:
    """The database that commands use when none is named, initialised: a command then need not make one (18 s)."""
    path = Path(os.environ["FEATHERBOARD_DB"])
    path.parent.mkdir(parents=True)
    return Store(Path(shutil.copyfile(_initialised, path)))


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """Run ``featherboard`` commands in this process."""
    return CommandLine(monkeypatch, capfd)
