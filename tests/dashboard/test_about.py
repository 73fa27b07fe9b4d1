"""The page About: who and what the board is, what its words mean, and no folder of the server on any page."""

from importlib import metadata

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.labels import TERMS
from db.registry.metrics import METRICS
from db.storage.store import Store
from tests.dashboard.page_driver import open_page
from tests.factories.runs import add_runs

PAGES = ("overview", "leaderboard", "tradeoffs", "compare", "submit", "run", "model", "devices", "about", "changes")


def _plain(table: pd.DataFrame) -> list[list[str]]:
    return table.map(lambda cell: str(cell).replace("\\", "")).to_numpy().tolist()


def _definitions(app: AppTest) -> list[str]:
    lines = "\n".join(text.value for text in app.markdown).replace("\\", "").splitlines()
    return [line.removeprefix("| **").partition("**")[0] for line in lines if line.startswith("| **")]


def test_about_names_version_licence_and_contact(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEATHERBOARD_CONTACT", "board@example.org")
    app = open_page("about", board, monkeypatch)
    facts = {row[0]: row[1] for row in _plain(app.table[0].value)}
    assert facts["Version"] == f"Featherboard {metadata.version('featherboard')}"
    assert facts["Licence"].startswith("Apache-2.0;")
    assert facts["Contact"].endswith("](mailto:board@example.org)")
    assert "  title        = {{Featherboard" in app.code[0].value


@pytest.mark.parametrize(
    ("contact", "shown"), [("", "This server names no contact."), ("[x](y) room 3", "[x](y) room 3")]
)
def test_a_contact_that_is_no_address_is_text(
    board: Store, monkeypatch: pytest.MonkeyPatch, contact: str, shown: str
) -> None:
    monkeypatch.setenv("FEATHERBOARD_CONTACT", contact)
    assert ["Contact", shown] in _plain(open_page("about", board, monkeypatch).table[0].value)


def test_every_term_and_metric_is_defined_and_can_be_searched(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page("about", board, monkeypatch)
    assert len(_definitions(app)) == len(TERMS) + len(METRICS)
    assert "Rank and tie" in _definitions(app)
    app.text_input(key="term").set_value("mcnemar exact").run()
    assert _definitions(app) == ["Paired test"]
    app.text_input(key="term").set_value("no such words").run()
    assert not _definitions(app)
    assert any("No definition" in text.value for text in app.markdown)


def test_a_link_can_name_a_term(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Pareto frontier" in _definitions(open_page("about", board, monkeypatch, term="pareto"))


@pytest.mark.parametrize("page", PAGES)
def test_no_page_names_a_folder_of_the_server(board: Store, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """Where the database lies is nothing for visitors."""
    runs = add_runs(board, 0.6, 0.7)
    query = {"run": {"run": runs[0]}, "compare": {"runs": ",".join(runs)}}
    app = open_page(page, board, monkeypatch, **query.get(page, {"name": "KoBiLSTM-Tiny"} if page == "model" else {}))
    shown = "\n".join(str(element.proto) for element in app.main if hasattr(element, "proto"))
    assert len(shown) > 1000
    assert str(board.path.parent) not in shown
