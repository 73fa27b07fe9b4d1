"""What a visitor sees who has reviews and pairs judged: marked words, models that agree, a link that holds it all."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board

pytestmark = pytest.mark.browser

TINY, MINI = "distilkobilstm-tiny", "distilkobilstm-mini"
HURRIED = "이영화진짜재미없음ㅋㅋㅋ배우들은연기잘하는데ㅠㅠ스토리가별로👨‍👩‍👧‍👦😡"


def _open(served: Board, page: Page, **link: str) -> None:
    page.goto(f"{served.url}/playground?{urlencode({'tab': 'sentiment', 'models': TINY, **link})}")
    expect(page.locator(".headline").first).to_be_visible(timeout=60_000)  # torch comes in with the first answer


def _ask(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Review").fill(words)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_a_hurried_korean_review_is_marked_whole(served: Board, page: Page) -> None:
    """No spaces, jamo, a family with joiners: the marked text is the text, and the colours are told in words."""
    _open(served, page)
    _ask(page, HURRIED)
    shown = page.get_by_role("region", name="Review")
    expect(shown).to_contain_text(HURRIED)
    expect(page.locator(".headline")).to_contain_text("Negative")
    expect(shown.locator("mark.for").filter(has_text="미없")).to_have_attribute("title", re.compile("Negative .+ → "))
    expect(shown.locator("mark.against").filter(has_text="👨‍👩‍👧‍👦")).to_have_count(1)
    expect(page.get_by_text("supports the label: without it, the probability falls")).to_be_visible()
    expect(page.locator("li.effect").first).to_contain_text("without “미없”")


def test_two_models_are_compared_and_a_link_opens_it_again(served: Board, page: Page) -> None:
    _open(served, page, models=f"{TINY},{MINI}")
    expect(page.get_by_text("The models agree: Positive (2 of 2).")).to_be_visible()
    _ask(page, "별로 재미없음")
    expect(page.get_by_text("The models agree: Negative (2 of 2).")).to_be_visible()
    expect(page).to_have_url(re.compile("t1="))
    page.reload()
    expect(page.locator(".headline")).to_have_count(2)
    expect(page.get_by_role("region", name="Review").first).to_contain_text("별로 재미없음")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_markup_shows_as_characters(served: Board, page: Page) -> None:
    words = "<b>별로</b><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    _open(served, page, t1=words)
    shown = page.get_by_role("region", name="Review")
    expect(shown).to_contain_text(words)
    expect(shown.locator("b, script, img")).to_have_count(0)
    assert page.title() != "taken"
