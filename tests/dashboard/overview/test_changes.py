"""The page of changes as a visitor uses it, and the badge of a model's page, driven without a browser."""

import pytest

from db.storage.store import Store
from tests.dashboard.overview.test_page import markup
from tests.dashboard.page_driver import open_page, words_of
from tests.factories.runs import add_twin


@pytest.mark.parametrize(("language", "best"), [("en", "New best"), ("ko", "최고 경신")])
def test_a_new_best_run_is_listed_first(board: Store, monkeypatch, language: str, best: str) -> None:
    """With what was the best before, linked to its run and its board."""
    add_twin(board, accuracy=0.70, distilled=False, task_id="nsmc", split="test")
    add_twin(board, accuracy=0.75, distilled=True, task_id="nsmc", split="test")
    app = open_page("changes", board, monkeypatch, lang=language)
    html = markup(app)
    first, second = html.split("<li>")[1:3]
    assert best in first
    assert "75.00%" in first
    assert "70.00%" in first
    assert "run?run=" in first
    assert "leaderboard?task=nsmc" in first
    assert best not in second


def test_a_board_without_changes_says_so(board: Store, monkeypatch) -> None:
    """Runs that came with the package are counted."""
    app = open_page("changes", board, monkeypatch)
    assert "Nothing changed yet." in markup(app)
    assert "came with Featherboard" in markup(app)


def test_a_model_offers_its_badge(board: Store, monkeypatch) -> None:
    """Markdown and HTML with the service's address and the page's."""
    add_twin(board, accuracy=0.75, distilled=True, task_id="nsmc", split="test")
    app = open_page("model", board, monkeypatch, name="DistilKoBiLSTM-16")
    assert "[![NSMC 75.00 ±" in words_of(app)
    assert ":8600/v1/badges/nsmc/DistilKoBiLSTM-16.svg" in words_of(app)
