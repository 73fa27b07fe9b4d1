"""The questions of this visit: to be opened again, and as a file."""

from typing import Any

import streamlit as st

from dashboard.playground import answers as said
from dashboard.playground import state
from dashboard.playground.answers import Entry
from dashboard.ui import text
from dashboard.ui.markdown import plain

_SHOWN = 20


def draw() -> None:
    """Draw it; nothing before the first question."""
    entries = said.history()
    if not entries:
        return
    with st.expander(text.TRY_HISTORY.format(n=len(entries)), icon=":material/history:"):
        for place, entry in enumerate(entries[:_SHOWN]):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.button(
                    text.TRY_AGAIN, key=f"pg_again_{place}", icon=":material/replay:", on_click=_again, args=(entry,)
                )
                answers = ", ".join(_short(one) for one in entry.answers)
                st.caption(plain(f"{text.TRY_TABS[entry.reads]}: {entry.texts[0][:100]} → {answers}"))
        st.download_button(
            text.TRY_HISTORY_SAVE,
            lambda: said.as_json(entries),
            "playground.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )


def _short(answer: dict[str, Any]) -> str:
    if "label" in answer:
        return text.TRY_LABELS[answer["label"]]
    return str(answer.get("answer") or text.TRY_NO_ANSWER)[:60]


def _again(entry: Entry) -> None:
    # The address is of the tab that is open; one that says nothing of texts leaves them to the session.
    st.session_state["pg_tab"] = entry.reads
    state.put({} if entry.reads == "qa" else {state.TAB: entry.reads})
    state.pose(entry.reads, entry.texts)
