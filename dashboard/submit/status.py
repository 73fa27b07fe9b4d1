"""What became of a submission, for whoever has its link; and the means to take it back."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.markup import templates
from dashboard.submit.form_state import PREFIX
from dashboard.submit.receipt import SUBMIT_BUSY, SUBMIT_REFUSED
from dashboard.ui import cache, task_names
from dashboard.ui.i18n import N_, NP_, _, ngettext, pgettext
from dashboard.ui.markdown import page_link, plain
from dashboard.ui.messages import error_text
from db import submissions
from db.base.errors import ModerationError, NotFoundError, StoreBusyError, SubmissionError
from db.submissions import Status
from db.submissions.review import MAX_REASON

SUBMIT_STATES = {
    "waiting": (NP_("submit status", "Waiting"), N_("A moderator has not decided yet."), ":material/schedule:"),
    "accepted": (N_("On the board"), N_("A moderator let it onto the board."), ":material/check_circle:"),
    "rejected": (N_("Not taken"), N_("A moderator rejected it. You may submit a corrected row."), ":material/block:"),
    "merged": (N_("Merged"), N_("Merged into another row."), ":material/merge:"),
    "withdrawn": (
        NP_("submit status", "Withdrawn"),
        N_("It was taken back and is not on the board."),
        ":material/undo:",
    ),
}
"""What a state is called, what it means, and its icon."""

_OPEN = ("waiting", "accepted")
_SINGLE = 8
"""So many rows are told one by one; more are a table."""

_CHOSEN, _SURE, _WHY, _DONE = (f"{PREFIX}{name}" for name in ("withdraw", "sure", "why", "withdrawn"))


def draw(secret: str) -> None:
    """Draw the state of what the secret of a receipt belongs to."""
    try:
        rows = submissions.status(cache.store(), secret)
    except NotFoundError:
        st.subheader(_("This link belongs to no submission."), anchor=False)
        st.write(_("Look whether all of it was copied. A submission on another board opens there alone."))
        page_link("submit", _("To the form"))
        return
    counts = [
        f"{_(name)}: {sum(row.state == state for row in rows)}"
        for state, (name, *_unused) in SUBMIT_STATES.items()
        if any(row.state == state for row in rows)
    ]
    when = _("Submitted {when} UTC.").format(when=f"{rows[0].created_at:%Y-%m-%d %H:%M}")
    summary = f"{ngettext('{n} row', '{n} rows', len(rows))}. {', '.join(counts)}. " if len(rows) > 1 else ""
    st.markdown(summary + when)
    if st.session_state.pop(_DONE, None):
        st.markdown(f":material/undo: {_('Withdrawn.')}")
    if len(rows) <= _SINGLE:
        for row in rows:
            _row(row)
    else:
        _table(rows)
    _take_back(secret, [row for row in rows if row.state in _OPEN])
    st.caption(
        _(
            "The address of this page is your private link: keep it, and share it only with people "
            "who may withdraw the submission."
        )
    )
    with st.container(horizontal=True):
        st.button(_("Refresh"), key=f"{PREFIX}again", icon=":material/refresh:")
        st.button(_("Submit another run"), key=f"{PREFIX}another", icon=":material/add:", on_click=_leave)


def _leave() -> None:
    st.query_params.pop("secret", None)


def _row(row: Status) -> None:
    with st.container(border=True, gap="xsmall", key=f"{PREFIX}state_{row.position}"):
        st.markdown(f"**{plain(row.model)}** · {task_names.name(row.task)}")
        when = f" · {row.decided_at:%Y-%m-%d %H:%M} UTC" if row.decided_at else ""
        name, meaning, icon = SUBMIT_STATES[row.state]
        st.markdown(f"{icon} **{_(name)}**{when}")
        st.markdown(_(meaning))
        if row.reason:
            st.markdown(pgettext("submit reason", "Reason: {reason}").format(reason=plain(row.reason)))
        if row.run_id and row.state in ("accepted", "merged"):
            page_link("run", _("Open the run"), run=row.run_id)


def _table(rows: Sequence[Status]) -> None:
    run = pgettext("submit state columns", "Run")
    table = pd.DataFrame(
        {
            _("Row"): [row.position for row in rows],
            _("Model"): [row.model for row in rows],
            _("Task"): [task_names.name(row.task) for row in rows],
            _("State"): [_(SUBMIT_STATES[row.state][0]) for row in rows],
            pgettext("submit state columns", "Reason"): [row.reason for row in rows],
            run: [
                templates.link("run", run=row.run_id) if row.run_id and row.state in ("accepted", "merged") else None
                for row in rows
            ],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        height=min(420, 36 * (len(rows) + 1) + 3),
        column_config={run: st.column_config.LinkColumn(run, display_text=_("Open the run"))},
    )


def _take_back(secret: str, rows: Sequence[Status]) -> None:
    if not rows:
        return
    names = {row.submission_id: f"{row.position}: {' '.join(row.model.split())[:60]}" for row in rows}
    with st.expander(_("Withdraw"), icon=":material/undo:"):
        st.write(_("A withdrawn row leaves the queue or the board. It cannot be restored; submit it again if needed."))
        chosen = list(names)
        if len(rows) > 1:
            chosen = st.multiselect(
                _("Rows to withdraw"),
                list(names),
                key=_CHOSEN,
                format_func=lambda number: names[number],
                placeholder=_("None"),
            )
        reason = st.text_input(_("Reason (it may be read on the board)"), key=_WHY, max_chars=MAX_REASON)
        sure = st.checkbox(_("Yes, withdraw it"), key=_SURE)
        pressed = st.button(
            _("Withdraw"), key=f"{PREFIX}withdraw_do", icon=":material/undo:", disabled=not (sure and chosen)
        )
        if pressed and sure:
            _withdraw(secret, chosen, str(reason or ""))


def _withdraw(secret: str, chosen: Sequence[str], reason: str) -> None:
    try:
        for submission_id in chosen:
            submissions.withdraw(cache.store(), submission_id, secret=secret, reason=reason)
    except StoreBusyError:
        st.warning(_(SUBMIT_BUSY), icon=":material/hourglass:")
        return
    except (ModerationError, NotFoundError, SubmissionError) as error:
        st.warning(f"{_(SUBMIT_REFUSED)} {plain(error_text(error))}", icon=":material/error:")
        return
    for key in (_CHOSEN, _SURE, _WHY):
        st.session_state.pop(key, None)
    st.session_state[_DONE] = True
    st.rerun()
