"""The fourth step: handing in, and the receipt, whose link is said once."""

from collections.abc import Sequence

import streamlit as st

from dashboard.markup import templates
from dashboard.submit import browser_draft, fields, validation
from dashboard.submit.form_state import PREFIX
from dashboard.submit.validation import Row
from dashboard.ui import cache, formatting, visitor
from dashboard.ui.i18n import N_, _, ngettext, pgettext
from dashboard.ui.markdown import plain
from dashboard.ui.messages import error_text, sentence
from db import submissions
from db.base.errors import LimitError, StoreBusyError, SubmissionError
from db.submissions import Gathered, Limits, Receipt, limits

SUBMIT_BUSY = N_(
    "The database is in use for a moment. Nothing was changed, and what you typed is still here: try again."
)
SUBMIT_REFUSED = N_("This was not taken; what you typed is still here.")

_RECEIPT = f"{PREFIX}receipt"
_NAMED = 8
"""Fields that are named beside the button; the rest is counted."""


def draw(
    rows: Sequence[Row],
    gathered: Gathered,
    names: Sequence[str],
    trouble: str,
    unread: Sequence[str],
    *,
    blocked: bool = False,
) -> None:
    """Draw the button, what is still wrong, and the limits.

    Without the files that cannot be taken together (``trouble``) nothing is handed in unnoticed. Files ``unread`` are
    named; the button is ``blocked`` while cells of a file are open or cannot be used.
    """
    st.markdown(_("A moderator reviews it. You get a private link to its status."))
    if unread:
        st.warning(
            _("Not part of it, since they were not read: {names}.").format(names=plain(", ".join(unread))),
            icon=":material/error:",
        )
    pressed = st.button(
        pgettext("submit hand in", "Submit") if len(rows) == 1 else _("Submit {n} rows").format(n=f"{len(rows):,}"),
        key=f"{PREFIX}hand_in",
        icon=":material/send:",
        type="primary",
        disabled=not rows or blocked,
    )
    if blocked:
        st.caption(_("The button opens once the questions above are answered and the cells are corrected."))
    st.caption(_limits(limits.from_environment()))
    if pressed and not st.session_state.get(fields.TRIED):
        st.session_state[fields.TRIED] = True
        if any(row.wrong for row in rows):
            st.rerun()  # so that every field says what is wrong with it
    if trouble:
        st.warning(
            _("Your files do not belong together: remove one above. Nothing was submitted."), icon=":material/error:"
        )
    elif any(row.wrong for row in rows):
        if st.session_state.get(fields.TRIED):
            _missing(rows)
    elif pressed:
        _send(rows, gathered, names)


def _limits(limited_by: Limits) -> str:
    limits = [
        ngettext("{n} submission in an hour", "{n} submissions in an hour", limited_by.per_hour)
        if limited_by.per_hour
        else "",
        ngettext("{n} row in a day", "{n} rows in a day", limited_by.rows_per_day) if limited_by.rows_per_day else "",
    ]
    stated = [limit for limit in limits if limit]
    return (
        _("Limit per sender: {limits}. Many rows in one file count as one submission.").format(
            limits=formatting.listed(stated)
        )
        if stated
        else _("Many rows are one submission if they come in one file.")
    )


def _missing(rows: Sequence[Row]) -> None:
    if len(rows) == 1:
        named = [validation.label(field) for field in rows[0].wrong]
    else:
        named = [_("Row {n}").format(n=row.number) for row in rows if row.wrong]
    more = len(named) - _NAMED
    shown = ", ".join(plain(name) for name in named[:_NAMED]) + (f" +{more}" if more > 0 else "")
    st.warning(_("Fix these first: {fields}.").format(fields=shown), icon=":material/error:")


def _send(rows: Sequence[Row], gathered: Gathered, names: Sequence[str]) -> None:
    try:
        receipt = submissions.submit(
            cache.store(),
            [row.draft for row in rows],
            predictions=gathered.predictions,
            curves=gathered.curves,
            client=visitor.client(),
            via="form",
            filename=", ".join(names)[:255],
        )
    except StoreBusyError:
        st.warning(_(SUBMIT_BUSY), icon=":material/hourglass:")
        return
    except SubmissionError as error:
        message = (
            _("This is too much for now; what you typed is still here.")
            if isinstance(error, LimitError)
            else _(SUBMIT_REFUSED)
        )
        st.warning(f"{message} {plain(error_text(error))}", icon=":material/error:")
        return
    if receipt.problems:
        for problem in receipt.problems[:_NAMED]:
            row = rows[problem.draft - 1].number if problem.draft else 0
            named = f"{_('Row {n}').format(n=row)}, " if row and len(rows) > 1 else ""
            message = f"{named}{validation.label(problem.field)}: {sentence(problem)}"
            st.warning(plain(message), icon=":material/error:")
        return
    browser_draft.clear()
    st.session_state[_RECEIPT] = receipt
    st.rerun()


def link(secret: str) -> str:
    """The private link of a receipt."""
    return f"{(st.context.url or '').split('?')[0]}{templates.link('', secret=secret)}"


def receipt() -> bool:
    """Draw the receipt of what was just handed in; False where nothing was."""
    receipt: Receipt | None = st.session_state.get(_RECEIPT)
    if receipt is None:
        return False
    st.subheader(_("Submitted"), anchor=False)
    st.markdown(
        ngettext("Your row waits for a moderator.", "Your {n} rows wait for a moderator.", len(receipt.submissions))
    )
    st.markdown(f"**{_('Your private link')}**")
    st.code(link(receipt.secret), language=None, wrap_lines=True)
    st.warning(
        _(
            "It is shown only once and cannot be sent again: copy it now. Anyone who has it can see "
            "the state of your submission and withdraw it."
        ),
        icon=":material/key:",
    )
    with st.container(horizontal=True):
        if st.button(_("Open it"), key=f"{PREFIX}see", icon=":material/visibility:"):
            del st.session_state[_RECEIPT]
            st.query_params["secret"] = receipt.secret
            st.rerun()
        st.button(_("Submit another run"), key=f"{PREFIX}another", icon=":material/add:", on_click=_another)
    return True


def _another() -> None:
    st.session_state.pop(_RECEIPT, None)
