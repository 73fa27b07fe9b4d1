"""Markup that the pages and the published site share: jinja2 with every text from outside escaped."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dashboard.ui.i18n import current_language

_FOLDER = Path(__file__).parent.parent / "templates"
_ASSETS = Path(__file__).parent.parent / "assets"
Link = Callable[..., str]
"""Makes the address of a page from its name and its query."""

_PAGES = ("leaderboard", "run", "model", "compare", "playground")


@cache
def environment() -> Environment:
    """Return the templates."""
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(name: str, **values: Any) -> Markup:
    """Fill in a template of the folder ``templates``."""
    return Markup(environment().get_template(f"{name}.html").render(**values))  # noqa: S704 - escaped by the template


def css() -> str:
    """Return the style of the markup."""
    return (_ASSETS / "markup.css").read_text("utf-8")


def component(name: str, files: str, root: str) -> Any:
    """Make a component of the pages from a style and a script of the folder ``assets``, in an element of some id."""
    return st.components.v2.component(
        f"featherboard.{name}",
        html=f'<div id="{root}"></div>',
        css=(_ASSETS / f"{files}.css").read_text("utf-8"),
        js=(_ASSETS / f"{files}.js").read_text("utf-8"),
    )


_COMPONENT = st.components.v2.component(
    "featherboard.markup",
    html='<div id="markup"></div>',
    css=css(),
    js="".join((_ASSETS / name).read_text("utf-8") for name in ("sortable.js", "markup.js")),
)


def link(page: str, **query: str) -> str:
    """Return the address of a page of the board in the visitor's language."""
    values = {**query, **({"lang": st.query_params["lang"]} if "lang" in st.query_params else {})}
    return ("" if page == "overview" else page) + (f"?{urlencode(values)}" if values else "")


def mount(key: str, html: Markup) -> None:
    """Draw markup on a page; a click on a link to a page of the board opens it without loading the app again."""

    def visit() -> None:
        st.session_state["markup_visit"] = st.session_state[key].get("visit") if key in st.session_state else None

    _COMPONENT(key=key, data={"html": str(html), "lang": current_language()}, on_visit_change=visit)


def leave() -> None:
    """Open the page that a click in markup asked for. Called at the beginning of a page."""
    clicked = st.session_state.pop("markup_visit", None)
    if isinstance(clicked, dict) and clicked.get("page") in _PAGES:
        query = {str(name): str(value) for name, value in dict(clicked.get("query") or {}).items()}
        st.switch_page(f"views/{clicked['page']}.py", query_params=query)
