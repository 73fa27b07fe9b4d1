"""What a moderator sees and does, in Chromium on the real server."""

import json
import re
import shutil
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from db import submissions
from db.storage.store import Store
from db.submissions import Receipt
from tests.browser.conftest import Board, enter, serving, show_token
from tests.factories.drafts import TOKEN, answers, draft, make_predictions

pytestmark = pytest.mark.browser

TASK = "nli-en-mini"  # other tests count the rows of the other board


def _submit(served: Board, *drafts: dict, predictions: pd.DataFrame | None = None, filename: str = "") -> Receipt:
    rows = [{"task": TASK, **draft(), **fields} | {"task": TASK} for fields in drafts]
    receipt = submissions.submit(
        served.store, rows, predictions=predictions, filename=filename, via="cli", client=uuid.uuid4().hex
    )
    assert receipt.accepted, receipt.problems
    return receipt


def test_a_refused_row_reaches_its_submitter_with_the_reason(page: Page, served: Board) -> None:
    """Without the token nothing of it is shown, also by its own link; a wrong one is told."""
    receipt = _submit(served, {"model": "Hidden until then"})
    page.goto(f"{served.url}/moderation?open={receipt.submissions[0]}")
    expect(page.get_by_label("Moderator's token")).to_have_attribute("type", "password")
    show_token(page, "not-the-token-of-anybody")
    expect(page.get_by_text("This is not the moderator's token.")).to_be_visible()
    expect(page.get_by_text("Hidden until then")).to_have_count(0)
    enter(page)
    expect(page.get_by_role("heading", name="Hidden until then")).to_be_visible()
    assert TOKEN not in page.url
    page.get_by_role("radio", name="Reject").click()
    reason = page.get_by_label("Reason, read by its submitter")
    reason.fill("This is not the split that you name.")
    page.get_by_role("button", name="Reject with this reason").click()  # at once, the field still has the focus
    expect(page.get_by_text("Rejected: Hidden until then.")).to_be_visible()
    (status,) = submissions.status(served.store, receipt.secret)
    assert (status.state, status.reason) == ("rejected", "This is not the split that you name.")


def test_an_accepted_row_stands_on_the_board(page: Page, served: Board) -> None:
    """With its source, its rank and its badge; withdrawn, it is gone again."""
    count = len(answers(served.store, TASK))
    receipt = _submit(
        served,
        {"model": "Featherlight", "metrics": {"accuracy": (count - 1) / count}},
        predictions=make_predictions(served.store, count - 1, TASK),
    )
    submission_id = receipt.submissions[0]
    page.goto(f"{served.url}/moderation?open={submission_id}")
    enter(page)
    page.get_by_role("button", name="Accept: onto the board").click()
    expect(page.get_by_text("Accepted: Featherlight.")).to_be_visible()
    page.goto(f"{served.url}/leaderboard?task={TASK}")
    row = page.locator("#board tbody tr", has_text="Featherlight")
    expect(row).to_contain_text("Submitted")
    expect(row.locator("td.c-rank")).to_have_text(re.compile("^1"))
    expect(row.locator("td.c-source")).to_contain_text("✓")
    submissions.withdraw(served.store, submission_id)


def test_a_forged_row_is_flagged(page: Page, served: Board) -> None:
    """Answers that are all right, and those of somebody else, are what a moderator sees first."""
    count = len(answers(served.store, TASK))
    receipts = [
        _submit(
            served,
            {"model": f"Too good {n}", "metrics": {"accuracy": 1.0}, "seed": n},
            predictions=make_predictions(served.store, count, TASK),
        )
        for n in (1, 2)
    ]
    submission_id = receipts[1].submissions[0]
    page.goto(f"{served.url}/moderation?open={submission_id}")
    enter(page)
    for message in ("equal the gold labels on every example", "exactly those of submission"):
        expect(page.get_by_role("alert").filter(has_text=message)).to_be_visible()
    for receipt in receipts:
        submissions.withdraw(served.store, receipt.submissions[0], secret=receipt.secret)


