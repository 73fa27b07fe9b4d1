"""What came out of a run: every figure, where it fails, its confusion, the answers that were sure and wrong."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.charts import curves
from dashboard.run import slices
from dashboard.run.slices import RUN_METRIC_COLUMNS
from dashboard.ui import cache, formatting, task_names
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import CLASSES, COMPARE_WITHHELD, HELP
from dashboard.ui.markdown import chart, ink, plain
from db.analysis.hardest_examples import Hardest
from db.registry import formats, tasks
from db.registry.metrics import METRICS
from db.runs.detail import RunDetail
from db.runs.examples import ExamplesError
from db.statistics.qa_scoring import unpack

_ANSWER = 160
"""Characters of an answer in the table; its cell opens the whole one."""


def draw_metrics(detail: RunDetail) -> None:
    """Draw every figure with its interval, the primary one first."""
    st.subheader(_("Metrics"), anchor=False)
    if detail.metrics.empty:
        st.caption(_("No figure was recorded for this run."))
        return
    # Qualities stand before costs in the registry; what nobody described comes last.
    places = {name: index for index, name in enumerate(METRICS)} | {str(detail.task.get("metric")): -1}
    ordered = detail.metrics.sort_values("name", kind="stable", key=lambda names: names.map(places).fillna(len(places)))
    rows = []
    for row in ordered.itertuples():
        metric = task_names.metric(row.name)
        n = formats.DASH if pd.isna(row.n) else f"{int(row.n):,}"
        around = formatting.interval(metric, row.low, row.high) or formats.DASH
        rows.append((metric.label, formatting.value(metric, row.value), around, n))
    figures = pd.DataFrame(rows, columns=list(translated(RUN_METRIC_COLUMNS)))
    _table(figures, "metrics", _("{n} figures").format(n=len(rows)))


def draw_parts(detail: RunDetail) -> None:
    """Draw the figures of parts of the split, a tab for each way to cut it."""
    parts = cache.parts(str(detail.run["run_id"]))
    if parts.empty:
        return
    st.subheader(_("Error breakdown"), help=_(HELP["failures"]), anchor=False)
    lead = slices.lead(parts)
    if lead:
        st.markdown(plain(lead))
    facets = list(dict.fromkeys(parts["facet"]))
    names = [slices.facet_name(facet) for facet in facets]
    tabs = st.tabs([plain(formatting.cut(name[:1].upper() + name[1:], 60)) for name in names])
    for tab, facet, name in zip(tabs, facets, names, strict=True):
        with tab:
            rows = slices.table(parts, facet)
            alt = _("Metrics by {facet}, {n} rows").format(facet=formatting.cut(name, 60), n=len(rows))
            _table(rows, f"part-{facet}", alt)


def draw_confusion(detail: RunDetail) -> None:
    """Draw gold labels against predicted ones."""
    if detail.confusion.empty:
        return
    st.subheader(_("Confusion matrix"), anchor=False)
    names = labels(str(detail.run["task_id"]))
    figure = curves.confusion(detail.confusion, names, gold=_("Gold label"), predicted=_("Predicted"), ink=ink())
    cells = [
        _("{gold} as {predicted} {n}").format(
            gold=names.get(gold, gold), predicted=names.get(predicted, predicted), n=f"{n:,.0f}"
        )
        for (gold, predicted), n in detail.confusion.stack().items()
    ]
    with st.container(width=460):
        alt = _("Gold labels against predicted labels: {told}").format(told="; ".join(cells[:12]))
        chart(figure, "confusion", alt)


def labels(task_id: str) -> dict[str, str]:
    """What the classes of a task are called, by what the predictions say."""
    own = next((task.labels for task in tasks.TASKS if task.task_id == task_id), ())
    return {str(index): translated(CLASSES).get(label) or task_names.label(label) for index, label in enumerate(own)}


def draw_hardest(detail: RunDetail) -> None:
    """Draw the wrong answers of which the run was surest, with their texts where the data are at hand."""
    wrong = cache.hardest(str(detail.run["run_id"]))
    if wrong.examples.empty:
        return
    st.subheader(
        _("Most confident errors"),
        help=_(
            "The wrong answers to which the model gave the highest probability. Often the label is at "
            "fault, or the text has two readings."
        ),
        anchor=False,
    )
    if wrong.withheld:
        st.caption(_(COMPARE_WITHHELD))
        return
    answers = detail.metrics.loc[detail.metrics["name"] == detail.task.get("metric"), "n"].dropna()
    if len(answers):
        st.caption(
            _("The wrong answers of which it was surest, out of {n} examples.").format(n=f"{int(answers.iloc[0]):,}")
        )
    rows = hardest_table(wrong, labels(str(detail.run["task_id"])), _texts(detail, wrong))
    right = {_("Probability"): st.column_config.TextColumn(alignment="right", width="small")}
    st.dataframe(
        rows,
        hide_index=True,
        key="hardest",
        column_config=right,
        height=390 if len(rows) > 10 else "content",
        alt=_("{n} wrong answers, the surest first").format(n=len(rows)),
    )


def _texts(detail: RunDetail, wrong: Hardest) -> dict[str, str]:
    """What the examples say, by their ids; of a question its text is left out, which is a paragraph.

    A file whose gold answer is another is another edition, and a file that cannot be read says nothing here: the page
    of comparisons tells what is wrong with it.
    """
    try:
        known, _unused = cache.texts(str(detail.run["task_id"]))
    except ExamplesError:
        return {}
    language = str(detail.task.get("language")) if wrong.texts else None
    texts = {}
    for row in wrong.examples.itertuples():
        example = known.get(str(row.example_id))
        if example and example.agrees(str(row.gold), language):
            texts[str(row.example_id)] = " / ".join(part for name, part in example.parts.items() if name != "context")
    return texts


def hardest_table(wrong: Hardest, names: Mapping[str, str], texts: Mapping[str, str] | None) -> pd.DataFrame:
    """One row a wrong answer, as text; the column of texts is there where any is known."""
    rows = wrong.examples
    shown: dict[str, Any] = {_("Example"): rows["example_id"]}
    if texts:
        shown[_("Text")] = [texts.get(str(example), formats.DASH) for example in rows["example_id"]]

    def answer(stored: object, *, gold: bool) -> str:
        if pd.isna(stored):
            return formats.DASH
        if wrong.texts:
            return " / ".join(unpack(str(stored))) if gold else str(stored)
        return names.get(str(stored), str(stored))

    shown[_("Gold label")] = [answer(stored, gold=True)[:_ANSWER] for stored in rows["gold"]]
    shown[_("Predicted")] = [answer(stored, gold=False)[:_ANSWER] for stored in rows["predicted"]]
    shown[_("Probability")] = [f"{score:.2%}" for score in rows["score"]]
    return pd.DataFrame(shown)


def _table(rows: pd.DataFrame, key: str, alt: str) -> None:
    """Words on the left, figures right-aligned."""
    right = {name: st.column_config.TextColumn(alignment="right") for name in rows.columns[1:]}
    st.dataframe(
        rows, hide_index=True, key=key, column_config=right, height=560 if len(rows) > 16 else "content", alt=alt
    )
