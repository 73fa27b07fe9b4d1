"""Where a moderator is, in the address: the state and the words that are listed, one delivery, the open submission.

Ids are no secrets. The token is never in the address.
"""

from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

OPEN, BATCH, STATE, SEARCH = "open", "batch", "show", "find"
_NOTICES = "moderator notices"
_LONGEST = 200

Kind = Literal["done", "failed"]


@dataclass(frozen=True)
class Notice:
    """What became of something that a moderator did.

    Attributes:
        kind: Whether it was done.
        words: One sentence, as Markdown.
        cause: What the store said, as it said it.
        written: What the moderator had written, which must not be lost.
    """

    kind: Kind
    words: str
    cause: str = ""
    written: str = ""


def opened() -> str:
    """The id of the open submission; empty where the list is looked at."""
    return str(st.query_params.get(OPEN, ""))[:_LONGEST]


def batch() -> str:
    """The id of the delivery that is looked at; empty for all."""
    return str(st.query_params.get(BATCH, ""))[:_LONGEST]


def show(name: str, value: str | None) -> None:
    """Write a part of the address; for callbacks."""
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def button(label: str, key: str, icon: str, value: str | None, *, name: str = OPEN, **more: Any) -> None:
    """Draw a button that opens a submission, or writes another part of the address."""
    st.button(label, icon=icon, key=f"moderator {key}", on_click=show, args=(name, value), **more)


def tell(notice: Notice) -> None:
    """Say something at the head of the page when it is drawn next."""
    st.session_state.setdefault(_NOTICES, []).append(notice)


def take_notices() -> list[Notice]:
    """What is to be said now; it is said once."""
    notices: list[Notice] = st.session_state.pop(_NOTICES, [])
    return notices
