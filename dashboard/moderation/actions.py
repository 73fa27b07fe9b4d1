"""The decision on one submission. What was written is kept where it cannot be carried out."""

import json

import pandas as pd
import streamlit as st

from dashboard.moderation import reasons, unverified, url_state
from dashboard.moderation.client import Desk, following
from dashboard.moderation.url_state import Notice
from dashboard.ui import cache, formatting, task_names, text
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.registry import tasks
from db.submissions import Difference

_WAYS = {"waiting": ("accept", "reject", "merge", "withdraw"), "accepted": ("merge", "withdraw")}
_ICONS = {
    "accept": ":material/check:",
    "reject": ":material/close:",
    "merge": ":material/merge:",
    "withdraw": ":material/undo:",
}
_ROWS = 200
"""Rows that are offered to merge into: those of the same model, then those of the nearest scores."""

_NAME, _ID = 40, 12


def draw(desk: Desk, found: Difference) -> None:
    """Draw what can be decided of a submission, or what was decided."""
    status = found.submission.status
    ways = _WAYS.get(status.state, ())
    if status.state != "waiting":
        _decided(desk, found)
    if not ways:
        return
    with st.container(border=True, key="moderator decision"):
        st.subheader(text.MODERATE_DECIDE, anchor=False)
        way = st.segmented_control(
            text.MODERATE_DECIDE,
            ways,
            key=f"moderator way {status.submission_id} {status.state}",
            default=ways[0],
            required=True,
            format_func=text.MODERATE_WAYS.__getitem__,
            label_visibility="collapsed",
        )
        {"accept": _accept, "reject": _reject, "merge": _merge, "withdraw": _withdraw}[way or ways[0]](desk, found)


def _decided(desk: Desk, found: Difference) -> None:
    status = found.submission.status
    told = text.MODERATE_DECIDED[status.state].format(when=f"{status.decided_at:%Y-%m-%d %H:%M}")
    if status.reason:
        told += " " + text.MODERATE_WHY.format(reason=plain(status.reason))
    st.info(told, icon=":material/gavel:")
    with st.container(horizontal=True):
        if status.run_id:
            st.page_link(
                "views/run.py",
                label=text.MODERATE_TO_RUN,
                icon=":material/science:",
                width="content",
                query_params={"run": status.run_id},
            )
        if status.merged_into:
            st.button(
                text.MODERATE_TO_OTHER,
                icon=":material/merge:",
                key="moderator other",
                on_click=url_state.show,
                args=(url_state.OPEN, status.merged_into),
            )
        again = status.state == "accepted" and status.run_id in desk.unverified()
        if again and st.button(text.MODERATE_VERIFY, icon=":material/verified:", key="moderator verify"):
            unverified.verify(desk, [str(status.run_id)])


def _accept(desk: Desk, found: Difference) -> None:
    st.markdown(text.MODERATE_ACCEPT_HOW.format(badge=text.MODERATE_BADGE[found.report.verified]))
    _button("accept", desk, found)


def _reject(desk: Desk, found: Difference) -> None:
    reasons.ask(_name("reject", found))
    _button("reject", desk, found)


def _merge(desk: Desk, found: Difference) -> None:
    offered = targets(desk, found)
    if not offered:
        st.caption(text.MODERATE_INTO_NONE)
        return
    st.caption(text.MODERATE_MERGE_HOW)
    st.selectbox(
        text.MODERATE_INTO,
        list(offered),
        index=None,
        format_func=offered.__getitem__,
        placeholder=text.MODERATE_INTO,
        key=_into(found),
    )
    reasons.ask(_name("merge", found), needed=False)
    _button("merge", desk, found)


def _withdraw(desk: Desk, found: Difference) -> None:
    st.caption(text.MODERATE_WITHDRAW_HOW)
    reasons.ask(_name("withdraw", found), needed=False)
    _button("withdraw", desk, found)


def _name(way: str, found: Difference) -> str:
    return f"{way} {found.submission.status.submission_id}"


