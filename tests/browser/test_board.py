"""What a visitor sees and does on the leaderboard, in Chromium on the real server."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser

ROWS = "#board tbody tr"


def _open(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.locator(ROWS).first).to_be_visible()


def _header(page: Page, name: str) -> Locator:
    return page.locator("#board thead").get_by_role("button", name=re.compile(f"^{name}"))


def _names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} a.name").all_text_contents()


def test_the_first_screen_holds_answer_tradeoff_and_table(page: Page, served: Board):
    """The question, the answer as a card, the plot, and rows of the table, without scrolling."""
    _open(page, f"{served.url}/leaderboard")
    expect(page.get_by_role("heading", name="Is this Korean film review positive or negative?")).to_be_visible()
    expect(page.get_by_text("Best published", exact=True)).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_in_viewport()
    assert _names(page)[0] == "KoELECTRA-Base-v3"
    expect(page.locator(ROWS).nth(5)).to_be_in_viewport()


def test_sort_then_open_the_run_that_is_shown_and_see_its_curve(page: Page, served: Board):
    """A header sorts by mouse and by keyboard and keeps the focus; a name then opens that very run, in this session."""
    _open(page, f"{served.url}/leaderboard?task=reviews-ko-mini&every=1")
    expect(page.locator(ROWS)).to_have_count(2)
    scores = page.locator(f"{ROWS} td.c-score span.score > span")
    expect(scores).to_have_text(["74.00", "61.00"])
    expect(page.locator(f"{ROWS} .tag")).to_have_text(["course-2026"])
    _header(page, "Accuracy").click()
    expect(scores).to_have_text(["61.00", "74.00"])
    page.wait_for_url(re.compile("sort=score"))
    expect(_header(page, "Accuracy")).to_be_focused()
    expect(page.locator("#board th.c-score")).to_have_attribute("aria-sort", "ascending")
    _header(page, "Source").focus()
    page.keyboard.press("Shift+Enter")
    page.wait_for_url(re.compile("sort=score&sort=source"))
    link = page.locator(f"{ROWS} a.name").first
    address = link.get_attribute("href")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(str(address))))
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("61.00%")
    expect(page.locator(".js-plotly-plot .scatterlayer .trace path.js-line").first).to_be_attached()


def test_the_way_back_from_a_run_leads_to_its_board(page: Page, served: Board):
    """The browser's back button shows the board that the visitor came from, not the first one."""
    _open(page, f"{served.url}/leaderboard")
    page.get_by_text("Mini corpora").click()
    heading = page.get_by_role("heading", name="Is this Korean review of a film or a product positive or negative?")
    expect(heading).to_be_visible()
    page.locator(f"{ROWS} a.name").filter(has_text="KoBiLSTM-Tiny").first.click()
    page.wait_for_url(re.compile(r"/run\?run="))
    expect(page.get_by_role("heading", name="KoBiLSTM-Tiny")).to_be_visible()
    page.go_back()
    expect(heading).to_be_visible()
    page.wait_for_url(re.compile(r"task=reviews-ko-mini"))


def test_a_link_to_a_run_opens_it(page: Page, served: Board):
    """A run's address is all that somebody else needs."""
    page.goto(f"{served.url}/run?run={served.run_id}")
    expect(page.get_by_role("heading", name="KoBiLSTM-Tiny")).to_be_visible()
    expect(page.get_by_text("featherboard train kobilstm-tiny --seed 0").first).to_be_visible()
    expect(page.get_by_text("Verified").first).to_be_visible()


def test_selected_runs_go_to_the_comparison(page: Page, served: Board):
    """Keyed by run: a selection outlives another order; two are compared, one is opened."""
    _open(page, f"{served.url}/leaderboard?task=reviews-ko-mini&every=1")
    boxes = page.locator(f"{ROWS} input[type=checkbox]")
    expect(boxes).to_have_count(2)
    first = page.locator(ROWS).first.get_attribute("data-row")
    boxes.first.check()
    expect(page.locator("#board .bar")).to_contain_text("1 selected")
    _header(page, "Accuracy").click()
    expect(page.locator(f'{ROWS}[data-row="{first}"]').first).to_be_visible()
    expect(page.locator(f'{ROWS}[data-row="{first}"] input')).to_be_checked()
    expect(boxes.first).not_to_be_checked()
    boxes.first.check()
    compare = page.locator("#board .bar").get_by_role("link", name="Compare 2 runs")
    ids = str(compare.get_attribute("href")).partition("runs=")[2].split(",")
    assert ids[0] == first
    assert len(ids) == 2
    compare.click()
    page.wait_for_url(re.compile("/compare"))
    page.wait_for_url(re.compile(ids[0]))


