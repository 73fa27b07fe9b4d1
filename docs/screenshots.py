"""Pictures of the board for the README, taken from the real app.

    make screenshots                       # into docs/images, a few minutes
    python docs/screenshots.py OUTPUT      # somewhere else

A server is started on a database of its own, with the reported rows and the measured runs that come with Featherboard:
the pictures show what a new installation shows. A page that does not exist is left out and told.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from db.bootstrap import create
from db.storage.store import Store

ROOT = Path(__file__).parent.parent
WIDTH, HEIGHT = 1400, 1000
MOST_BYTES = 150_000
PATIENCE_MS = 120_000

# The best verified runs of the two best families, for the pages that show one or two.
_BEST = """
    SELECT r.run_id FROM runs r JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric JOIN models m ON m.model_id = r.model_id
    WHERE r.task_id = 'nsmc' AND r.verified
    QUALIFY row_number() OVER (PARTITION BY m.family ORDER BY p.value DESC, r.run_id) = 1
    ORDER BY p.value DESC, r.run_id LIMIT 2
"""


@dataclass(frozen=True)
class Shot:
    """One picture.

    Attributes:
        name: Of its file.
        page: The path of the page; empty for the overview.
        query: Its state.
        dark: In the dark theme.
    """

    name: str
    page: str
    query: dict[str, str]
    dark: bool = False


def shots(best: list[str]) -> list[Shot]:
    """The main states of the board."""
    return [
        Shot("overview", "", {}),
        Shot("leaderboard", "leaderboard", {"task": "nsmc"}),
        Shot("tradeoffs", "tradeoffs", {"task": "nsmc"}),
        Shot("compare", "compare", {"runs": ",".join(best)}),
        Shot("run", "run", {"run": best[-1]}),
        Shot("devices", "devices", {}),
        Shot("playground", "playground", {"ex": "revolution"}),
        Shot(
            "playground-sentiment",
            "playground",
            {"tab": "sentiment", "models": "distilkobilstm-base,distilkobilstm-tiny"},
        ),
        Shot("leaderboard-ko-dark", "leaderboard", {"task": "nsmc", "lang": "ko"}, dark=True),
    ]


def take(output: Path) -> None:
    """Take every picture into a folder.

    Raises:
        SystemExit: There is no Chromium.
    """
    chromium = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if chromium is None:
        sys.exit("no Chromium on the PATH; on Debian: apt-get install chromium fonts-noto-cjk")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "featherboard.duckdb")
        create.initialise(store)
        best = store.query(_BEST)["run_id"].tolist()
        with _served(store) as url, sync_playwright() as playwright:
            flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
            browser = playwright.chromium.launch(executable_path=chromium, args=flags)
            for shot in shots(best):
                _take(browser, url, shot, output)
            browser.close()


def _take(browser: Browser, url: str, shot: Shot, output: Path) -> None:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        reduced_motion="reduce",
        color_scheme="dark" if shot.dark else "light",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{url}/{shot.page}?{urlencode(shot.query, safe=',')}")
    if not _drawn(page):
        print(f"{shot.name}: the board has no such page; left out")
    else:
        target = output / f"{shot.name}.webp"
        target.write_bytes(_packed(page.screenshot()))
        print(f"{target}: {target.stat().st_size / 1000:.0f} kB")
    context.close()


def _drawn(page: Page) -> bool:
    """Wait until the page stands still; False where there is no such page."""
    page.locator("h1, [data-testid=stDialog]").first.wait_for()
    if page.get_by_test_id("stDialog").count():  # Streamlit's "Page not found" lies over the first page
        return False
    before, same = b"", 0
    for _ in range(120):
        page.wait_for_timeout(700)
        # Parts of a page come one by one, each behind a skeleton of its own.
        if page.locator("[data-testid=stSkeleton], [data-stale=true], [data-testid=stStatusWidget]").count():
            before, same = b"", 0
            continue
        now = page.screenshot()
        before, same = now, same + 1 if now == before else 0
        if same == 2:
            break
    return True


def _packed(png: bytes) -> bytes:
    """As WebP, as good as fits."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in (90, 80, 70, 60, 50):
        packed = io.BytesIO()
        picture.save(packed, "WEBP", quality=quality, method=6)
        if packed.tell() <= MOST_BYTES:
            break
    return packed.getvalue()


@contextmanager
def _served(store: Store) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "engine", "serve", "--no-preload", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "FEATHERBOARD_DB": str(store.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if server.poll() is not None:
                sys.exit("the server ended before it answered; `featherboard serve` says why")
            try:
                with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):  # noqa: S310 - our own server
                    break
            except OSError:
                time.sleep(0.3)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
