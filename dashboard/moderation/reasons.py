"""A reason in the moderator's words, which may start from a common one."""

import streamlit as st

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, translated

MODERATE_REASONS = (
    N_("The predictions do not give the figure that is claimed. Please check both and submit it again."),
    N_("The predictions do not cover the whole split. Please submit one answer for every example."),
    N_("This row is on the board already."),
    N_("The predictions are exactly those of another run."),
    N_("It is not clear what the model is. Please add a link or its architecture."),
    N_("The figure is from another split or another task than the one named."),
    N_("This looks like a test and not like a run."),
)

LONGEST = 1000
"""As ``db.submissions`` takes it."""


def _key(name: str) -> str:
    return f"moderator reason {name}"


def written(name: str) -> str:
    """What is written now; for callbacks, which begin before anything is drawn."""
    return str(st.session_state.get(_key(name)) or "")


def ask(name: str, *, needed: bool = True) -> str:
    """Draw the fields of a reason and give what is written.

    Each name has fields of its own. A rejection needs a reason, and common ones are offered.
    """
    key = _key(name)

    def take() -> None:
        chosen = st.session_state.get(f"{key} from")
        if isinstance(chosen, int):
            st.session_state[key] = _(MODERATE_REASONS[chosen])

    if needed:
        st.selectbox(
            _("Start from a common reason"),
            range(len(translated(MODERATE_REASONS))),
            index=None,
            key=f"{key} from",
            on_change=take,
            format_func=lambda number: formatting.cut(_(MODERATE_REASONS[number]), 90),
            placeholder=_("Start from a common reason"),
            label_visibility="collapsed",
        )
    label = _("Reason, read by its submitter") if needed else _("Reason, read by its submitter (may stay empty)")
    return st.text_area(label, key=key, max_chars=LONGEST, height=120) or ""
