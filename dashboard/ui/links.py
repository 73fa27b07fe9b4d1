"""State of a page in its address: options whose address value is a stable code, and not a label in some language."""

from collections.abc import Callable
from typing import Any

import streamlit as st


def follow(key: str, read: Callable[[str], Any], default: Any) -> None:
    """Give a widget its value before it is drawn: that of a new link, else what it had, else the address's.

    A link counts once, when it is new; after that the visitor's own choice does, also after the browser's way back. A
    widget that was not drawn for a while has lost its value, and the address kept it.

    Args:
        key: Of the widget and of the address.
        read: Turns the address's text into a value; None where it has none.
        default: Where nothing says anything.
    """
    link = st.query_params.get(key)
    if link is not None and (link != st.session_state.get(f"{key} link") or key not in st.session_state):
        value = read(link)
        st.session_state[key] = default if value is None else value
    elif key not in st.session_state:
        st.session_state[key] = default


def keep(key: str, written: str | None) -> None:
    """Write a widget's value into the address after it was drawn; None for the one that the plain address means."""
    st.session_state[f"{key} link"] = written
    if written is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != written:
        st.query_params[key] = written


def one_of(options: Any) -> Callable[[str], str | None]:
    """A reader of one code out of some."""
    return lambda link: link if link in options else None


def some_of(options: Any) -> Callable[[str], list[str] | None]:
    """A reader of several codes, parted by commas; None where none of them is known."""
    return lambda link: [code for code in link.split(",") if code in options] or None
