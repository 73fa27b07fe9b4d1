"""The fourth step: handing in, and the receipt, whose link is said once."""

import uuid
from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from dashboard.submit import browser_draft, fields, problems
from dashboard.submit.form_state import PREFIX
from dashboard.submit.validation import Row
from dashboard.ui import cache, phrases, text
from dashboard.ui.markdown import plain
from db import submissions
from db.base.errors import LimitError, StoreBusyError, SubmissionError
from db.submissions import Gathered, Limits, Receipt, limits

_RECEIPT = f"{PREFIX}receipt"
_CLIENT = f"{PREFIX}client"
_NAMED = 8
"""Fields that are named beside the button; the rest is counted."""


def client() -> str:
    """Who hands in, for the limits: the address of the network where it is known, else this visit."""
    address = st.context.ip_address
    if address:
        return address
    return str(st.session_state.setdefault(_CLIENT, f"visit {uuid.uuid4().hex}"))


def draw(rows: Sequence[Row], gathered: Gathered, names: Sequence[str], trouble: str, unread: Sequence[str]) -> None:
    """Draw the button, what is still wrong, and the limits.

    Args:
        rows: What would be handed in.
        gathered: What files say: predictions and curves.
        names: Of the files.
        unread: Files that could not be read.
        trouble: Why files cannot be taken together; nothing is handed in without them unnoticed.
    """
    st.markdown(text.SUBMIT_WAITS)
    if unread:
        st.warning(text.SUBMIT_LEFT.format(names=plain(", ".join(unread))), icon=":material/error:")
    pressed = st.button(
        text.SUBMIT_HAND_IN if len(rows) == 1 else text.SUBMIT_HAND_IN_MANY.format(n=f"{len(rows):,}"),
        key=f"{PREFIX}hand_in",
        icon=":material/send:",
        disabled=not rows,
    )
    st.caption(_told(limits.from_environment()))
    if pressed and not st.session_state.get(fields.TRIED):
        st.session_state[fields.TRIED] = True
        if any(row.wrong for row in rows):
            st.rerun()  # so that every field says what is wrong with it
    if trouble:
        st.warning(text.SUBMIT_FILES_FIRST, icon=":material/error:")
    elif any(row.wrong for row in rows):
        if st.session_state.get(fields.TRIED):
            _missing(rows)
    elif pressed:
        _send(rows, gathered, names)


def _told(limited_by: Limits) -> str:
    told = [
        phrases.count(limited_by.per_hour, text.SUBMIT_PER_HOUR) if limited_by.per_hour else "",
        phrases.count(limited_by.rows_per_day, text.SUBMIT_PER_DAY) if limited_by.rows_per_day else "",
    ]
    kept_ = [one for one in told if one]
    return text.SUBMIT_LIMITS.format(limits=phrases.listed(kept_)) if kept_ else text.SUBMIT_NO_LIMITS


def _missing(rows: Sequence[Row]) -> None:
    if len(rows) == 1:
        named = [problems.label(field) for field in rows[0].wrong]
    else:
        named = [text.SUBMIT_ROW.format(n=row.number) for row in rows if row.wrong]
    more = len(named) - _NAMED
    shown = ", ".join(plain(one) for one in named[:_NAMED]) + (f" +{more}" if more > 0 else "")
    st.warning(text.SUBMIT_FIRST.format(fields=shown), icon=":material/error:")


def _send(rows: Sequence[Row], gathered: Gathered, names: Sequence[str]) -> None:
    try:
        receipt = submissions.submit(
            cache.store(),
            [row.draft for row in rows],
            predictions=gathered.predictions,
            curves=gathered.curves,
            client=client(),
            via="form",
            filename=", ".join(names)[:255],
        )
    except StoreBusyError:
        st.warning(text.SUBMIT_BUSY, icon=":material/hourglass:")
        return
    except SubmissionError as error:
        told = text.SUBMIT_TOO_MUCH if isinstance(error, LimitError) else text.SUBMIT_REFUSED
        st.warning(f"{told} {plain(error)}", icon=":material/error:")
        return
    if receipt.problems:
        for problem in receipt.problems[:_NAMED]:
            row = rows[problem.draft - 1].number if problem.draft else 0
            named = f"{text.SUBMIT_ROW.format(n=row)}, " if row and len(rows) > 1 else ""
            told = f"{named}{problems.label(problem.field)}: {problems.sentence(problem.message)}"
            st.warning(plain(told), icon=":material/error:")
        return
    browser_draft.clear()
    st.session_state[_RECEIPT] = receipt
    st.rerun()


def link(secret: str) -> str:
    """The private link of a receipt."""
    query = {"secret": secret} | ({"lang": st.query_params["lang"]} if "lang" in st.query_params else {})
    return f"{(st.context.url or '').split('?')[0]}?{urlencode(query)}"


def receipt() -> bool:
    """Draw the receipt of what was just handed in; False where nothing was."""
    found: Receipt | None = st.session_state.get(_RECEIPT)
    if found is None:
        return False
    st.subheader(text.SUBMIT_TAKEN, anchor=False)
    st.markdown(phrases.count(len(found.submissions), text.SUBMIT_TAKEN_ROWS))
    st.markdown(f"**{text.SUBMIT_LINK}**")
    st.code(link(found.secret), language=None, wrap_lines=True)
    st.warning(text.SUBMIT_LINK_ONCE, icon=":material/key:")
    with st.container(horizontal=True, gap="small"):
        if st.button(text.SUBMIT_SEE, key=f"{PREFIX}see", icon=":material/visibility:"):
            del st.session_state[_RECEIPT]
            st.query_params["secret"] = found.secret
            st.rerun()
        st.button(text.SUBMIT_ANOTHER, key=f"{PREFIX}another", icon=":material/add:", on_click=_another)
    return True


def _another() -> None:
    st.session_state.pop(_RECEIPT, None)
