"""Everybody can use the board: axe-core finds nothing against WCAG 2.1 A and AA, in both themes and languages.

axe-core comes inside a package of the package index, so nothing is fetched from elsewhere.
"""

import re
import uuid
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from db import submissions
from tests.browser.conftest import Board, enter
from tests.factories.drafts import curve, draft, make_predictions

pytestmark = pytest.mark.browser

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]

PAGES = {
    "run": "run?run={run}",
    "a printed run": "run?run={printed}",
    "devices": "devices",
    "about": "about",
    "trade-offs": "tradeoffs?task=nsmc&params=..1000000",
    "overview": "",
    "leaderboard": "leaderboard?task=nsmc",
    "model": "model?name=KoELECTRA-Base-v3",
    "what changed": "changes",
    "compare": "compare?runs={run},{other}",
    "nothing to compare yet": "compare",
    "playground": "playground?models={spans}&t1=How is it?&t2=The box is red.",
    "blind test": "playground?tab=blind&kind=sentiment",
    "speed lab": "playground?tab=lab",
    "many questions": "playground?tab=batch",
    "submit": "submit?task=reviews-ko-mini",
    "what became of it": "submit?secret={secret}",
    "moderation's door": "moderation",
    "a queue": "moderation?show=all",
    "a submission": "moderation?open={submission}",
}
"""What is looked at, by what it is; ``{run}`` and ``{other}`` are measured, ``{printed}`` is a reported row."""

MODERATED = {"a queue", "a submission"}
"""What a moderator sees once the token is given."""

# Streamlit's own, not to be changed from here. Each entry is as narrow as it can be.
STREAMLITS_OWN: list[str] = []


def _violations(page: Page) -> list[str]:
    """What axe-core finds, one line a place: rule, selector, markup, and the colours where they are the reason."""
    problems: dict[str, Any] = page.evaluate(
        """([rules, exclude]) => axe.run({exclude}, {runOnly: rules, resultTypes: ["violations"]})""",
        [RULES, [[selector] for selector in STREAMLITS_OWN]],
    )
    lines = []
    for violation in problems["violations"]:
        for node in violation["nodes"]:
            reasons = [check["data"] for check in node["any"] if isinstance(check.get("data"), dict)]
            colours = [{key: data.get(key) for key in ("fgColor", "bgColor", "contrastRatio")} for data in reasons]
            lines.append(f"{violation['id']} at {node['target']}: {node['html'][:160]} {colours or ''}")
    return lines


def _settled(page: Page) -> None:
    """The page is drawn: a heading, no skeleton, nothing stale, and no figure without its picture."""
    page.locator("h1").first.wait_for()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    for figure in page.get_by_test_id("stPlotlyChart").all():
        expect(figure.locator(".main-svg").first).to_be_attached()


def _submission(served: Board) -> str:
    """A waiting row with flags, curves, predictions and rows beside it."""
    fields = {
        "model": "Featherweight",
        "metrics": {"accuracy": 1.0},
        "contact": "me@example.org",
        "notes": "Notes.",
        "link": "https://example.org/m",
        "training": {"lr": 0.001},
    }
    receipt = submissions.submit(
        served.store,
        [draft(**fields)],
        predictions=make_predictions(served.store, 200),
        curves=curve(0.5, 0.25),
        client=uuid.uuid4().hex,
        via="cli",
    )
    return receipt.submissions[0]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_in_anybodys_way(page: Page, served: Board, spans: str, name: str) -> None:
    """A page in English on light, then as its visitor switches it, in Korean on dark: colours and words do not meet."""
    printed = served.store.query("SELECT run_id FROM runs WHERE caveat IS NOT NULL ORDER BY run_id LIMIT 1")
    other = served.store.query(
        "SELECT run_id FROM runs WHERE task_id = 'reviews-ko-mini' AND run_id <> ? ORDER BY created_at LIMIT 1",
        [served.run_id],
    )
    path = PAGES[name].format(
        run=served.run_id,
        printed=printed["run_id"].iloc[0],
        other=other["run_id"].iloc[0],
        spans=spans,
        secret=submissions.submit(served.store, [draft(model=f"Row {number}") for number in range(2)]).secret
        if "{secret}" in PAGES[name]
        else "",
        submission=_submission(served) if name in MODERATED else "",
    )
    page.emulate_media(color_scheme="light")
    page.goto(f"{served.url}/{path}")
    _settled(page)
    if name in MODERATED:
        enter(page)
        expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
        _settled(page)
    page.evaluate(f"{AXE}; 0")
    problems = []
    for language, scheme in (("en", "light"), ("ko", "dark")):
        if language == "ko":
            page.locator(".st-key-language").get_by_text("한국어").click()
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", re.compile(scheme))
        _settled(page)
        problems += [f"{language}, {scheme}: {line}" for line in _violations(page)]
    assert not problems, "\n" + "\n".join(problems)


