"""What somebody does who hands in a run: by form, by file, over a reload."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from db.storage.store import Store
from tests.browser.conftest import Board, enter, serving
from tests.factories.drafts import MINI, make_predictions

pytestmark = pytest.mark.browser

OWN = f"Accuracy{' (the task is ranked by it)'}"
HOSTILE = "<img src=x onerror=document.title=1> **bold** [x](http://e)"


def _open(page: Page, board: Board, query: str = f"?task={MINI}") -> None:
    """The form, after the browser was asked for a draft."""
    page.goto(f"{board.url}/submit{query}")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    _idle(page)


def _idle(page: Page) -> None:
    """The page was drawn and stays so: what was typed may still be on its way."""
    page.evaluate("window.busyAt = performance.now()")
    page.wait_for_function(
        """() => {
          const state = document.querySelector("[data-testid=stApp]").dataset.testScriptState
          if (state !== "notRunning") window.busyAt = performance.now()
          return performance.now() - window.busyAt > 500
        }"""
    )


def _type(page: Page, label: str, value: str) -> None:
    page.get_by_role("textbox", name=label, exact=True).fill(value)
    page.keyboard.press("Tab")
    _idle(page)


def _link(page: Page) -> str:
    """The receipt's."""
    expect(
        page.get_by_text(
            "It is shown only once and cannot be sent again: copy it now. Anyone who has it can see "
            "the state of your submission and withdraw it."
        )
    ).to_be_visible()
    return page.locator("code").first.inner_text()


def test_by_form_from_a_wrong_field_to_the_state_of_the_row(page: Page, served: Board) -> None:
    """Hostile text is only text wherever it is shown."""
    _open(page, served)
    _type(page, "Model", HOSTILE)
    _type(page, OWN, "70.5")
    expect(page.get_by_role("alert")).to_contain_text("Enter 70.5%")
    _type(page, OWN, "70.5%")
    expect(page.get_by_role("alert")).to_have_count(0)
    mine = page.locator("tr.mine")
    expect(mine).to_contain_text(HOSTILE)
    expect(mine).to_contain_text("Submitted")
    expect(mine.locator("td.rank")).to_have_text(re.compile(r"^\d+(–\d+)?$"))
    expect(page.locator("tbody tr:not(.mine) a").first).to_be_visible()  # beside its neighbours
    page.get_by_role("button", name="Submit", exact=True).click()
    link = _link(page)
    assert link.startswith(f"{served.url}/submit?secret=")
    page.goto(link)
    expect(page.get_by_text("A moderator has not decided yet.")).to_be_visible()
    expect(page.get_by_text(HOSTILE.partition("http")[0])).to_be_visible()  # an unseen sign keeps the rest from linking
    assert page.locator(".stMain img").count() == 0


def test_by_files_with_curves_and_predictions_that_verify_it(page: Page, served: Board, tmp_path: Path) -> None:
    """What the Trainer of Hugging Face leaves behind, and a CSV of predictions."""
    right = 150
    predicted = make_predictions(served.store, right)
    results = {
        "epoch": 3.0,
        "eval_accuracy": right / len(predicted),
        "train_runtime": 12.5,
        "eval_steps_per_second": 3.1,
    }
    log = {
        "epoch": 3.0,
        "global_step": 30,
        "log_history": [
            {"epoch": step / 10, "step": step, "loss": 1 / step, "learning_rate": 0.001} for step in range(10, 31, 10)
        ],
    }
    files = {
        "all_results.json": json.dumps(results),
        "trainer_state.json": json.dumps(log),
        "preds.csv": predicted.rename(columns={"predicted": "label_pred"}).to_csv(index=False),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, "utf-8")
    _open(page, served)
    inputs = page.get_by_test_id("stFileUploader").locator("input")
    inputs.first.set_input_files([tmp_path / "all_results.json", tmp_path / "trainer_state.json"])
    expect(page.get_by_role("textbox", name=OWN)).to_have_value(repr(right / len(predicted)))
    expect(page.get_by_text("eval_steps_per_second")).to_be_visible()  # what was not used
    _type(page, "Model", "From files")
    _idle(page)  # the uploader may be drawn anew by the run that typing began, and would lose the file
    inputs.last.set_input_files(tmp_path / "preds.csv")
    expect(page.get_by_text("Verified.", exact=True)).to_be_visible()
    expect(page.locator("tr.mine").get_by_role("img", name="verified")).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()
    _link(page)
    stored = served.store.query(
        "SELECT count(DISTINCT p.example_id) AS answers, (SELECT count(*) FROM submission_curves c WHERE "
        "c.submission_id = s.submission_id) AS points FROM submissions s JOIN submission_predictions p USING "
        "(submission_id) WHERE s.model = 'From files' GROUP BY s.submission_id"
    )
    assert stored.to_dict("records") == [{"answers": len(predicted), "points": 6}]