def test_search_narrows_the_table_and_stays_in_the_address(page: Page, served: Board):
    """A filter changes the table and the link; the link alone brings it back; a chip takes it away."""
    _open(page, f"{served.url}/leaderboard")
    box = page.get_by_placeholder("Model, teacher, data set")
    box.press_sequentially("character n-grams")  # the table follows without Enter
    expect(page.locator(ROWS)).to_have_count(1)
    expect(box).to_have_value("character n-grams")
    page.wait_for_url(re.compile(r"q=character(\+|%20)n-grams"))
    shared = page.url
    page.goto("about:blank")
    _open(page, shared)
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("button", name="“character n-grams”").click()
    expect(page.locator(ROWS).nth(5)).to_be_visible()
    expect(page).not_to_have_url(re.compile("q="))  # the address is written last


def test_tasks_are_two_clicks(page: Page, served: Board):
    """An area, then a task; the link changes with it."""
    _open(page, f"{served.url}/leaderboard")
    page.get_by_role("radio", name="Question answering").or_(
        page.get_by_role("button", name="Question answering")
    ).first.click()
    pi = page.get_by_role("radio", name="QA on a Raspberry Pi 5").or_(
        page.get_by_role("button", name="QA on a Raspberry Pi 5")
    )
    pi.first.click()
    expect(page.get_by_role("heading", name=re.compile("how long does a small computer take"))).to_be_visible()
    page.wait_for_url(re.compile(r"task=squad-deck"))


def test_a_narrow_screen_shows_what_matters(page: Page, served: Board):
    """At 390 px nothing is wider than the screen; rank, model, score and parameters are seen without scrolling."""
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, f"{served.url}/leaderboard")
    expect(page.get_by_text("Best published", exact=True)).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for column in ("rank", "model", "score", "params"):
        cell = page.locator(f"#board tbody tr:nth-child(4) .c-{column}, #board tbody tr:nth-child(4) th.{column}").first
        box = cell.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390, column
    frame = page.locator("#board .frame")
    frame.evaluate("node => { node.scrollLeft = 300 }")
    pinned = page.locator("#board tbody tr:nth-child(4) th.model").bounding_box()
    assert pinned
    assert pinned["x"] < 40, "the name of a model stays where it is"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_is_for_everybody(page: Page, served: Board, scheme: str):
    """The rules of axe-core on the table, in both themes."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.emulate_media(color_scheme=scheme)
    _open(page, f"{served.url}/leaderboard?task=reviews-ko-mini")
    page.locator(f"{ROWS} input[type=checkbox]").first.check()
    expect(page.locator("#board .bar a").first).to_be_visible()
    result = axe.Axe().run(page, context="[data-testid=stBidiComponentIsolated]")
    violations = [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]])
        for violation in result.response["violations"]
    ]
    assert violations == []
    assert result.response["passes"], "the rules looked at something"


def test_a_filter_that_was_taken_away_does_not_come_back(page: Page, served: Board):
    """A closed menu does not send what it held before, once the chip of a filter is gone."""
    _open(page, f"{served.url}/leaderboard")
    everything = page.locator(ROWS).count()
    page.get_by_role("button", name="Filters").click()
    page.get_by_test_id("stPopoverBody").get_by_role("radio", name="Reported").or_(
        page.get_by_test_id("stPopoverBody").get_by_role("button", name="Reported")
    ).click()
    page.wait_for_url(re.compile("source="))
    page.keyboard.press("Escape")
    page.locator(".st-key-chips button").first.click()
    expect(page).not_to_have_url(re.compile("source="))
    expect(page.locator(ROWS)).to_have_count(everything)
    page.locator("label", has_text="Show all runs").click()
    page.wait_for_url(re.compile("every="))
    expect(page).not_to_have_url(re.compile("source="))


def test_rows_since_the_last_visit_are_marked_and_counted(page: Page, served: Board):
    """Nothing is new on a first visit, nor on a reload; in a later one, what came meanwhile is."""
    address = f"{served.url}/leaderboard?task=reviews-ko-mini&every=1"
    _open(page, address)
    expect(page.locator(".new, .news")).to_have_count(0)
    _open(page, address)
    expect(page.locator(".new, .news")).to_have_count(0)
    page.evaluate("localStorage.setItem('featherboard.visit.reviews-ko-mini', '1')")
    later = page.context.new_page()
    _open(later, address)
    expect(later.locator(".news")).to_have_text("New since your last visit: 2")
    expect(later.locator(f"{ROWS} .new")).to_have_count(2)
    _open(later, address)
    expect(later.locator(f"{ROWS} .new")).to_have_count(2)
    last = page.context.new_page()
    _open(last, address)
    expect(last.locator(".new, .news")).to_have_count(0)
