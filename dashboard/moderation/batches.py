"""What was handed in together: looked at, accepted or rejected together, after a question that counts the rows."""

from collections.abc import Callable, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard.moderation import actions, reasons, url_state
from dashboard.moderation.client import ModerationClient
from dashboard.moderation.url_state import Notice
from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.markdown import plain
from dashboard.ui.messages import error_text
from db import submissions
from db.base.errors import FeatherboardError, StoreError

MODERATE_BATCH_SURE = {
    "accept": N_("{n} rows go onto the board: {names}."),
    "reject": N_("{n} rows are rejected: {names}."),
}
MODERATE_BATCH_YES = {"accept": N_("Yes, accept {n} rows"), "reject": N_("Yes, reject {n} rows")}
MODERATE_BATCH_DONE = {"accept": N_("Accepted: {n} rows."), "reject": N_("Rejected: {n} rows.")}

Way = Literal["accept", "reject"]

_NAMED = 6
_SHOWN = 5
"""Deliveries above a list; the rows of all of them are in it."""


def place_of(file: object, position: int) -> str:
    """A row's place in its delivery: the file, or that there was none, and its number."""
    named = file if isinstance(file, str) and file else _("one delivery")
    return f"{formatting.cut(named, 40)} · {position}"


def draw(client: ModerationClient, table: pd.DataFrame) -> None:
    """Draw the deliveries of several rows of which some wait, each with what can be done with it."""
    chosen = url_state.batch()
    several = table.groupby("batch_id", sort=False)["position"].max()
    ids = [chosen] if chosen else [str(batch) for batch in several[several > 1].index]
    for batch_id in ids[:_SHOWN]:
        _draw(client, batch_id, alone=bool(chosen))


def _draw(client: ModerationClient, batch_id: str, *, alone: bool) -> None:
    rows = client.read(submissions.queue, states=(), batch=batch_id)
    waiting = rows[rows["state"] == "waiting"]
    if len(rows) < 2 or (waiting.empty and not alone):
        return
    file = rows["filename"].iloc[0]
    called = plain(formatting.cut(file if isinstance(file, str) and file else _("one delivery"), 60))
    summary = _("{file}: {waiting} of {all} rows wait").format(file=called, waiting=len(waiting), all=len(rows))
    with st.container(horizontal=True, vertical_alignment="center", key=f"moderator batch {batch_id[:12]}"):
        st.markdown(f":material/stacks: {summary}", width="content")
        label = _("All deliveries") if alone else _("Only these rows")
        icon = ":material/filter_alt_off:" if alone else ":material/filter_alt:"
        target = None if alone else batch_id
        url_state.button(label, f"only {batch_id[:12]}", icon, target, name=url_state.BATCH, type="tertiary")
        ways: tuple[tuple[Way, str, str], ...] = (
            ("accept", _("Accept all {n}"), ":material/check:"),
            ("reject", _("Reject all {n}"), ":material/close:"),
        )
        for way, label, icon in ways if len(waiting) else ():
            if st.button(label.format(n=len(waiting)), key=f"moderator {way} {batch_id[:12]}", icon=icon):
                st.dialog(_("Submitted together"))(_ask)(client, waiting, way)


def _ask(client: ModerationClient, waiting: pd.DataFrame, way: Way) -> None:
    """The question, with what it is about, and the doing."""
    ids = [str(submission_id) for submission_id in waiting["submission_id"]]
    names = list(dict.fromkeys(plain(formatting.cut(name, 40)) for name in waiting["model"]))
    listed = formatting.listed(names[:_NAMED])
    if len(names) > _NAMED:
        listed = _("{names} and {n} more").format(names=", ".join(names[:_NAMED]), n=len(names) - _NAMED)
    st.markdown(_(MODERATE_BATCH_SURE[way]).format(n=len(ids), names=listed))
    with st.spinner(_("Looking at predictions")):
        flagged = sum(bool(summary.flags) for summary in client.read(submissions.summaries, tuple(ids)).values())
    if flagged:
        st.warning(ngettext("{n} of them has a flag.", "{n} of them have flags.", flagged), icon=":material/flag:")
    reason = reasons.ask(f"batch {ids[0]}") if way == "reject" else ""
    with st.container(horizontal=True):
        sure = st.button(_(MODERATE_BATCH_YES[way]).format(n=len(ids)), key=f"moderator yes {way}")
        if st.button(_("No"), key=f"moderator no {way}", type="tertiary"):
            st.rerun()
    if not sure:
        return
    if way == "reject" and not reason.strip():
        st.error(_("A rejection needs a reason. Nothing was done."), icon=":material/error:")
        return
    _do(client, ids, way, reason)
    st.rerun()


def _do(client: ModerationClient, ids: list[str], way: Way, reason: str) -> None:
    bar = st.progress(0.0, _("{done} of {n}").format(done=0, n=len(ids)))
    done, left = decide(
        client,
        ids,
        way,
        reason,
        lambda count: bar.progress(count / len(ids), _("{done} of {n}").format(done=count, n=len(ids))),
    )
    if done:
        url_state.tell(Notice("done", _(MODERATE_BATCH_DONE[way]).format(n=done)))
    for why, count in left.items():
        message = ngettext("{n} row stays as it is: {why}", "{n} rows stay as they are: {why}", count, why=plain(why))
        url_state.tell(Notice("failed", message, written=reason))
    url_state.show(url_state.BATCH, None)


def decide(
    client: ModerationClient, ids: Sequence[str], way: Way, reason: str, progress: Callable[[int], object]
) -> tuple[int, dict[str, int]]:
    """Decide one row after another: what cannot be decided stays as it is.

    ``progress`` gets how many rows were gone through.

    Returns:
        How many were decided, and how many were not by the reason why.
    """
    left: dict[str, int] = {}
    done = 0
    for count, submission_id in enumerate(ids, start=1):
        try:
            actions.act(way, client, submission_id, reason, into="")
            done += 1
        except StoreError as error:  # the others would wait for it just as long
            left[error_text(error)] = left.get(error_text(error), 0) + len(ids) - count + 1
            break
        except FeatherboardError as error:
            left[error_text(error)] = left.get(error_text(error), 0) + 1
        progress(count)
    return done, left
