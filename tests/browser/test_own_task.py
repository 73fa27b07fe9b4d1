"""A task of a user's own: from a data file to a ranked, verified row."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from db.storage.store import Store
from tests.browser.conftest import enter, serving

pytestmark = pytest.mark.browser


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
        page.goto(f"{url}/submit?task=shop-reviews")
        page.get_by_role("textbox", name="Model", exact=True).fill("My classifier")
        page.keyboard.press("Tab")
        accuracy = page.get_by_role("textbox", name="Accuracy (the task is ranked by it)")
        accuracy.fill(repr((len(test) - 1) / len(test)))
        page.keyboard.press("Tab")
        page.get_by_test_id("stFileUploader").locator("input").last.set_input_files(predictions)
        expect(page.get_by_text("Verified.", exact=True)).to_be_visible()
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
