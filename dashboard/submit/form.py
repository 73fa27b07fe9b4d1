"""The second step: what is known of one run, field by field."""

import pandas as pd
import streamlit as st

from dashboard.submit import files, form_state, uploads, validation
from dashboard.submit.fields import Drawer
from dashboard.submit.files import Brought
from dashboard.submit.form_state import FACTS, PREFIX, FormState
from dashboard.ui import cache, task_names
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.markdown import plain, two_a_row
from db.registry.metrics import METRICS
from db.submissions.claim import MAX_ENTRIES

SUBMIT_TOLD = {
    "family": N_("Models of one kind share a family and its colour."),
    "params": N_("As a number: 391170, 391k or 110M. Counted from a file, it cannot be mistyped."),
    "link": N_("Where the model is described. Kept as text; nothing is fetched from it."),
    "checkpoint": N_("Where the weights are. Kept as text; nothing is fetched from it."),
    "teacher": N_("The model that it was distilled from, if it was."),
    "train_seconds": N_("Such as 00:49:15, 2 h 49 min, or seconds."),
    "device": N_("Where it was trained or timed."),
    "facts": N_("One a line, as name = value."),
    "contact": N_("An address to ask you at. It is never shown, exported or bundled; moderators alone see it."),
}
SUBMIT_UNITS = {
    "percent": "87.84%",
    "ms": "3.2",
    "s": "12.5",
    "bytes": "1565000",
    "per_s": "120",
    "points": "-1.5",
    "plain": "0.42",
    "count": "30",
    "joules": "120",
    "usd": "0.002",
}
SUBMIT_DIFFERS = N_("Your files differ from what you typed, which is used. The files say: {fields}")

_ADDED = f"{PREFIX}added"
_MORE = f"{PREFIX}more"


def common(drawer: Drawer) -> None:
    """What is the same for all rows: it stands above what the file says."""
    drawer.task()
    st.subheader(_("The same for all rows"), anchor=False)
    st.caption(_("What you fill in here replaces the value in the file; leave it empty to keep the file's."))
    _pairs(drawer, ["family", "architecture", "dataset", "teacher", "device", "language", "link", "checkpoint"])
    drawer.typed("contact", hint=_(SUBMIT_TOLD["contact"]))
    st.caption(_("Stays private: moderators alone see it."))
    drawer.typed("notes", lines=2)


