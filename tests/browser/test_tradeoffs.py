"""What a visitor does with the trade-off plot, in Chromium on the real server."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser

MARKS = ".st-key-trade_plot .js-plotly-plot .points path.point"


def _open(page: Page, url: str) -> None:
    page.goto(url)
    mark = page.locator(MARKS).last
    mark.wait_for(state="attached")
    _wait_until_drawn(page)
    before = None
    while before != (before := mark.bounding_box()):  # Plotly draws again when it knows its width, and texts move it
        page.wait_for_timeout(1000)


def _wait_until_drawn(page: Page) -> None:
    """Wait for the end of a run of the page: it draws a field again, and closes the menu that was opened meanwhile."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def test_four_clicks_from_the_start_lead_to_the_best_model_within_a_budget(page: Page, served: Board):
    """The page, more options, the field, the limit; the sentence names it, and the link keeps the limit."""
    page.goto(served.url)
    page.get_by_role("link", name="Trade-offs").click()
    page.get_by_text("More options").click()
    field = page.locator(".st-key-trade_max_params input")
    field.wait_for()
    _wait_until_drawn(page)
    field.click()
    page.get_by_role("option", name="1M", exact=True).click()
    expect(page.get_by_text("Best with at most 1M parameters:")).to_be_visible()
    expect(page.get_by_text("DistilKoBiLSTM-Base, accuracy 89.12%, 391k parameters (reported).")).to_be_visible()
    page.wait_for_url(re.compile(r"params=\.\.1000000"))


def test_marks_in_a_box_are_compared_and_one_mark_opens_its_run(page: Page, served: Board):
    """A click chooses a mark, a box chooses several; both are told by run, and lead on."""
    _open(page, f"{served.url}/tradeoffs?task=glue")
    mark = page.locator(MARKS).last.bounding_box()
    assert mark
    x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(x, y)
    expect(page.get_by_role("link", name="Open the run")).to_have_attribute("href", re.compile(r"run\?run=[0-9a-f]+"))
    page.locator('.modebar-btn[data-title="Box Select"]').click()
    plot = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert plot
    page.mouse.move(plot["x"] + 5, plot["y"] + 5)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] - 5, plot["y"] + plot["height"] - 5, steps=6)
    page.mouse.up()
    compare = page.get_by_role("link", name="Compare 2 runs")
    expect(compare).to_have_attribute("href", re.compile(r"compare\?runs=[0-9a-f]+(,|%2C)[0-9a-f]+$"))


def test_the_plot_is_saved_as_a_picture(page: Page, served: Board):
    """Plotly's camera saves a picture that scales."""
    _open(page, f"{served.url}/tradeoffs?task=glue")
    page.locator(".js-plotly-plot").hover()
    with page.expect_download() as saved:
        page.locator('.modebar-btn[data-title*="ownload"]').click()
    assert saved.value.suggested_filename == "featherboard-tradeoffs.svg"
    assert saved.value.path().read_bytes().startswith(b"<svg")
