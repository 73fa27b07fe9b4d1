"""The visitor's language: what the address says, else what this visit chose, else what the browser asks for."""

import streamlit as st

NAMES = {"en": "English", "ko": "한국어"}
"""What each language calls itself, by its ISO 639-1 code."""

DEFAULT = "en"
_KEY = "lang"


def current() -> str:
    """The code of the language to draw in."""
    chosen = st.session_state.get(_KEY)
    return chosen if chosen in NAMES else preferred()


def preferred() -> str:
    """What the browser asks for, if it is spoken here."""
    asked = (st.context.locale or "").partition("-")[0].lower()
    return asked if asked in NAMES else DEFAULT


def settle() -> None:
    """Take the language from the address, and write the one that is drawn back into it.

    Called once at the beginning of every run, before any text is read: links between pages leave the address empty, and
    a copied address must open in the language that was seen.
    """
    asked = st.query_params.get(_KEY)
    if asked in NAMES and asked != st.session_state.get("lang_link"):
        st.session_state[_KEY] = asked
    elif st.session_state.get(_KEY) not in NAMES:
        st.session_state[_KEY] = preferred()
    _write()


def switch() -> None:
    """Draw the switch; it sits in the page's head, see ``dashboard.ui.theme``."""
    with st.container(key="language"):
        # Screen readers and the browser's choice of fonts go by it; Streamlit always says English.
        st.html(f"<script>document.documentElement.lang = '{current()}'</script>", unsafe_allow_javascript=True)
        st.segmented_control(
            "Language, 언어",
            list(NAMES),
            key=_KEY,
            format_func=NAMES.__getitem__,
            required=True,
            on_change=_write,
            label_visibility="collapsed",
            persist_state="session",
        )


def _write() -> None:
    chosen = st.session_state[_KEY]
    st.session_state["lang_link"] = chosen
    if chosen == DEFAULT == preferred():  # the plain address says it already
        st.query_params.pop(_KEY, None)
    elif st.query_params.get(_KEY) != chosen:
        st.query_params[_KEY] = chosen
