"""A real server on a real database, and a real browser."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from dashboard.moderation.token import VARIABLE
from db import submissions
from db.storage.store import Store
from tests.factories.drafts import TOKEN
from tests.factories.processes import end
from tests.factories.runs import add_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


PATIENCE_MS = 120_000
"""How long anything may take to appear: over ten times the usual, on a machine that also trains."""

expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class Board:
    """A served board: its address, its database and the measured run that it holds."""

    url: str
    store: Store
    run_id: str


@contextmanager
def serving(
    store: Store, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """``featherboard serve`` as a process of its own on a free port; yields its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = store.path.with_suffix(".log")
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "engine", "serve", *options, "--port", str(port)],
            env={**os.environ, "FEATHERBOARD_DB": str(store.path), **(environment or {VARIABLE: TOKEN})},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(url, server, log)
        yield url, server
    finally:
        end(server)


@pytest.fixture(scope="session")
def served(with_shipped_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """The board that `featherboard serve` serves, with every reported result and two measured runs."""
    store = Store(Path(shutil.copyfile(with_shipped_runs, tmp_path_factory.mktemp("served") / "featherboard.duckdb")))
    run_id = add_run(store, accuracy=0.74)
    add_run(store, accuracy=0.61)
    submissions.annotate(store, run_id, add=["course-2026"])
    with serving(store, "--no-preload") as (url, _):
        yield Board(url, store, run_id)


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended: {log.read_text()}"
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=60) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not answer within five minutes: {log.read_text()}")


@pytest.fixture(scope="session")
def spans(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The key of a tiny model in a folder, which answers questions with nonsense."""
    from tests.factories.models import span_folder  # imports torch

    return f"folder:{span_folder(tmp_path_factory.mktemp('models') / 'Spans')}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def _context(browser: Browser) -> Iterator[BrowserContext]:
    """Cache and window of all tests: fetching and compiling Streamlit anew is a quarter of what a page costs."""
    # Animations cost more than everything else of a page where a processor has to draw them.
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(_context: BrowserContext) -> Iterator[Page]:
    """A page of a wide window that fails the test when the app raised in the browser; it leaves nothing behind."""
    opened = _context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    for each in _context.pages:
        with suppress(Error):  # an empty page has no storage
            each.goto(urljoin(each.url, "/_stcore/health"))  # a page that is still open may keep its draft once more
            each.evaluate("localStorage.clear()")
        each.close()
    _context.clear_cookies()
    assert not errors, f"the page raised: {errors}"


def enter(page: Page) -> None:
    """Show the moderator's token and be let in."""
    show_token(page, TOKEN)
    expect(page.get_by_label("Moderator's token")).to_have_count(0)


def show_token(page: Page, token: str) -> None:
    """Type a token and press Enter, once the form has its button: before that Enter submits nothing."""
    expect(page.get_by_role("button", name="Open the queue")).to_be_enabled()
    field = page.get_by_label("Moderator's token")
    field.fill(token)
    field.press("Enter")
