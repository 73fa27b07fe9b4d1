"""The page that takes a run, opened on a small board, and what a visitor does with it."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.moderation.token import VARIABLE
from dashboard.ui import visitor
from db.storage.store import Store
from tests.dashboard.page_driver import visit
from tests.factories.drafts import MINI, TOKEN
from tests.factories.runs import add_runs


@pytest.fixture
def opened(board: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page on the mini corpus of reviews, with two measured runs."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    monkeypatch.setenv(VARIABLE, TOKEN)
    monkeypatch.setattr(visitor, "client", lambda: "a test")  # there is no network here that could tell
    add_runs(board, 0.74, 0.61, seed=0)
    return open_page(task=MINI)


def open_page(**query: str) -> AppTest:
    """Open the page by its address."""
    return visit("submit", **query)


def field(app: AppTest, name: str) -> Any:
    """The field of a form or of a row, such as ``form_model``; a number follows in the key of one that was filled."""
    fields = [*app.text_input, *app.text_area, *app.selectbox]
    (widget,) = (each for each in fields if str(each.key).split(" ")[0] == f"submit_{name}")
    return widget


def hand_in(app: AppTest) -> AppTest:
    return app.button(key="submit_hand_in").click().run()


def link_secret(app: AppTest) -> str:
    return app.code[0].value.partition("secret=")[2]


def bring(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return (
        app.file_uploader(key="submit_up_files_0")
        .set_value([(name, content, "text/plain") for name, content in files])
        .run()
    )


def warnings(app: AppTest) -> list[str]:
    return [element.value for element in app.warning]
