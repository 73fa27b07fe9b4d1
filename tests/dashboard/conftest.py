"""What pages cost in tests and not in a served board."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from db.storage.store import Store
from tests.dashboard.page_driver import Look, open_page


@pytest.fixture(scope="session", autouse=True)
def _scans_packages_once() -> Iterator[None]:
    """Look for Streamlit components in the installed packages once: each opened page would, for half of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def look(board: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Open a page on the board."""
    return lambda page, /, **query: open_page(page, board, monkeypatch, **query)
