"""The head of a run's page: the way back, the name, the kind of run, and what must be known before its figures."""

import pandas as pd
import streamlit as st

from dashboard.run import progress
from dashboard.ui import formatting, task_names, text
from dashboard.ui.markdown import plain
from db.analysis.related_runs import Relations
from db.runs import model_card
from db.runs.detail import RunDetail

_TITLE, _LINK = 72, 30
"""Characters of a name in the title and in a link; the whole one is a click away."""


def draw(detail: RunDetail, relations: Relations) -> None:
    """Draw the head."""
    _way(detail, relations)
    name = str(detail.run["name"])
    st.title(plain(formatting.cut(name, _TITLE)), anchor=False)
    if len(" ".join(name.split())) > _TITLE:
        with st.popover(text.RUN_WHOLE_NAME, icon=":material/notes:", type="tertiary"):
            st.code(name, language=None, wrap_lines=True, height=200 if len(name) > 600 else "content")
    with st.container(horizontal=True, vertical_alignment="center"):
        _badges(detail)
        st.space("stretch")
        _actions(detail, relations)
    _state(detail)
    _withdrawn(detail)
    if detail.run["caveat"]:
        st.warning(plain(detail.run["caveat"]), icon=":material/report:")


def _withdrawn(detail: RunDetail) -> None:
    when = detail.run.get("withdrawn_at")
    if when is not None and not pd.isna(when):
        told = text.RUN_WITHDRAWN.format(when=f"{when:%Y-%m-%d}", reason=plain(detail.run["withdrawn"] or ""))
        st.error(told, icon=":material/block:")


def _way(detail: RunDetail, relations: Relations) -> None:
    """Back to the board, and to the rows beside this one."""
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        facts = detail.task or {"task_id": detail.run["task_id"]}
        st.page_link(
            "views/leaderboard.py",
            label=plain(task_names.task(facts).name),
            icon=":material/arrow_back:",
            query_params={"task": detail.run["task_id"]},
            width="content",
        )
        st.space("stretch")
        if relations.runs > 1:
            st.caption(text.RUN_PLACE.format(place=relations.place, runs=relations.runs), width="content")
        for other, icon, explanation in (
            (relations.above, ":material/keyboard_arrow_up:", text.RUN_ABOVE),
            (relations.below, ":material/keyboard_arrow_down:", text.RUN_BELOW),
        ):
            if other:
                st.page_link(
                    "views/run.py",
                    label=plain(formatting.cut(other["name"], _LINK)),
                    icon=icon,
                    help=explanation,
                    query_params={"run": other["run_id"]},
                    width="content",
                )


def _badges(detail: RunDetail) -> None:
    run = detail.run
    st.badge(text.SOURCES[run["source"]], color="gray", help=text.SOURCE_HELP[run["source"]])
    if run["verified"]:
        st.badge(text.RUN_VERIFIED, icon=":material/check:", color="green", help=text.HELP["verified"])
    if run["status"] != "finished":
        st.badge(text.STATUS[run["status"]], color="yellow" if run["status"] != "running" else "primary")
    if detail.task.get("mini"):
        st.badge(text.MINI_LABEL, color="yellow", help=text.MINI_NOTE)
    if detail.model:
        st.badge(plain(formatting.cut(detail.model["family"], _LINK)), color="gray")


def _actions(detail: RunDetail, relations: Relations) -> None:
    rival = relations.rival
    if rival:
        st.page_link(
            "views/compare.py",
            label=text.RUN_COMPARE.format(name=plain(formatting.cut(rival["name"], _LINK))),
            icon=":material/compare_arrows:",
            help=text.RUN_COMPARE_HELP,
            width="content",
            query_params={"runs": f"{detail.run['run_id']},{rival['run_id']}"},
        )
    st.download_button(
        text.RUN_CARD,
        model_card.card(detail),
        model_card.file_name(detail),
        "text/markdown",
        key="card",
        help=text.RUN_CARD_HELP,
        icon=":material/download:",
        on_click="ignore",
    )


def _state(detail: RunDetail) -> None:
    """What a run that did not end well, or not yet, has to say; a finished one says nothing."""
    run = detail.run
    if run["status"] == "running":
        _progress(detail)
        st.caption(f":material/sync: {text.LIVE_RUN}")
    elif run["status"] == "diverged":
        st.warning(text.RUN_DIVERGED, icon=":material/report:")
    elif run["status"] in {"interrupted", "failed"} and run["source"] == "measured":
        sign = run["heartbeat"]
        when = f" {text.RUN_LAST_SIGN.format(when=f'{sign:%Y-%m-%d %H:%M}')}" if pd.notna(sign) else ""
        st.warning(text.STOPPED_RUN + when, icon=":material/pause_circle:")
        folder = "" if detail.task.get("mini") else " --data DIR"
        st.code(f"featherboard train --resume {run['run_id'][:12]}{folder}", language="bash")


def _progress(detail: RunDetail) -> None:
    found = progress.of(detail.curves, detail.recipe)
    if found is None:
        return
    if found.epoch >= found.epochs:
        st.progress(1.0, text.RUN_TRAINED)
        return
    told = text.RUN_EPOCH_OF.format(epoch=f"{found.epoch:.1f}", epochs=found.epochs)
    if found.seconds_left is not None:
        left = text.RUN_LEFT_AT_MOST if found.may_stop else text.RUN_LEFT
        told = f"{told}, {left.format(time=formatting.about(found.seconds_left))}"
    st.progress(found.share, told)
