"""The runs around a run: the other seeds of its recipe, other runs of its variant, its teacher, its students."""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import HELP, SOURCES, STATUS
from dashboard.ui.markdown import page_link, plain
from db.analysis.related_runs import Relations
from db.registry import formats
from db.registry.metrics import Metric
from db.runs.detail import RunDetail

SEEDS_MEAN = N_("The leaderboard shows that mean and opens the seed with the median score.")

_NAME = 60
_MAX_LINKS = 5
"""Links of one kind; the leaderboard has them all."""


def draw(detail: RunDetail, relations: Relations) -> None:
    """Draw what there is of them; a run that stands alone has none of these sections."""
    metric = task_names.metric(str(detail.task.get("metric", "accuracy")))
    _seeds(detail, metric)
    _teachers(detail, relations, metric)
    _students(detail, relations, metric)
    _siblings(detail, metric)


def _seeds(detail: RunDetail, metric: Metric) -> None:
    """The other seeds of the recipe, each a click away, with what they say together."""
    seeds = detail.seeds
    if seeds is None:
        return
    st.subheader(_("Sibling seeds"), help=_(HELP["seeds"]), anchor=False)
    summary = seeds.summary
    if summary is None:
        st.caption(_("No mean yet: fewer than two of these seeds have a score."))
    else:
        over = formatting.over_seeds(metric, summary.mean, summary.spread, summary.n)
        ends = {"least": formatting.value(metric, summary.lowest), "most": formatting.value(metric, summary.highest)}
        st.markdown(plain(f"{_('{over}, from {least} to {most}.').format(over=over, **ends)} {_(SEEDS_MEAN)}"))
    with st.container(horizontal=True, vertical_alignment="center"):
        for row in seeds.runs.itertuples():
            state = formatting.value(metric, row.score) if row.status == "finished" else _(STATUS[row.status]).lower()
            label = _("Seed {seed}: {state}").format(seed=row.seed, state=state)
            middle = f" {_('(median)')}" if row.run_id == seeds.middle else ""
            if row.run_id == detail.run["run_id"]:
                st.markdown(plain(_("{told}, this run").format(told=label) + middle), width="content")
            else:
                page_link("run", plain(label + middle), run=row.run_id)


def _teachers(detail: RunDetail, relations: Relations, metric: Metric) -> None:
    teacher = detail.run["teacher"]
    if not teacher:
        return
    st.subheader(_("Teacher"), anchor=False)
    if relations.teachers.empty:
        st.markdown(plain(_("{teacher}; it has no run on this board.").format(teacher=formatting.cut(teacher, _NAME))))
    for row in relations.teachers.head(_MAX_LINKS).itertuples():
        page_link("run", plain(_named(row, metric)), run=row.run_id)
    _more(detail, len(relations.teachers) - _MAX_LINKS, str(teacher))


def _students(detail: RunDetail, relations: Relations, metric: Metric) -> None:
    if relations.students.empty:
        return
    st.subheader(_("Students"), anchor=False)
    with st.container(horizontal=True):
        for row in relations.students.head(_MAX_LINKS).itertuples():
            name, score = formatting.cut(row.model, _NAME), formatting.value(metric, row.score)
            several = _("{model}: {score}, best of {runs} runs").format(model=name, score=score, runs=row.runs)
            page_link("run", plain(several if row.runs > 1 else f"{name}: {score}"), run=row.run_id)
    _more(detail, len(relations.students) - _MAX_LINKS, str(detail.model.get("name")))


def _siblings(detail: RunDetail, metric: Metric) -> None:
    if detail.siblings.empty:
        return
    st.subheader(_("Other runs of this variant"), anchor=False)
    with st.container(horizontal=True):
        for row in detail.siblings.head(_MAX_LINKS).itertuples():
            page_link("run", plain(_named(row, metric)), run=row.run_id)
    _more(detail, len(detail.siblings) - _MAX_LINKS, str(detail.model.get("name")))


def _named(row: Any, metric: Metric) -> str:
    name, source = formatting.cut(row.name, _NAME), _(SOURCES[row.source]).lower()
    score = formatting.value(metric, row.score)
    if pd.isna(row.seed):
        return f"{name}, {source}: {score}"
    return _("{name}, {source}, seed {seed}: {score}").format(name=name, source=source, seed=int(row.seed), score=score)


def _more(detail: RunDetail, count: int, search: str) -> None:
    if count > 0:
        label = _("{n} more on the leaderboard").format(n=formats.short(count))
        page_link("leaderboard", label, task=detail.run["task_id"], q=search, every="1")