def test_a_delivery_is_refused_as_a_whole(page: Page, served: Board) -> None:
    """The question counts the rows, and its answer decides all of them."""
    receipt = _submit(served, *({"model": f"Part {n}", "seed": n} for n in range(3)), filename="parts.csv")
    batch = submissions.read(served.store, receipt.submissions[0]).batch_id
    page.goto(f"{served.url}/moderation?batch={batch}")
    enter(page)
    page.get_by_role("button", name="Reject all 3").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 rows are rejected: Part 0, Part 1 and Part 2.")
    dialog.get_by_label("Reason, read by its submitter").fill("Submitted twice.")
    dialog.get_by_role("button", name="Yes, reject 3 rows").click()
    expect(page.get_by_text("Rejected: 3 rows.")).to_be_visible()
    states = submissions.status(served.store, receipt.secret)
    assert [(status.state, status.reason) for status in states] == [("rejected", "Submitted twice.")] * 3


CLAIMS = {
    "me": {"email": "Me@example.org", "email_verified": True},
    "disguised": {"email": "me@example.org", "email_verified": False},
}
SECRETS = """
moderators = ["me@example.org"]
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "thirty-two-characters-of-a-test-"
client_id = "featherboard"
client_secret = "of-a-test"
server_metadata_url = "http://localhost:{provider}/.well-known/openid-configuration"
"""


@pytest.fixture
def board(with_shipped_runs: Path, tmp_path: Path) -> Iterator[Board]:
    """A board whose secrets name a provider and a moderator, and no token."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the provider uses a module that its library calls old
        provider_mock = pytest.importorskip("oidc_provider_mock", reason="pip install -e '.[dev]'")
    store = Store(Path(shutil.copyfile(with_shipped_runs, tmp_path / "featherboard.duckdb")))
    users = [provider_mock.User(sub=sub, claims=claims) for sub, claims in CLAIMS.items()]
    secrets = tmp_path / "secrets.toml"
    with provider_mock.run_server_in_thread(user_claims=users) as provider:
        secrets.write_text(SECRETS.format(provider=provider.server_port), "utf-8")
        environment = {"STREAMLIT_SECRETS_FILES": str(secrets)}
        with serving(store, "--no-preload", environment=environment) as (url, _):
            yield Board(url, store, "")


def _log_in(page: Page, board: Board, sub: str) -> None:
    page.goto(f"{board.url}/moderation")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=sub, exact=True).click()
    expect(page).to_have_url(f"{board.url}/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def _log_out(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("button", name="End session").click()  # of the provider


@pytest.mark.slow
def test_a_moderator_logs_in_decides_and_leaves(page: Page, board: Board) -> None:
    """Without a token. Whose address the provider does not confirm sees nothing of the queue."""
    receipt = submissions.submit(board.store, [draft(model="Hidden until then")], via="cli")
    _log_in(page, board, "disguised")
    expect(page.get_by_role("link", name="Moderation")).to_have_count(0)
    page.goto(f"{board.url}/moderation?open={receipt.submissions[0]}")
    expect(page.get_by_text("Your provider does not confirm that")).to_be_visible()
    expect(page.get_by_text("Hidden until then")).to_have_count(0)
    _log_out(page, "Log out")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    _log_in(page, board, "me")
    page.get_by_role("link", name="Moderation").click()
    page.goto(f"{board.url}/moderation?open={receipt.submissions[0]}")
    expect(page.get_by_role("heading", name="Hidden until then")).to_be_visible()
    page.get_by_role("radio", name="Reject").click()
    page.get_by_label("Reason, read by its submitter").fill("Not this split.")
    page.get_by_role("button", name="Reject with this reason").click()
    expect(page.get_by_text("Rejected: Hidden until then.")).to_be_visible()
    entry = submissions.history(board.store, receipt.submissions[0]).iloc[-1]
    assert json.loads(entry["details"])["by"] == "Me@example.org"
    page.goto(f"{board.url}/moderation")
    _log_out(page, "Leave")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(f"{board.url}/moderation")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
