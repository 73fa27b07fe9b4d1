"""The decision on one submission. What was written is kept where it cannot be carried out."""

import json
from typing import NamedTuple

import pandas as pd
import streamlit as st

from dashboard.moderation import reasons, unverified, url_state
from dashboard.moderation.client import ModerationClient, following
from dashboard.moderation.evidence import MODERATE_BADGE, MODERATE_STATES
from dashboard.moderation.url_state import Notice
from dashboard.ui import cache, formatting, task_names
from dashboard.ui.i18n import N_, NP_, _
from dashboard.ui.labels import SOURCES
from dashboard.ui.markdown import page_link, plain
from dashboard.ui.messages import error_text
from db import submissions
from db.base.errors import FeatherboardError
from db.registry import tasks
from db.submissions import Difference

MODERATE_DECIDED = {
    "accepted": N_("Accepted on {when} UTC."),
    "rejected": N_("Rejected on {when} UTC."),
    "merged": N_("Merged on {when} UTC."),
    "withdrawn": N_("Withdrawn on {when} UTC."),
}


class _Way(NamedTuple):
    """A decision: its name, its button with an icon, and what is said once it is done."""

    name: str
    button: str
    icon: str
    done: str


MODERATE_WAYS = {
    "accept": _Way(N_("Accept"), N_("Accept: onto the board"), ":material/check:", N_("Accepted: {name}.")),
    "reject": _Way(N_("Reject"), N_("Reject with this reason"), ":material/close:", N_("Rejected: {name}.")),
    "merge": _Way(N_("Merge"), N_("Merge"), ":material/merge:", N_("Merged: {name}.")),
    "withdraw": _Way(NP_("moderate ways", "Withdraw"), N_("Withdraw"), ":material/undo:", N_("Withdrawn: {name}.")),
}

_WAYS = {"waiting": ("accept", "reject", "merge", "withdraw"), "accepted": ("merge", "withdraw")}
_ROWS = 200
"""Rows that are offered to merge into: those of the same model, then those of the nearest scores."""

_NAME, _ID = 40, 12


def draw(client: ModerationClient, difference: Difference) -> None:
    """Draw what can be decided of a submission, or what was decided."""
    status = difference.submission.status
    ways = _WAYS.get(status.state, ())
    if status.state != "waiting":
        _decided(client, difference)
    if not ways:
        return
    with st.container(border=True, key="moderator decision"):
        st.subheader(_("Decide"), anchor=False)
        way = st.segmented_control(
            _("Decide"),
            ways,
            key=f"moderator way {status.submission_id} {status.state}",
            default=ways[0],
            required=True,
            format_func=lambda code: _(MODERATE_WAYS[code].name),
            label_visibility="collapsed",
        )
        _form(way or ways[0], client, difference)


def _decided(client: ModerationClient, difference: Difference) -> None:
    status = difference.submission.status
    message = _(MODERATE_DECIDED[status.state]).format(when=f"{status.decided_at:%Y-%m-%d %H:%M}")
    if status.reason:
        message += " " + _("Reason: {reason}").format(reason=plain(status.reason))
    st.info(message, icon=":material/gavel:")
    with st.container(horizontal=True):
        if status.run_id:
            page_link("run", _("To the run"), run=status.run_id)
        if status.merged_into:
            label = _("To the submission it was merged into")
            url_state.button(label, "other", ":material/merge:", status.merged_into)
        again = status.state == "accepted" and status.run_id in submissions.unverified(client.store)
        if again and st.button(_("Verify"), icon=":material/verified:", key="moderator verify"):
            unverified.verify(client, [str(status.run_id)])


def _form(way: str, client: ModerationClient, difference: Difference) -> None:
    """Draw what a decision asks for, and its button."""
    if way == "accept":
        badge = _(MODERATE_BADGE[difference.report.verified])
        st.markdown(_("It goes onto the board as Submitted, {badge}.").format(badge=badge))
    elif way == "merge":
        offered = targets(client, difference)
        if not offered:
            st.caption(_("There is no other row of this task to merge it into."))
            return
        st.caption(_("Its submitter is led to the other row; a run of its own leaves the board."))
        st.selectbox(
            _("Merge into"),
            list(offered),
            index=None,
            format_func=offered.__getitem__,
            placeholder=_("Merge into"),
            key=_into(difference),
        )
    elif way == "withdraw":
        st.caption(_("It leaves the queue, or the board. Its rows stay in the database."))
    if way != "accept":
        reasons.ask(_name(way, difference), needed=way == "reject")
    st.button(
        _(MODERATE_WAYS[way].button),
        icon=MODERATE_WAYS[way].icon,
        key=f"moderator do {_name(way, difference)}",
        width="stretch",
        on_click=_decide,
        args=(way, client, difference),
    )


