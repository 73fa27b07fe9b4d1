"""What a visitor sees and does, in Chromium on the real server."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser

ROW_PX, HEADER_PX = 33, 34  # of a data frame at the board's font size
TABLE = '[data-testid="stDataFrame"]'


def _open(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(f"{TABLE} canvas").first.wait_for()
    expect(page.locator(f"{TABLE} table tbody tr").first).to_be_attached()


def _cells(page: Page) -> list[list[str]]:
    """The table's cells as assistive technology reads them; the grid itself is drawn on a canvas."""
    rows = page.locator(f"{TABLE} table").first.locator("tbody tr")
    return [row.locator("td").all_text_contents() for row in rows.all()]


def _click(page: Page, x: float, row: int) -> None:
    """Click a cell of the grid; row -1 is the header."""
    grid = page.locator(TABLE).first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box
    page.mouse.click(box["x"] + x, box["y"] + (HEADER_PX / 2 if row < 0 else HEADER_PX + ROW_PX * (row + 0.5)))


def _x_of(page: Page, header: str) -> float:
    """Where a pinned or early column is: rank 60 px, model 190 px, then the score."""
    order = page.locator(f"{TABLE} table").first.locator("thead th").all_text_contents()
    assert header in order, order
    return {"Rank": 20.0, "Model": 120.0}.get(header, 60 + 190 + 40)


def test_the_board_opens_with_an_answer_and_a_table(page: Page, served: Board):
    """The first screen holds the question, the answer in words, the plot and the printed rows."""
    _open(page, served.url)
    expect(page.get_by_role("heading", name="Is this Korean film review positive or negative?")).to_be_visible()
    expect(page.get_by_text("Best reported:")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    assert _cells(page)[0][1] == "KoELECTRA-Base-v3"


def test_sort_then_open_the_run_that_is_shown_and_see_its_curve(page: Page, served: Board):
    """A click on a header sorts; a click on a name then opens that very run, with its curves."""
    _open(page, f"{served.url}/?task=reviews-ko-mini")
    page.get_by_text("Every run").click()
    expect(page.locator(f"{TABLE} table tbody tr")).to_have_count(2)
    page.wait_for_timeout(1500)  # the grid redraws after its rows have come
    before = [row[2] for row in _cells(page)]
    assert [float(value) for value in before] == [74.0, 61.0]
    _click(page, _x_of(page, "Accuracy, %"), -1)
    expect(page.locator(f"{TABLE} table tbody tr").first.locator("td").nth(2)).to_have_text("61")
    _click(page, _x_of(page, "Model"), 0)
    page.wait_for_url(re.compile(r"/run\?run="))
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("61.00%")
    expect(page.locator(".js-plotly-plot .scatterlayer .trace path.js-line").first).to_be_attached()
    assert page.locator(".js-plotly-plot").count() >= 3


def test_the_way_back_from_a_run_leads_to_its_board(page: Page, served: Board):
    """The browser's back button shows the board that the visitor came from, not the first one."""
    _open(page, served.url)
    page.get_by_text("Korean sentiment, mini").click()
    heading = page.get_by_role("heading", name="Is this Korean review of a film or a product positive or negative?")
    expect(heading).to_be_visible()
    page.wait_for_timeout(1500)  # the grid redraws after its rows have come
    _click(page, _x_of(page, "Model"), 0)
    page.wait_for_url(re.compile(r"/run\?run="))
    expect(page.get_by_role("heading", name="KoBiLSTM-Tiny")).to_be_visible()
    page.go_back()
    expect(heading).to_be_visible()
    page.wait_for_url(re.compile(r"task=reviews-ko-mini"))


def test_a_link_to_a_run_opens_it(page: Page, served: Board):
    """A run's address is all that somebody else needs."""
    page.goto(f"{served.url}/run?run={served.run_id}")
    expect(page.get_by_role("heading", name="KoBiLSTM-Tiny")).to_be_visible()
    expect(page.get_by_test_id("stCode")).to_contain_text("featherboard train kobilstm-tiny --seed 0")
    expect(page.get_by_text("Verified").first).to_be_visible()


def test_search_narrows_the_table_and_stays_in_the_address(page: Page, served: Board):
    """A filter changes the table and the link."""
    _open(page, served.url)
    box = page.get_by_placeholder("Model, teacher, data set")
    box.fill("character n-grams")
    box.press("Enter")
    expect(page.locator(f"{TABLE} table tbody tr")).to_have_count(1)
    page.wait_for_url(re.compile(r"search=character\+n-grams|search=character%20n-grams"))
    shared = page.url
    page.goto("about:blank")
    _open(page, shared)
    expect(page.locator(f"{TABLE} table tbody tr")).to_have_count(1)


def test_tasks_are_tabs(page: Page, served: Board):
    """A click on a task shows its board and changes the link."""
    _open(page, served.url)
    page.get_by_role("radio", name="QA on a Raspberry Pi 5").or_(
        page.get_by_role("button", name="QA on a Raspberry Pi 5")
    ).first.click()
    expect(page.get_by_role("heading", name=re.compile("how long does a small computer take"))).to_be_visible()
    page.wait_for_url(re.compile(r"task=squad-deck"))


def test_a_narrow_screen_shows_the_answer(page: Page, served: Board):
    """At 390 px nothing is wider than the screen."""
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, f"{served.url}/?task=squad-deck")
    expect(page.get_by_text("Best reported:")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