def _into(found: Difference) -> str:
    return f"moderator into {found.submission.status.submission_id}"


def targets(desk: Desk, found: Difference) -> dict[str, str]:
    """The rows that a submission can be merged into, by id: those of its model first, then by how near they score."""
    own, claim = found.submission.status, found.submission.claim
    metric = task_names.metric(tasks.by_id(claim.task).metric)
    rows = cache.leaderboard(claim.task, every_run=True).rows
    rows = rows[rows["run_id"] != own.run_id]
    same = rows["run_id"].isin(found.existing["run_id"])
    near = (rows["score"] - claim.metrics[metric.name]).abs()
    order = pd.DataFrame({"same": ~same, "near": near}).sort_values(["same", "near"], kind="stable").index[:_ROWS]
    waiting = desk.queue(("waiting",))
    told = {
        str(one.submission_id): text.MODERATE_INTO_WAITING.format(
            name=formatting.cut(one.model, _NAME),
            id=str(one.submission_id)[:_ID],
            score=formatting.value(metric, json.loads(one.claim)["metrics"][metric.name]),
        )
        for one in waiting.itertuples()
        if one.task_id == claim.task and one.submission_id != own.submission_id
    }
    return {
        str(row["run_id"]): text.MODERATE_INTO_RUN.format(
            name=formatting.cut(row["name"], _NAME),
            score=formatting.value(metric, row["score"]),
            source=text.SOURCES[row["source"]],
            id=str(row["run_id"])[:_ID],
        )
        for row in rows.loc[order].to_dict("records")
    } | told


def _button(way: str, desk: Desk, found: Difference) -> None:
    st.button(
        text.MODERATE_DO[way],
        icon=_ICONS[way],
        key=f"moderator do {_name(way, found)}",
        width="stretch",
        on_click=_decide,
        args=(way, desk, found),
    )


def _act(way: str, desk: Desk, own: str, reason: str, into: str) -> None:
    if way == "accept":
        desk.accept(own)
    elif way == "reject":
        desk.reject(own, reason)
    elif way == "merge":
        desk.merge(own, into, reason)
    else:
        desk.withdraw(own, reason)


def _decide(way: str, desk: Desk, found: Difference) -> None:
    """Carry a decision out and open the next row; or say why not, and keep what was written.

    What is written is read here: a click that follows a key at once comes before the page is drawn again.
    """
    status = found.submission.status
    reason, into = reasons.written(_name(way, found)), str(st.session_state.get(_into(found)) or "")
    missing = {"reject": not reason.strip(), "merge": not into}.get(way, False)
    if missing:
        told = text.MODERATE_REASON_MISSING if way == "reject" else text.MODERATE_INTO_MISSING
        url_state.tell(Notice("failed", told))
        return
    among = {"search": str(st.query_params.get(url_state.SEARCH, "")), "batch": url_state.batch()}
    try:
        before = desk.waiting(**among)
        _act(way, desk, status.submission_id, reason, into)
    except FeatherboardError as error:
        url_state.tell(_failed(desk, found, error, reason))
        return
    url_state.tell(Notice("done", text.MODERATE_DONE[way].format(name=plain(formatting.cut(status.model, _NAME)))))
    if status.state == "waiting":
        after = following(before, status.submission_id)
        url_state.show(url_state.OPEN, after)
        if after is None:
            url_state.show(url_state.BATCH, None)


def _failed(desk: Desk, found: Difference, error: FeatherboardError, reason: str) -> Notice:
    """What to say where nothing was done; whether somebody else was quicker is looked up."""
    status = found.submission.status
    name = plain(formatting.cut(status.model, _NAME))
    told = text.MODERATE_FAILED.format(name=name)
    try:
        state = desk.now(status.submission_id).status.state
        if state != status.state:
            told = text.MODERATE_MEANWHILE.format(name=name, state=text.MODERATE_STATES[state].lower())
    except FeatherboardError:
        pass  # the first error says it
    return Notice("failed", told, plain(error), reason)