def draw_run(drawer: Drawer, brought: list[Brought], *, row: bool = False) -> None:
    """All fields of a run.

    For a ``row`` of a file, what all rows share is asked elsewhere, and nothing further is uploaded.
    """
    if not row:
        drawer.task()
    st.subheader(_("Model"), anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        drawer.typed("model", example="DistilKoBiLSTM-Base")
    with right:
        _params(drawer, brought, row=row)
    shared = FormState(form_state.FORM).values if row else {}
    _pairs(
        drawer,
        [
            field
            for field in ("family", "architecture", "link", "checkpoint", "language", "licence")
            if not shared.get(field)
        ],
    )
    st.subheader(_("Metrics"), anchor=False)
    _figures(drawer)
    if not row:
        with st.expander(
            _("Predictions: without them a row cannot be verified"), icon=":material/fact_check:", expanded=True
        ):
            st.caption(
                _(
                    "One row per example of the test split: its id and the model's answer. They are scored here "
                    "and compared with your score."
                )
            )
            uploads.small("answers", _("CSV, JSON, JSON Lines or Parquet"), brought)
    st.subheader(_("Training"), anchor=False)
    _pairs(drawer, [field for field in ("dataset", "teacher", "device", "train_seconds") if not shared.get(field)])
    left, right = st.columns([1, 2], gap="medium")
    with left:
        drawer.typed("seed", example="42")
    with right:
        drawer.typed(FACTS, lines=3, hint=_(SUBMIT_TOLD[FACTS]), example="lr = 0.001\nepochs = 30")
    if not row:
        st.subheader(_("You"), anchor=False)
        drawer.typed("contact", hint=_(SUBMIT_TOLD["contact"]))
        st.caption(_("Stays private: moderators alone see it."))
        drawer.typed("notes", lines=3)


def _pairs(drawer: Drawer, names: list[str]) -> None:
    """Two fields in a line."""
    for column, field in two_a_row(names):
        hint = translated(SUBMIT_TOLD).get(field, "")
        with column:
            if field in ("family", "device"):
                drawer.chosen(field, _known(field, drawer), hint=hint, example=_("Choose or type"))
            else:
                drawer.typed(field, hint=hint, example=_EXAMPLES.get(field, ""))


_EXAMPLES = {
    "architecture": "bilstm",
    "link": "https://",
    "checkpoint": "https://",
    "language": "ko",
    "licence": "Apache-2.0",
    "dataset": "nsmc",
    "teacher": "KLUE-BERT-base",
    "train_seconds": "00:49:15",
    "params": "391170",
}


def _known(field: str, drawer: Drawer) -> list[str]:
    """What rows of the board have in a field, the most frequent first."""
    task = drawer.state.values.get("task") or FormState(form_state.FORM).values.get("task")
    if not task or validation.task_metric(task) is None:
        return []
    column: pd.Series = cache.leaderboard(task, every_run=True).rows[field]
    return [str(value) for value in column.dropna().value_counts().index[:200]]


def _params(drawer: Drawer, brought: list[Brought], *, row: bool) -> None:
    with st.container(gap="xsmall"):
        drawer.typed("params", hint=_(SUBMIT_TOLD["params"]), example=_EXAMPLES["params"])
        if row:
            return
        with st.popover(_("Count from a file"), icon=":material/calculate:", type="tertiary"):
            st.caption(
                _(
                    "From the shapes in the file's header, or from the configuration; the weights are not "
                    "read into memory."
                )
            )
            uploads.small("counted", _("safetensors, config.json or card.json"), brought)
        if files.source_of(drawer.state.values.get("params", "")) in ("safetensors", "config"):
            st.caption(f":material/check: {_('Counted from your file.')}")


def _figures(drawer: Drawer) -> None:
    """The task's own figure first, then what else there is, then what can be added."""
    task = drawer.state.values.get("task") or FormState(form_state.FORM).values.get("task")
    own = validation.task_metric(task)
    added: list[str] = st.session_state.setdefault(f"{_ADDED} {drawer.state.name}", [])
    filled = [
        field.removeprefix("metrics.")
        for field, value in drawer.state.values.items()
        if field.startswith("metrics.") and value
    ]
    shown = list(dict.fromkeys([*([own] if own else []), *filled, *added]))
    if own is None:
        st.caption(_("Choose a task first: it sets the main metric."))
    for column, name in two_a_row(shown):
        with column:
            metric = task_names.metric(name)
            drawer.typed(
                f"metrics.{name}",
                label=metric.label + (_(" (the task is ranked by it)") if name == own else ""),
                hint=metric.help,
                example=SUBMIT_UNITS[metric.unit],
            )
    left = [name for name in METRICS if name not in shown]

    def add() -> None:
        name = st.session_state.get(f"{_MORE}_{drawer.state.name}")
        if name in METRICS and len(added) < MAX_ENTRIES:
            added.append(name)
        st.session_state[f"{_MORE}_{drawer.state.name}"] = None

    st.selectbox(
        _("Add a metric"),
        left,
        index=None,
        key=f"{_MORE}_{drawer.state.name}",
        on_change=add,
        format_func=lambda name: task_names.metric(name).label,
        placeholder=_("Such as F1 or latency"),
    )


def differing() -> None:
    """Where a file says something else than what was typed."""
    values = files.differing()
    if values:
        named = "; ".join(
            f"{validation.label(field)}: {' '.join(value.split())[:60]}" for field, value in values.items()
        )
        st.caption(f":material/info: {_(SUBMIT_DIFFERS).format(fields=plain(named))}")
