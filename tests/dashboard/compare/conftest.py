"""Fixtures of the page Compare."""

import pytest

from db.storage.store import Store
from tests.dashboard.compare.page_driver import Look, opened


@pytest.fixture
def look(board: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens the page on the board; every name may stand in an address."""
    return lambda view_="compare", /, **query: opened(board, monkeypatch, view_, query)
