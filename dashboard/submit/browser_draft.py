"""The draft in the visitor's browser: it survives a reload there, and the server never keeps it."""

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.submit import form_state
from dashboard.submit.form_state import FORM, PREFIX, FormState
from dashboard.ui.i18n import _

_ASSETS = Path(__file__).parent.parent / "assets"
_COMPONENT = st.components.v2.component("featherboard.draft", js=(_ASSETS / "draft.js").read_text("utf-8"))

_KEY = f"{PREFIX}kept"
_ANSWERED = f"{PREFIX}answered"
_AGAIN = f"{PREFIX}restored"
_ROUND = f"{PREFIX}round"


def mount() -> None:
    """Ask the browser for its draft, once a visit; afterwards let it keep what is filled in. Draw this last."""
    first_visit = _ANSWERED not in st.session_state
    data = (
        {"ask": True, "keep": ""} if first_visit else {"ask": False, "keep": form_state.written(FormState(FORM).values)}
    )
    _COMPONENT(key=_KEY, data=data, on_draft_change=_take)


def _take() -> None:
    """Fill what is empty: what was typed meanwhile, or came with a link, stands above the draft."""
    answer: Any = st.session_state[_KEY].get("draft") if _KEY in st.session_state else None
    st.session_state[_ANSWERED] = not isinstance(answer, dict) or bool(answer.get("able"))
    form = FormState(FORM)
    draft = form_state.read(answer.get("told")) if isinstance(answer, dict) else {}
    form.fill({field: value for field, value in draft.items() if not form.values.get(field, "").strip()})
    st.session_state[_AGAIN] = bool(draft)


def tell() -> None:
    """Where the draft is, and the button that clears it."""
    form = FormState(FORM)
    with st.container(horizontal=True, vertical_alignment="center"):
        able = st.session_state.get(_ANSWERED, True)
        again = st.session_state.get(_AGAIN) and form_state.written(form.values)
        message = (
            _("Your draft is here again, as this browser kept it. Files are not kept: add them again.")
            if again
            else _("What you type is kept in this browser until you submit it; files are not.")
            if able
            else _("This browser keeps nothing for this page: after a reload the form is empty.")
        )
        st.caption(message)
        st.button(
            _("Clear the form"),
            key=f"{PREFIX}clear",
            icon=":material/delete:",
            on_click=clear,
            disabled=not form_state.written(form.values) and not st.session_state.get(f"{PREFIX}files"),
        )


def round_() -> int:
    """How often all was cleared: part of the keys of fields that cannot be emptied otherwise, such as files."""
    return int(st.session_state.get(_ROUND, 0))


def clear() -> None:
    """Empty everything; before the fields are drawn, or in a callback."""
    st.query_params.pop("task", None)
    after = round_() + 1
    stays = {_ANSWERED, _KEY, f"{PREFIX}receipt"}
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith(PREFIX) and key not in stays:
            del st.session_state[key]
    st.session_state[_ROUND] = after
