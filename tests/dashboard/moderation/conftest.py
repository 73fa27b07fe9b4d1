"""An installation with a moderator, and the page as one opens it."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.moderation import token
from db import submissions
from db.storage.store import Store
from tests.dashboard.page_driver import open_page, words_of
from tests.factories.drafts import TOKEN, draft


@pytest.fixture(autouse=True)
def _moderated(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation with a moderator, whatever secrets lie in the home folder."""
    monkeypatch.setenv(token.VARIABLE, TOKEN)
    monkeypatch.setattr(token, "_FILES", ())


def submit(board: Store, *, predictions=None, curves=None, filename="", **fields) -> submissions.Receipt:
    receipt = submissions.submit(
        board, [draft(**fields)], predictions=predictions, curves=curves, filename=filename, via="cli"
    )
    assert receipt.accepted, receipt.problems
    return receipt


def enter(board: Store, monkeypatch, **query: str) -> AppTest:
    """The page after somebody has shown the token."""
    app = open_page("moderation", board, monkeypatch, **query)
    app.text_input(key="moderator field").input(TOKEN)
    app.button(key="moderator enter").click()
    app.run()
    assert not app.exception
    return app


def all_text(app: AppTest) -> str:
    """All words of the page, its tables, alerts and labels among them."""
    tables = [str(cell) for table in (*app.table, *app.dataframe) for row in table.value.to_numpy() for cell in row]
    alerts = [alert.value for kind in (app.error, app.success) for alert in kind]
    return (
        "\n".join([words_of(app), *alerts, *tables, *(button.label for button in app.button)]).replace("\\", "")
    ).replace("\u2060", "")  # which keeps addresses from being links
