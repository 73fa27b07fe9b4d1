"""What was handed in together: looked at, accepted or rejected together, after a question that counts the rows."""

from collections.abc import Callable, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard.moderation import reasons, url_state
from dashboard.moderation.client import Desk
from dashboard.moderation.url_state import Notice
from dashboard.ui import formatting, phrases, text
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError, StoreError

Way = Literal["accept", "reject"]

_NAMED = 6
_SHOWN = 5
"""Deliveries above a list; the rows of all of them are in it."""


def place_of(file: object, position: int) -> str:
    """A row's place in its delivery: the file, or that there was none, and its number."""
    named = file if isinstance(file, str) and file else text.MODERATE_NO_FILE
    return f"{formatting.cut(named, 40)} · {position}"


def draw(desk: Desk, found: pd.DataFrame) -> None:
    """Draw the deliveries of several rows of which some wait, each with what can be done with it."""
    chosen = url_state.batch()
    several = found.groupby("batch_id", sort=False)["position"].max()
    ids = [chosen] if chosen else [str(one) for one in several[several > 1].index]
    for batch_id in ids[:_SHOWN]:
        _draw(desk, batch_id, alone=bool(chosen))


def _draw(desk: Desk, batch_id: str, *, alone: bool) -> None:
    rows = desk.queue((), batch=batch_id)
    waiting = rows[rows["state"] == "waiting"]
    if len(rows) < 2 or (waiting.empty and not alone):
        return
    file = rows["filename"].iloc[0]
    called = plain(formatting.cut(file if isinstance(file, str) and file else text.MODERATE_NO_FILE, 60))
    told = text.MODERATE_BATCH.format(file=called, waiting=len(waiting), all=len(rows))
    with st.container(horizontal=True, vertical_alignment="center", key=f"moderator batch {batch_id[:12]}"):
        st.markdown(f":material/stacks: {told}", width="content")
        label = text.MODERATE_BATCH_CLOSE if alone else text.MODERATE_BATCH_OPEN
        st.button(
            label,
            key=f"moderator only {batch_id[:12]}",
            type="tertiary",
            on_click=url_state.show,
            args=(url_state.BATCH, None if alone else batch_id),
            icon=":material/filter_alt_off:" if alone else ":material/filter_alt:",
        )
        ways: tuple[tuple[Way, str, str], ...] = (
            ("accept", text.MODERATE_BATCH_ACCEPT, ":material/check:"),
            ("reject", text.MODERATE_BATCH_REJECT, ":material/close:"),
        )
        for way, label, icon in ways if len(waiting) else ():
            if st.button(label.format(n=len(waiting)), key=f"moderator {way} {batch_id[:12]}", icon=icon):
                st.dialog(text.MODERATE_BATCHES)(_ask)(desk, waiting, way)


def _ask(desk: Desk, waiting: pd.DataFrame, way: Way) -> None:
    """The question, with what it is about, and the doing."""
    ids = [str(one) for one in waiting["submission_id"]]
    names = list(dict.fromkeys(plain(formatting.cut(name, 40)) for name in waiting["model"]))
    listed = phrases.listed(names[:_NAMED])
    if len(names) > _NAMED:
        listed = text.MODERATE_AND_MORE.format(names=", ".join(names[:_NAMED]), n=len(names) - _NAMED)
    st.markdown(text.MODERATE_BATCH_SURE[way].format(n=len(ids), names=listed))
    with st.spinner(text.MODERATE_LOOKING):
        flagged = sum(bool(one.flags) for one in desk.glances(ids).values())
    if flagged:
        st.warning(phrases.count(flagged, text.MODERATE_BATCH_FLAGGED), icon=":material/flag:")
    reason = reasons.ask(f"batch {ids[0]}") if way == "reject" else ""
    with st.container(horizontal=True):
        sure = st.button(text.MODERATE_BATCH_YES[way].format(n=len(ids)), key=f"moderator yes {way}")
        if st.button(text.MODERATE_BATCH_NO, key=f"moderator no {way}", type="tertiary"):
            st.rerun()
    if not sure:
        return
    if way == "reject" and not reason.strip():
        st.error(text.MODERATE_REASON_MISSING, icon=":material/error:")
        return
    _do(desk, ids, way, reason)
    st.rerun()


def _do(desk: Desk, ids: list[str], way: Way, reason: str) -> None:
    bar = st.progress(0.0, text.MODERATE_BATCH_DOING.format(done=0, n=len(ids)))
    done, left = decide(
        desk,
        ids,
        way,
        reason,
        lambda count: bar.progress(count / len(ids), text.MODERATE_BATCH_DOING.format(done=count, n=len(ids))),
    )
    if done:
        url_state.tell(Notice("done", text.MODERATE_BATCH_DONE[way].format(n=done)))
    for why, count in left.items():
        told = text.MODERATE_BATCH_LEFT[count != 1].format(n=count, why=plain(why))
        url_state.tell(Notice("failed", told, written=reason))
    url_state.show(url_state.BATCH, None)


def decide(
    desk: Desk, ids: Sequence[str], way: Way, reason: str, progress: Callable[[int], object]
) -> tuple[int, dict[str, int]]:
    """Decide one row after another: what cannot be decided stays as it is.

    Args:
        desk: Who decides.
        ids: Of the rows.
        way: What becomes of them.
        reason: For a rejection.
        progress: Is told how many rows were gone through.

    Returns:
        How many were decided, and how many were not by the reason why.
    """
    left: dict[str, int] = {}
    done = 0
    for count, one in enumerate(ids, start=1):
        try:
            if way == "accept":
                desk.accept(one)
            else:
                desk.reject(one, reason)
            done += 1
        except StoreError as error:  # the others would wait for it just as long
            left[str(error)] = left.get(str(error), 0) + len(ids) - count + 1
            break
        except FeatherboardError as error:
            left[str(error)] = left.get(str(error), 0) + 1
        progress(count)
    return done, left
