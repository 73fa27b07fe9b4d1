"""The queue: what waits, or what became of it; what was handed in together stands together."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.moderation import batches, unverified, url_state
from dashboard.moderation.client import MAX_ROWS, ModerationClient
from dashboard.moderation.evidence import MODERATE_STATES
from dashboard.ui import formatting, task_names
from dashboard.ui import url_state as links
from dashboard.ui.i18n import N_, NP_, _, ngettext, translated
from dashboard.ui.markdown import plain
from db import submissions
from db.registry import formats, tasks
from db.submissions import QueueSummary
from db.submissions.records import STATES, State

MODERATE_COLUMNS = {
    "model": N_("Model"),
    "task": N_("Task"),
    "score": N_("Score"),
    "params": N_("Parameters"),
    "predictions": N_("Predictions"),
    "check": N_("Check"),
    "flags": N_("Flags"),
    "via": N_("Way in"),
    "when": N_("Received, UTC"),
    "together": N_("Together"),
    "training": NP_("moderate columns", "Training"),
    "state": N_("State"),
    "reason": N_("Reason"),
    "decided": N_("Decided, UTC"),
}
MODERATE_VIA = {"form": N_("Form"), "cli": N_("Command line"), "api": N_("HTTP"), "quack": N_("Another machine")}
MODERATE_CHECK = {
    "verified": N_("Verified"),
    "disagrees": N_("Different value"),
    "incomplete": N_("Incomplete"),
    "unscored": N_("Not scored"),
    "no golds": N_("No gold labels"),
    "no predictions": "–",
}

_FLAGGED = 60
"""Rows whose flags are worked out for a list: predictions have to be scored for them."""

_NAME = 60
_WHEN = "%Y-%m-%d %H:%M"


def draw(client: ModerationClient) -> None:
    """Draw the list."""
    counts = client.read(submissions.counts)
    with st.container(horizontal=True, vertical_alignment="center"):
        state = _choose(counts, len(submissions.unverified(client.store)))
        search = _search() if state != "unverified" else ""
    if state == "unverified":
        unverified.draw(client)
        return
    states: tuple[State, ...] = tuple(name for name in STATES if state in {name, "all"})
    table = client.read(submissions.queue, states=states, search=search, batch=url_state.batch())
    if state == "waiting":
        _summary(table, len(table) if search or url_state.batch() else counts["waiting"])
    batches.draw(client, table)
    if table.empty:
        nothing = state == "waiting" and not search and not url_state.batch()
        st.info(_("Nothing waits.") if nothing else _("Nothing here matches."), icon=":material/inbox:")
        return
    waiting = table.loc[table["state"] == "waiting", "submission_id"].tolist()
    looked = waiting[:_FLAGGED]
    with st.spinner(_("Looking at predictions")):
        seen = client.read(submissions.summaries, tuple(looked)) if looked else {}
    _table(table, seen, state)
    if len(waiting) > len(looked):
        st.caption(_("Flags are worked out for the oldest {n}.").format(n=len(looked)))
    if len(table) == MAX_ROWS:
        st.caption(_("The oldest {shown} are shown; search to see the rest.").format(shown=MAX_ROWS))


def listed(client: ModerationClient) -> list[str]:
    """The ids of the list that the address describes, in its order."""
    state = st.query_params.get(url_state.STATE, "waiting")
    states: tuple[State, ...] = tuple(name for name in STATES if state in {name, "all"}) or ("waiting",)
    search = str(st.query_params.get(url_state.SEARCH, ""))
    table = client.read(submissions.queue, states=states, search=search, batch=url_state.batch())
    return [str(submission_id) for submission_id in table["submission_id"]]


def _choose(counts: Mapping[State, int], unverified_runs: int) -> str:
    known: dict[str, int] = {name: counts[name] for name in STATES}
    known |= {"all": sum(counts.values()), "unverified": unverified_runs}
    labels = {code: f"{_(MODERATE_STATES[code])} {count:,}" for code, count in known.items()}
    return links.choice(url_state.STATE, _("State"), labels, "waiting", label_visibility="collapsed")


def _search() -> str:
    links.follow(url_state.SEARCH, lambda link: link[:200], "")
    search = st.text_input(
        _("Search"),
        key=url_state.SEARCH,
        placeholder=_("Model, task, file, reason, id"),
        width=300,
        label_visibility="collapsed",
        icon=":material/search:",
        max_chars=200,
    )
    words = str(search or "").strip()
    links.keep(url_state.SEARCH, words or None)
    return words


def _summary(table: pd.DataFrame, count: int) -> None:
    if table.empty:
        return
    first = table.iloc[0]
    summary = ngettext(
        "{n} row waits, since {when} UTC.",
        "{n} rows wait, the oldest since {when} UTC.",
        count,
        when=f"{first['created_at']:{_WHEN}}",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{summary}**", width="content")
        label = _("Look at the oldest: {name}").format(name=plain(formatting.cut(first["model"], 40)))
        url_state.button(label, "oldest", ":material/arrow_forward:", str(first["submission_id"]))


def _table(table: pd.DataFrame, seen: Mapping[str, QueueSummary], state: str) -> None:
    names = translated(MODERATE_COLUMNS)
    differing = _differing(table)
    rows = [
        _row(row, seen) | {"training": training}
        for row, training in zip(table.to_dict("records"), differing, strict=True)
    ]
    columns = [key for key in names if _is_shown(key, state, table)]
    shown = pd.DataFrame([{names[key]: row[key] for key in columns} for row in rows])
    right = {
        names[key]: st.column_config.TextColumn(alignment="right")
        for key in ("score", "params", "predictions", "flags")
        if key in columns
    }
    # Another list is another table: a choice is a position, and must not fall on another row.
    key = f"moderator table {hash(tuple(table['submission_id']))} {st.session_state.get('moderator tables', 0)}"
    st.dataframe(
        shown,
        hide_index=True,
        key=key,
        on_select=lambda: _open(key, table),
        selection_mode="single-row",
        column_config=right,
        alt=_("Submissions, {n} rows; choosing one opens it").format(n=len(table)),
        height=min(36 + 35 * len(shown), 640),
    )


def _differing(table: pd.DataFrame) -> list[str]:
    """What tells the rows of a delivery apart in their training: that which is the same in all of them says nothing."""
    training = [json.loads(claim)["training"] for claim in table["claim"]]
    values: dict[tuple[str, str], set[str]] = {}
    for batch, facts in zip(table["batch_id"], training, strict=True):
        for name, value in facts.items():
            values.setdefault((batch, name), set()).add(str(value))
    return [
        formatting.cut(
            ", ".join(f"{name} {value}" for name, value in facts.items() if len(values[batch, name]) > 1), 90
        )
        for batch, facts in zip(table["batch_id"], training, strict=True)
    ]


def _is_shown(key: str, state: str, table: pd.DataFrame) -> bool:
    if key in {"check", "flags"}:
        return state in {"waiting", "all"}
    if key in {"reason", "decided"}:
        return state != "waiting"
    if key == "state":
        return state == "all"
    return key not in {"together", "training"} or bool((table["position"] > 1).any())


def _open(key: str, table: pd.DataFrame) -> None:
    chosen = st.session_state[key]["selection"]["rows"]
    if chosen and chosen[0] < len(table):
        # Whoever comes back to the list finds no row chosen, and can choose the same one again.
        st.session_state["moderator tables"] = st.session_state.get("moderator tables", 0) + 1
        url_state.show(url_state.OPEN, str(table["submission_id"].iloc[chosen[0]]))


def _row(row: Mapping[str, Any], seen: Mapping[str, QueueSummary]) -> dict[str, str]:
    claim = json.loads(row["claim"])
    metric = task_names.metric(tasks.by_id(row["task_id"]).metric)
    summary = seen.get(row["submission_id"])
    decided = row["decided_at"]
    return {
        "model": formatting.cut(row["model"], _NAME),
        "task": task_names.name(row["task_id"]),
        "score": formatting.value(metric, claim["metrics"].get(metric.name)),
        "params": f"{claim['params']:,}" if claim.get("params") else formats.DASH,
        "predictions": f"{row['predictions']:,}" if row["predictions"] else formats.DASH,
        "check": _(MODERATE_CHECK[summary.state]) if summary else formats.DASH,
        "flags": f"⚑ {len(summary.flags)}" if summary and summary.flags else "",
        "via": _(MODERATE_VIA[row["via"]]),
        "together": batches.place_of(row["filename"], row["position"]),
        "when": f"{row['created_at']:{_WHEN}}",
        "state": _(MODERATE_STATES[row["state"]]),
        "reason": formatting.cut(row["reason"] if pd.notna(row["reason"]) else "", 120),
        "decided": f"{decided:{_WHEN}}" if pd.notna(decided) else formats.DASH,
    }
