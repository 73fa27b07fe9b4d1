"""Small parts that the pages share: text from outside, errors, empty states."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dashboard.ui import text
from db.base.errors import FeatherboardError, NotFoundError, StoreMissingError

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")


# Addresses become links by themselves, whatever is escaped in them; an unseen sign in their beginning ends that.
_ADDRESS = re.compile(r"(?i)(?<=https)(?=:)|(?<=http)(?=:)|(?<=www)(?=\.)|(?=@)")
_JOINER = "\u2060"


def plain(words: object) -> str:
    """Text from outside as Markdown that shows exactly its characters, in one line; an address in it is no link."""
    return _MARKDOWN.sub(r"\\\1", _ADDRESS.sub(_JOINER, " ".join(str(words).split())))


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


@contextmanager
def guarded() -> Iterator[None]:
    """Show errors of the store as a person needs them: what happened, what is safe, what to do."""
    try:
        yield
    except StoreMissingError:
        st.subheader(text.NO_DATABASE)
        st.write(text.NO_DATABASE_HOW)
        st.code("featherboard db init", language="bash")
        st.stop()
    except NotFoundError as error:
        st.subheader(text.NOT_FOUND, anchor=False)
        st.write(text.UNKNOWN_RUN_HOW)
        st.caption(plain(error))
        st.stop()
    except FeatherboardError as error:
        st.subheader(text.STORE_TROUBLE, anchor=False)
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in text.STORE_ERRORS]
        st.write(text.STORE_ERRORS[kinds[0]])
        st.caption(plain(error))
        st.button(text.RELOAD, icon=":material/refresh:")
        st.stop()
