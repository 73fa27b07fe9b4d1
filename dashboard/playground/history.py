"""The questions of this visit: to be opened again, and as a file."""

from typing import Any

import streamlit as st

from dashboard.playground import answers as said
from dashboard.playground import state
from dashboard.playground.answers import Entry
from dashboard.playground.attribution import TRY_LABELS
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain

TRY_TABS = {
    "qa": N_("Questions"),
    "sentiment": N_("Sentiment"),
    "nli": N_("Inference"),
    "batch": N_("Many questions"),
    "lab": N_("Speed lab"),
}

_SHOWN = 20


def draw() -> None:
    """Draw it; nothing before the first question."""
    entries = said.history()
    if not entries:
        return
    with st.expander(_("This visit: {n} asked").format(n=len(entries)), icon=":material/history:"):
        for place, entry in enumerate(entries[:_SHOWN]):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.button(
                    _("Open again"), key=f"pg_again_{place}", icon=":material/replay:", on_click=_again, args=(entry,)
                )
                answers = ", ".join(_short(one) for one in entry.answers)
                st.caption(plain(f"{_(TRY_TABS[entry.reads])}: {entry.texts[0][:100]} → {answers}"))
        st.download_button(
            _("Save as JSON"),
            lambda: said.as_json(entries),
            "playground.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )


def _short(answer: dict[str, Any]) -> str:
    if "label" in answer:
        return _(TRY_LABELS[answer["label"]])
    return str(answer.get("answer") or _("No answer in this text"))[:60]


def _again(entry: Entry) -> None:
    # The address is of the tab that is open; one that says nothing of texts leaves them to the session.
    st.session_state["pg_tab"] = entry.reads
    state.put({} if entry.reads == "qa" else {state.TAB: entry.reads})
    state.pose(entry.reads, entry.texts)
