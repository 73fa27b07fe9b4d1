"""The published site in a real browser, from a folder: no server, no network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.site.build import publish
from db.runs.writer import MetricValue
from db.storage.store import Store
from tests.factories.runs import add_twin

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(shared_board: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a board with printed rows and two measured models."""
    folder = tmp_path_factory.mktemp("public")
    small, large = (MetricValue("checkpoint_bytes", size, 1) for size in (60_000.0, 2_000_000.0))
    add_twin(shared_board, large, accuracy=0.70, distilled=False, task_id="nsmc", split="test")
    facts = {"task_id": "nsmc", "split": "test", "teacher": "KoELECTRA-Base-v3"}
    add_twin(shared_board, small, accuracy=0.75, distilled=True, **facts)
    publish(shared_board, folder)
    return folder


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A page of a telephone's width that reaches nothing but files, and fails the test where a script fails."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, offline=True, color_scheme="dark")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors


def first(page: Page) -> str:
    """The model of the first row."""
    return page.locator("tbody tr:visible th a").first.inner_text()


def test_tables_sort_and_search(site: Path, offline: Page) -> None:
    """A head sorts by its numbers, a second click turns the order, and the search leaves rows that fit."""
    offline.goto((site / "leaderboard/nsmc.html").as_uri())
    assert first(offline) == "KoELECTRA-Base-v3"
    head = offline.get_by_role("button", name="Accuracy")
    head.click()
    lowest = first(offline)
    head.click()
    assert first(offline) == "KoELECTRA-Base-v3" != lowest
    offline.get_by_role("searchbox").fill("distilko 16")
    assert first(offline) == "DistilKoBiLSTM-16"
    assert offline.locator("tbody tr:visible").count() == 1


def test_the_overview_keeps_to_a_size(site: Path, offline: Page) -> None:
    """A size leaves the models that need no more on disk, and goes together with the search."""
    offline.goto((site / "index.html").as_uri())
    rows, sizes = offline.locator("tbody tr:visible"), offline.locator("tbody tr:visible td:nth-child(5)")
    whole = rows.count()
    offline.get_by_label("Size on disk").select_option(label="≤ 1 MB")
    assert first(offline) == "DistilKoBiLSTM-16"
    assert 0 < rows.count() < whole
    assert all(float(size.get_attribute("data-value") or "nan") <= 1e6 for size in sizes.all())
    offline.get_by_role("searchbox").fill("kobilstm")
    assert rows.count() == 1
    offline.get_by_label("Size on disk").select_option(label="Any size on disk")
    assert rows.count() == 2


def test_names_of_models_are_read_on_a_telephone(site: Path, offline: Page) -> None:
    """They break into lines, and not into letters, however many columns stand beside them."""
    offline.goto((site / "index.html").as_uri())
    name = offline.locator("tbody th a", has_text="DistilKoBiLSTM-16").first
    box = name.bounding_box()
    assert box
    assert box["height"] < box["width"]


def test_the_language_switch_opens_the_same_page(site: Path, offline: Page) -> None:
    """From an English board to the Korean one and back, and on to a model of that language."""
    offline.goto((site / "leaderboard/nsmc.html").as_uri())
    offline.get_by_role("link", name="한국어").click()
    expect(offline.get_by_role("heading", level=1)).to_have_text("한국어 감성")
    offline.get_by_role("link", name="DistilKoBiLSTM-16", exact=True).click()
    expect(offline.locator("html")).to_have_attribute("lang", "ko")
    expect(offline.get_by_role("heading", level=1)).to_have_text("DistilKoBiLSTM-16")
    offline.get_by_role("link", name="English").click()
    expect(offline.get_by_role("heading", name="Scores")).to_be_visible()


@pytest.mark.parametrize(
    ("address", "heading"),
    [("leaderboard/index.html?task=squad", "English QA"), ("model/index.html?name=BERT-base", "BERT-base")],
)
def test_addresses_of_the_app_lead_to_their_pages(site: Path, offline: Page, address: str, heading: str) -> None:
    """What was linked in the app opens in the site."""
    path, _, query = address.partition("?")
    offline.goto(f"{(site / path).as_uri()}?{query}")
    expect(offline.get_by_role("heading", level=1)).to_have_text(heading)


def test_nothing_is_wider_than_a_telephone(site: Path, offline: Page) -> None:
    """Wide tables scroll in frames of their own."""
    for path in ("index.html", "leaderboard/nsmc.html", "tradeoffs/index.html", "model/distilkobilstm-16.html"):
        offline.goto((site / path).as_uri())
        assert offline.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
