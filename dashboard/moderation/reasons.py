"""A reason in the moderator's words, which may start from a common one."""

import streamlit as st

from dashboard.ui import formatting, text

LONGEST = 1000
"""As ``db.submissions`` takes it."""


def _key(name: str) -> str:
    return f"moderator reason {name}"


def written(name: str) -> str:
    """What is written now; for callbacks, which begin before anything is drawn."""
    return str(st.session_state.get(_key(name)) or "")


def ask(name: str, *, needed: bool = True) -> str:
    """Draw the fields of a reason and give what is written.

    Args:
        name: Of what it is for: another one has fields of its own.
        needed: A rejection needs one, and common ones are offered.
    """
    key = _key(name)

    def take() -> None:
        chosen = st.session_state.get(f"{key} from")
        if isinstance(chosen, int):
            st.session_state[key] = text.MODERATE_REASONS[chosen]

    if needed:
        st.selectbox(
            text.MODERATE_REASONS_FROM,
            range(len(text.MODERATE_REASONS)),
            index=None,
            key=f"{key} from",
            on_change=take,
            format_func=lambda number: formatting.cut(text.MODERATE_REASONS[number], 90),
            placeholder=text.MODERATE_REASONS_FROM,
            label_visibility="collapsed",
        )
    label = text.MODERATE_REASON if needed else text.MODERATE_REASON_OPTIONAL
    return st.text_area(label, key=key, max_chars=LONGEST, height=120) or ""
