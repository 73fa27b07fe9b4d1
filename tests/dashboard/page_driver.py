"""Opens pages of the board without a browser, and reads them."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from db.storage.store import Store
from tests.paths import APP

Look = Callable[..., AppTest]
"""Opens a page on a board; every name may stand in an address."""


def open_page(page: str, store: Store, monkeypatch: pytest.MonkeyPatch, /, **query: str) -> AppTest:
    """Open a page on a board."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    return visit(page, **query)


def visit(page: str, /, **query: str) -> AppTest:
    """Open a page by its address. No page may fail, whatever it has to show."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    if page != "overview":  # which is where one arrives
        app.switch_page(f"views/{page}.py")
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def words_of(app: AppTest) -> str:
    """The words of a page as Markdown."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.warning, app.info, app.code)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def plainly(app: AppTest) -> str:
    """The words of a page without the signs that keep them from being Markdown."""
    return words_of(app).replace("\\", "")


def markup(app: AppTest) -> str:
    """All markup that the components of a page draw."""
    values: list[dict[str, Any]] = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return "\n".join(value["html"] for value in values if "html" in value)


def cards(app: AppTest) -> list[tuple[str, str, str]]:
    """The cards of a page: what the figure is, the figure, what it belongs to."""
    texts = re.findall(r'<span class="(?:kind|figure|fact)">([^<]*)</span>', markup(app))
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True))


def headings(app: AppTest) -> list[str]:
    """The headings of the parts of a page."""
    return [heading.value for heading in app.subheader]


def address(app: AppTest) -> dict[str, str]:
    """The address of a page: the first value of each name."""
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def address_of(app: AppTest, name: str) -> str | None:
    """What the address says of something."""
    return address(app).get(name)
