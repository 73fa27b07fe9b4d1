"""Small parts that the pages share: text from outside, links, tables, figures, errors, empty states."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.messages import error_text
from dashboard.ui.theme import ICONS
from db.base.errors import FeatherboardError, NotFoundError, StoreMissingError
from db.registry.citations import resolve

T = TypeVar("T")

STORE_ERRORS = {
    "StoreBusyError": N_("Another program is writing to it. Nothing is lost; it is usually free again within seconds."),
    "StoreVersionError": N_("It was made by another version of Featherboard. It was left as it is."),
    "StoreDamagedError": N_("The file is damaged, or it is no database. It was left as it is."),
    "FeatherboardError": N_("Nothing was changed."),
}

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")


# Addresses become links by themselves, whatever is escaped in them; an unseen sign in their beginning ends that.
_ADDRESS = re.compile(r"(?i)(?<=https)(?=:)|(?<=http)(?=:)|(?<=www)(?=\.)|(?=@)")
_JOINER = "\u2060"
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+")
_PAGE = re.compile(r"https?://[^\s()<>\[\]]+")


def plain(words: object) -> str:
    """Text from outside as Markdown that shows exactly its characters, in one line; an address in it is no link.

    An error is worded in the visitor's language, without the folders of the server.
    """
    text = error_text(words) if isinstance(words, Exception) else str(words)
    return _MARKDOWN.sub(r"\\\1", _ADDRESS.sub(_JOINER, " ".join(text.split())))


def linked(address: str) -> str:
    """An address of a page or of mail, from the operator of the server, as a link; another text as it is."""
    if _MAIL.fullmatch(address):
        return f"[{plain(address)}](mailto:{address})"
    return f"[{plain(address)}]({address})" if _PAGE.fullmatch(address) else plain(address)


def cited_title(stored: str) -> str:
    """The title of what a run cites, as text."""
    cited = resolve(stored)
    if cited.quoted_in is None:
        return cited.title
    return _("{title}, as quoted in: {document}").format(title=cited.title, document=cited.quoted_in)


def cited(stored: str) -> str:
    """The title of what a run cites, a link where it is published."""
    link = resolve(stored).link
    return f"[{plain(cited_title(stored))}]({link})" if link else plain(cited_title(stored))


def dark() -> bool:
    """Whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"


def ink() -> str:
    """The theme's text colour, for figures that choose their own."""
    return "#ECEAE4" if dark() else "#1C1B19"


def paper() -> str:
    """The theme's background, for figures that are saved: transparent ones cannot be read on another background."""
    return "#141413" if dark() else "#FCFBF8"


def touched() -> bool:
    """Whether the visitor has a telephone, where a finger on a figure wants to scroll the page."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def page_link(page: str, label: str, *, icon: str = "", explanation: str | None = None, **query: object) -> None:
    """Draw a link to a page, with a label of Markdown and the icon of that page."""
    address = {name: str(value) for name, value in query.items()}
    st.page_link(
        f"views/{page}.py", label=label, icon=icon or ICONS[page], help=explanation, query_params=address or None
    )


def table(rows: Any, alt: str | None = None, *, heads: bool = True) -> None:
    """Draw a small table of Markdown; without ``heads`` its rows are facts, each a label and a value."""
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, hide_header=None if heads else True, alt=alt)


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """Draw a figure without Plotly's tools; ``alt`` says what it shows."""
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)


def two_a_row(things: Sequence[T], *, whole: bool = False) -> Iterator[tuple[DeltaGenerator, T]]:
    """Pair each thing with a place, two places a row; on a telephone they keep their order.

    With ``whole`` a single thing has the whole width.
    """
    for begin in range(0, len(things), 2):
        columns = st.columns(1 if whole and len(things) == 1 else 2, gap="medium")
        yield from zip(columns, things[begin : begin + 2], strict=False)


def no_runs() -> None:
    """Say of a board without runs what fills it."""
    st.subheader(_("No run of this task yet."), anchor=False)
    st.write(
        _(
            "Runs come from training a recipe here, or from a bundle that another installation "
            "exported. To list the recipes, and to import a bundle:"
        )
    )
    st.code("featherboard list recipes\nfeatherboard db import BUNDLE.zip", language="bash")


@contextmanager
def guarded() -> Iterator[None]:
    """Show errors of the store as a person needs them: what happened, what is safe, what to do."""
    try:
        yield
    except StoreMissingError:
        st.subheader(_("There is no database yet."))
        st.write(_("This command makes one, with every reported result:"))
        st.code("featherboard db init", language="bash")
        st.stop()
    except NotFoundError as error:
        st.subheader(_("There is no run or board like this here."), anchor=False)
        st.write(_("It may belong to another database. The leaderboard lists what is here."))
        st.caption(plain(error))
        st.stop()
    except FeatherboardError as error:
        st.subheader(_("The database cannot be read just now."), anchor=False)
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in translated(STORE_ERRORS)]
        st.write(_(STORE_ERRORS[kinds[0]]))
        st.caption(plain(error))
        st.button(_("Try again"), icon=":material/refresh:")
        st.stop()