def test_figures_are_told_in_words(page: Page, served: Board) -> None:
    """Every figure of a run has a text for those who do not see it."""
    page.goto(f"{served.url}/run?run={served.run_id}")
    _settled(page)
    figures = page.get_by_test_id("stPlotlyChart")
    expect(figures).to_have_count(4)
    for figure in figures.all():
        labelled = figure.locator("[aria-label]").or_(figure.locator("xpath=self::*[@aria-label]")).first
        assert len(labelled.get_attribute("aria-label") or "") > 10


def test_the_switch_of_the_language_is_reached_by_the_keyboard(page: Page, served: Board) -> None:
    """Tab reaches it from the head of the page, and an arrow turns it."""
    page.goto(f"{served.url}/about")
    _settled(page)
    switch = page.locator(".st-key-language").get_by_role("radio").first
    for _ in range(30):
        page.keyboard.press("Tab")
        if switch.evaluate("element => element === document.activeElement"):
            break
    expect(switch).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page).to_have_url(re.compile("lang=ko"))


def test_the_table_is_two_presses_away(page: Page, served: Board) -> None:
    """The first link of the page leads past everything above the table."""
    page.goto(f"{served.url}/leaderboard?task=nsmc")
    _settled(page)
    expect(page.locator("#rows")).to_be_attached()  # drawn after the link
    skip = page.get_by_role("link", name="Skip to the table")
    skip.focus()
    expect(skip).to_be_in_viewport()
    skip.press("Enter")
    expect(page.locator("#rows")).to_be_focused()


def test_links_of_the_navigation_show_the_focus(page: Page, served: Board) -> None:
    """Whoever uses Tab sees where it is."""
    page.goto(f"{served.url}/about")
    _settled(page)
    link = page.get_by_test_id("stTopNavLink").first
    for _ in range(10):
        page.keyboard.press("Tab")
        if link.evaluate("element => element === document.activeElement"):
            break
    expect(link).to_have_css("outline-style", "solid")


def test_the_menu_of_a_telephone_can_be_closed(page: Page, served: Board) -> None:
    """Nothing lies over its button."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{served.url}/about")
    _settled(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(sidebar).to_have_attribute("data-collapsed", "true")


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("", "Overview · Featherboard"),
        ("leaderboard?task=nsmc", "Korean sentiment · Leaderboard · Featherboard"),
        ("about?lang=ko", "안내 · Featherboard"),
    ],
)
def test_a_tab_is_named_after_its_page(page: Page, served: Board, path: str, title: str) -> None:
    """Several open pages can be told apart."""
    page.goto(f"{served.url}/{path}")
    expect(page).to_have_title(title)


@pytest.mark.parametrize("width", [390, 700, 1000, 1400])
def test_the_switch_covers_neither_the_navigation_nor_the_page(page: Page, served: Board, width: int) -> None:
    """At every width it lies in the head, beside what else is there."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{served.url}/about?lang=ko")
    _settled(page)
    own = page.locator(".st-key-language").bounding_box()
    assert own
    assert own["x"] >= 0
    assert own["x"] + own["width"] <= width
    title = page.locator("h1").first.bounding_box()
    assert title
    assert own["y"] + own["height"] <= title["y"]
    for other in page.locator('[data-testid="stTopNavLink"], [data-testid="stHeaderLogo"]').all():
        box = other.bounding_box()
        if other.is_visible() and box:
            assert box["x"] + box["width"] <= own["x"], other.inner_text()
