"""The playground: the models of the board answer in the browser."""

import streamlit as st

from dashboard.playground import batch, classification, engine_bridge, history, questions, speed, state
from dashboard.ui import text
from dashboard.ui.markdown import guarded

_TABS = {
    "qa": questions.draw,
    "sentiment": classification.sentiment,
    "nli": classification.inference,
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
        text.TRY_TAB,
        list(_TABS),
        key="pg_tab",
        required=True,
        label_visibility="collapsed",
        format_func=lambda code: text.TRY_TABS[code],
        persist_state="session",
        on_change=_clear,
    )
    tab = str(chosen or "qa")
    st.session_state["pg_tab_link"] = tab if tab != "qa" else None
    return tab


def _clear() -> None:
    """Another tab has an address of its own; what it shows is in the session."""
    tab = st.session_state["pg_tab"]
    state.put({} if tab == "qa" else {state.TAB: tab})


def _without() -> None:
    st.write(text.TRY_WITHOUT)
    st.code('pip install -e ".[engine,offline]"', language="bash")
    st.caption(text.TRY_WITHOUT_HOW)


def page() -> None:
    """Draw the page."""
    st.title(text.PLAYGROUND)
    if engine_bridge.missing():
        _without()
        return
    st.markdown(text.TRY_LEAD)
    with guarded():
        _TABS[_tab()]()
        history.draw()


page()
