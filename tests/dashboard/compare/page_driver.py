"""Opens the page Compare without a browser, and reads it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from db.storage.store import Store
from tests.dashboard.test_pages import APP, _words

Look = Callable[..., AppTest]
"""Opens the page on a board; every name may stand in an address."""


def opened(store: Store, monkeypatch: pytest.MonkeyPatch, view: str, query: dict[str, str]) -> AppTest:
    """Open a page on a board."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    app = AppTest.from_file(str(APP), default_timeout=300).switch_page(f"views/{view}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def plainly(app: AppTest) -> str:
    """The words of a page without the signs that keep them from being Markdown."""
    return _words(app).replace("\\", "")


def address_of(app: AppTest, name: str) -> str | None:
    """What the address says of something."""
    value = app.query_params.get(name)
    return value[0] if isinstance(value, list) else value
