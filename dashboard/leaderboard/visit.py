"""One visit to the leaderboard: its view in the session, in the address, and in the widgets that change it.

The view is what counts. Widgets are set from it before they are drawn and change it when they are used; the address is
written from it, and read where it is new: a link that was opened, or the browser's way back.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.leaderboard import view_state
from dashboard.leaderboard.view_state import View
from dashboard.ui import url_state

ALWAYS_DRAWN = "area"
"""A widget that is on the page whatever is shown: Streamlit forgets its state on every other page."""

_VIEW, _WRITTEN, _CHANGED = "board_view", "board_written", "board_changed"


def current() -> View:
    """Return the view of this visit."""
    view = st.session_state.get(_VIEW)
    return view if isinstance(view, View) else View()


def show(view: View) -> None:
    """Show another view; for callbacks."""
    st.session_state[_VIEW] = view
    # A click can be faster than the address that the one before it wrote: what it asks for counts, not the address.
    st.session_state[_CHANGED] = True


def change(**parts: Any) -> None:
    """Change parts of the view; for callbacks. Other rows start at their first page."""
    if not parts.keys() <= {"more", "less", "opened", "page"}:
        parts["page"] = 1
    show(current().changed(**parts))


def settle(tasks: Sequence[str]) -> View:
    """The view to draw, taken from the address where that is new. Called before any widget is drawn.

    An address need not name the first of the tasks.
    """
    link = url_state.read_all(view_state.CODES)
    view, changed = st.session_state.get(_VIEW), st.session_state.pop(_CHANGED, False)
    if not isinstance(view, View) or not (changed or _is_known(link, view, tasks[0])):
        view = view_state.parse(link)
    if view.task == tasks[0] or view.task not in tasks:
        view = replace(view, task="")
    st.session_state[_VIEW] = view
    return view


def _is_known(link: dict[str, list[str]], view: View, first: str) -> bool:
    """Whether the address says nothing new: we wrote it, or the visitor comes back from another page.

    The way back names the board at most; the visitor left it with filters and finds it with them.
    """
    arriving = ALWAYS_DRAWN not in st.session_state
    return link == st.session_state.get(_WRITTEN) or (arriving and link in ({}, {"task": [view.task or first]}))


def write(view: View) -> None:
    """Write the view into the address. Called once all is drawn."""
    st.session_state[_VIEW] = view
    address = view_state.encode(view)
    url_state.write_all(address)
    st.session_state[_WRITTEN] = address