def test_a_table_with_open_and_wrong_cells_is_settled_before_it_can_be_sent(
    page: Page, served: Board, tmp_path: Path
) -> None:
    """One question for a column, one table of what cannot be used."""
    (tmp_path / "runs.csv").write_text("Model,Acc,Parameters\nFirst,71.5,27k\nSecond,0.9,27k\nThird,72,many\n", "utf-8")
    _open(page, served)
    page.get_by_test_id("stFileUploader").locator("input").first.set_input_files(tmp_path / "runs.csv")
    question = page.get_by_test_id("stRadio").filter(has_text="runs.csv, column “Acc”, line 3")
    expect(question).to_be_visible()
    expect(page.get_by_text("1 cell cannot be used.")).to_be_visible()
    button = page.get_by_role("button", name="Submit 3 rows")
    expect(button).to_be_disabled()
    question.get_by_text("90.00%").click()
    _idle(page)
    expect(button).to_be_disabled()
    leave_out = page.get_by_role("combobox", name="Leave rows out")
    leave_out.scroll_into_view_if_needed()  # scrolling closes an open list
    _idle(page)
    leave_out.click()
    page.get_by_role("option", name="3: Third").click()
    expect(page.get_by_role("button", name="Submit 2 rows")).to_be_enabled()
    page.get_by_role("button", name="Submit 2 rows").click()
    _link(page)


def test_a_draft_survives_a_reload_and_a_button_clears_it(page: Page, served: Board) -> None:
    """It is in the browser alone."""
    _open(page, served)
    _type(page, "Model", "Half written")
    _type(page, "Contact (private)", "me@example.org")
    page.wait_for_function("(localStorage.getItem('featherboard.submission') ?? '').includes('me@example.org')")
    page.reload()
    expect(page.get_by_role("textbox", name="Model", exact=True)).to_have_value("Half written")
    expect(page.get_by_role("textbox", name="Contact (private)")).to_have_value("me@example.org")
    expect(
        page.get_by_text("Your draft is here again, as this browser kept it. Files are not kept: add them again.")
    ).to_be_visible()
    assert "me@" not in page.url
    page.get_by_role("button", name="Clear the form").click()
    expect(page.get_by_role("textbox", name="Model", exact=True)).to_have_value("")
    page.wait_for_function("localStorage.getItem('featherboard.submission') === null")


def test_a_telephone_does_not_scroll_sideways(page: Page, served: Board) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, served)
    _type(page, "Model", "Featherweight" * 5)
    _type(page, OWN, "70%")
    expect(page.locator("tr.mine")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("table").evaluate("table => table.scrollWidth") <= 390


def test_a_data_file_becomes_a_board_with_a_ranked_verified_row(
    page: Page, default_board: Store, tmp_path: Path
) -> None:
    """One command makes the board; predictions go in by the form, a moderator accepts, the row has rank and tick."""
    file = tmp_path / "shop-reviews.csv"
    rows = [(f"thing {n} is {word}", word) for n in range(60) for word in ("good", "bad")]
    pd.DataFrame(rows, columns=["review", "verdict"]).to_csv(file, index=False)
    command = [sys.executable, "-m", "engine", "task", "new", str(file), "--yes"]
    subprocess.run(command, check=True, capture_output=True, env=dict(os.environ), timeout=600)
    test = pd.read_parquet(default_board.path.parent / "tasks" / "corpora" / "shop-reviews" / "test.parquet")
    predicted = test["label"].where(test.index != test.index[0], "neither")
    predictions = tmp_path / "predictions.csv"
    pd.DataFrame({"id": test["id"], "prediction": predicted}).to_csv(predictions, index=False)
    with serving(default_board, "--no-preload") as (url, _):
        _open(page, Board(url, default_board, ""), "?task=shop-reviews")
        _type(page, "Model", "My classifier")
        _type(page, OWN, repr((len(test) - 1) / len(test)))
        page.get_by_test_id("stFileUploader").locator("input").last.set_input_files(predictions)
        expect(page.get_by_text("Verified.", exact=True)).to_be_visible()
        _idle(page)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("Your row waits for a moderator.")).to_be_visible()
        page.goto(f"{url}/moderation?task=shop-reviews")
        enter(page)
        page.get_by_text("My classifier").first.click()
        page.get_by_role("button", name="Accept: onto the board").click()
        expect(page.get_by_text("Accepted: My classifier.")).to_be_visible()
        page.goto(f"{url}/leaderboard?task=shop-reviews")
        row = page.locator("#board tbody tr", has_text="My classifier")
        expect(row.locator("td.c-rank")).to_have_text(re.compile("^1"))
        expect(row.locator("td.c-source")).to_contain_text("✓")