def _name(way: str, difference: Difference) -> str:
    return f"{way} {difference.submission.status.submission_id}"


def _into(difference: Difference) -> str:
    return f"moderator into {difference.submission.status.submission_id}"


def targets(client: ModerationClient, difference: Difference) -> dict[str, str]:
    """The rows that a submission can be merged into, by id: those of its model first, then by how near they score."""
    own, claim = difference.submission.status, difference.submission.claim
    metric = task_names.metric(tasks.by_id(claim.task).metric)
    rows = cache.leaderboard(claim.task, every_run=True).rows
    rows = rows[rows["run_id"] != own.run_id]
    same = rows["run_id"].isin(difference.existing["run_id"])
    near = (rows["score"] - claim.metrics[metric.name]).abs()
    order = pd.DataFrame({"same": ~same, "near": near}).sort_values(["same", "near"], kind="stable").index[:_ROWS]
    waiting = client.read(submissions.queue)
    options = {
        str(row.submission_id): _("{name}, {score}, waiting, submission {id}").format(
            name=formatting.cut(row.model, _NAME),
            id=str(row.submission_id)[:_ID],
            score=formatting.value(metric, json.loads(row.claim)["metrics"][metric.name]),
        )
        for row in waiting.itertuples()
        if row.task_id == claim.task and row.submission_id != own.submission_id
    }
    return {
        str(row["run_id"]): _("{name}, {score}, {source}, run {id}").format(
            name=formatting.cut(row["name"], _NAME),
            score=formatting.value(metric, row["score"]),
            source=_(SOURCES[row["source"]]),
            id=str(row["run_id"])[:_ID],
        )
        for row in rows.loc[order].to_dict("records")
    } | options


def act(way: str, client: ModerationClient, own: str, reason: str, into: str) -> None:
    """Carry a decision out; ``into`` is the row that a submission is merged into."""
    if way == "accept":
        submissions.accept(client.store, own, by=client.by)
    elif way == "reject":
        submissions.reject(client.store, own, reason, by=client.by)
    elif way == "merge":
        submissions.merge(client.store, own, into, reason=reason, by=client.by)
    else:
        submissions.withdraw(client.store, own, reason=reason, by=client.by)


def _decide(way: str, client: ModerationClient, difference: Difference) -> None:
    """Carry a decision out and open the next row; or say why not, and keep what was written.

    What is written is read here: a click that follows a key at once comes before the page is drawn again.
    """
    status = difference.submission.status
    reason, into = reasons.written(_name(way, difference)), str(st.session_state.get(_into(difference)) or "")
    missing = {"reject": not reason.strip(), "merge": not into}.get(way, False)
    if missing:
        message = (
            _("A rejection needs a reason. Nothing was done.")
            if way == "reject"
            else _("Choose the row to merge it into. Nothing was changed.")
        )
        url_state.tell(Notice("failed", message))
        return
    among = {"search": str(st.query_params.get(url_state.SEARCH, "")), "batch": url_state.batch()}
    try:
        before = client.waiting(**among)
        act(way, client, status.submission_id, reason, into)
    except FeatherboardError as error:
        url_state.tell(_failed(client, difference, error, reason))
        return
    url_state.tell(Notice("done", _(MODERATE_WAYS[way].done).format(name=plain(formatting.cut(status.model, _NAME)))))
    if status.state == "waiting":
        after = following(before, status.submission_id)
        url_state.show(url_state.OPEN, after)
        if after is None:
            url_state.show(url_state.BATCH, None)


def _failed(client: ModerationClient, difference: Difference, error: FeatherboardError, reason: str) -> Notice:
    """What to say where nothing was done; whether somebody else was quicker is looked up."""
    status = difference.submission.status
    name = plain(formatting.cut(status.model, _NAME))
    message = _("Nothing was done with {name}.").format(name=name)
    try:
        state = submissions.read(client.store, status.submission_id).status.state
        if state != status.state:
            message = _(
                "Another moderator decided in the meantime: {name} is now {state}. Your decision was not applied."
            ).format(name=name, state=_(MODERATE_STATES[state]).lower())
    except FeatherboardError:
        pass  # the first error says it
    return Notice("failed", message, plain(error_text(error)), reason)
