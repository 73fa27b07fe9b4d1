"""What a visitor of a run's page sees and does, in Chromium on the real server."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser


def _open(page: Page, served: Board, query: str = "") -> None:
    page.goto(f"{served.url}/run?run={served.run_id}{query}")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_the_first_screen_answers_what_a_run_is(page: Page, served: Board) -> None:
    """Without scrolling: name, badges, five figures, where it comes from, and the curves' top."""
    _open(page, served)
    height = page.viewport_size["height"]
    shown = [
        page.get_by_role("heading", name="KoBiLSTM-Tiny"),
        page.get_by_text("Verified").first,
        page.get_by_test_id("stMetric").last,
        page.get_by_role("heading", name="Where it comes from"),
        page.locator(".js-plotly-plot").first,
    ]
    expect(page.get_by_test_id("stMetric")).to_have_count(5)
    for part in shown:
        expect(part).to_be_visible()
        box = part.bounding_box()
        assert box
        assert box["y"] + 60 < height


def test_the_axis_is_chosen_and_a_link_keeps_it(page: Page, served: Board) -> None:
    """A click changes the figure and the address; the address alone shows the same again."""
    _open(page, served)
    title = page.locator(".js-plotly-plot .xtitle").first
    expect(title).to_have_text("Epoch")
    page.get_by_role("radio", name="Time").click()
    expect(title).to_have_text("Seconds of training")
    expect(page).to_have_url(re.compile(r"[?&]x=time"))
    shared = page.url
    page.goto("about:blank")
    page.goto(shared)
    expect(title).to_have_text("Seconds of training")


def test_the_model_card_is_a_file(page: Page, served: Board) -> None:
    """One click downloads Markdown that begins with the head that model hubs read."""
    _open(page, served)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Model card").click()
    card = waiting.value
    assert card.suggested_filename == f"KoBiLSTM-Tiny-{served.run_id[:8]}.md"
    assert card.path().read_text("utf-8").startswith('---\nlanguage: "ko"\n')


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_phone_shows_the_whole_page(page: Page, served: Board, language: str) -> None:
    """At 390 px nothing is wider than the screen, and the figures stand two by two."""
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, served, f"&lang={language}")
    first, second = (page.get_by_test_id("stMetric").nth(index).bounding_box() for index in (0, 1))
    assert first
    assert second
    assert first["y"] == second["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0


def test_the_snippet_of_a_run_shows_the_run_alone_in_another_site(page: Page, served: Board, tmp_path: Path) -> None:
    """The copied code in a file of its own: the run is drawn, without navigation and without the switch of language."""
    page.goto(f"{served.url}/run?run={served.run_id}")
    page.get_by_role("button", name="Embed").click()
    snippet = page.locator("code", has_text="<iframe").inner_text()
    assert "embed=1" in snippet
    host = tmp_path / "host.html"
    host.write_text(f"<!doctype html><title>Host</title>{snippet}", "utf-8")
    page.goto(host.as_uri())
    inside = page.frame_locator("iframe")
    expect(inside.get_by_role("heading", name="KoBiLSTM-Tiny")).to_be_visible()
    expect(inside.get_by_test_id("stTopNavLink").first).to_be_hidden()
    expect(inside.locator(".st-key-language")).to_be_hidden()
