"""A page inside another site: without navigation, by the snippet that a run's page offers."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser


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
