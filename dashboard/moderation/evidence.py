"""What a moderator decides by: the place on the board, what the predictions say, other rows of the model, curves."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.charts import curves as curve_charts
from dashboard.charts.curves import Axis
from dashboard.moderation.client import ModerationClient
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import RUN_AXES, SOURCES
from dashboard.ui.markdown import chart, page_link, plain, table, two_a_row
from dashboard.ui.messages import STATES
from dashboard.ui.messages import sentence as message_sentence
from db import submissions
from db.registry import formats, tasks
from db.registry.metrics import Metric
from db.submissions import Difference
from db.submissions.verification import Report, Score

MODERATE_STATES = STATES | {"all": N_("All"), "unverified": N_("Without the badge")}
MODERATE_BADGE = {True: N_("with the badge Verified"), False: N_("without the badge")}
MODERATE_REPORTS = {
    "verified": N_("All {split} examples of the split are answered, and the figures are those that are claimed."),
    "disagrees": N_("All {split} examples of the split are answered, and they give another figure than is claimed."),
    "incomplete": N_("The predictions do not cover the split, so there is no badge."),
    "unscored": N_("The predictions cannot be scored here."),
    "no golds": N_("The gold labels are not here, so nothing could be scored. The badge can come later."),
    "no predictions": N_("It came without predictions: nothing can be scored again."),
}

_SAMPLE = 50
_NAME = 60
_CHARTS = 4
_NEAREST, _LINKS = 8, 4
"""Rows of the same model that are shown, and that are a click away."""
_HEIGHT = 230


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]], alt: str) -> None:
    """A small table of texts."""
    table(pd.DataFrame(rows, columns=list(columns)).map(plain), alt)


def sentence(report: Report) -> str:
    """What the predictions say, in the visitor's language."""
    return _(MODERATE_REPORTS[report.state]).format(split=f"{report.split or 0:,}")


def draw_preview(difference: Difference) -> None:
    """The row among its neighbours, as the board would show it."""
    st.subheader(_("As it would stand on the board"), anchor=False)
    metric, shown = _metric(difference), difference.preview
    values = {
        "rank": shown.rank.replace("-", "\N{EN DASH}"),
        "rows": f"{shown.rows:,}",
        "score": formatting.value(metric, shown.row["score"]),
    }
    if shown.row["low"] is not None and shown.row["high"] is not None:
        ends = {name: formatting.value(metric, shown.row[name]) for name in ("low", "high")}
        words_ = _("Rank {rank} of {rows} rows with {score} ({low} to {high})").format(**values, **ends)
    else:
        words_ = _("Rank {rank} of {rows} rows with {score}").format(**values)
    st.markdown(f"{plain(words_)}, {_(MODERATE_BADGE[bool(shown.row['verified'])])}.")
    if (shown.row["seeds"] or 1) > 1:
        st.caption(
            _("The score is the mean over {n} seeds: this one and those that are on the board.").format(
                n=shown.row["seeds"]
            )
        )
    above, own, below = _("above"), _("this row"), _("below")
    rows = [
        (position, formatting.cut(neighbour["model"], _NAME), formatting.value(metric, float(neighbour["score"])))
        for position, neighbour in ((above, shown.above), (own, shown.row), (below, shown.below))
        if neighbour is not None
    ]
    cells = [[f"**{plain(cell)}**" if row[0] == own else plain(cell) for cell in row] for row in rows]
    frame = pd.DataFrame(cells, columns=["", _("Model"), _("Score")])
    table(frame, _("As it would stand on the board"))


def draw_report(difference: Difference) -> None:
    """What the predictions say of the claim, with every figure that is claimed."""
    report = difference.report
    st.subheader(_("What its predictions say"), anchor=False)
    if report.state in {"disagrees", "incomplete"}:
        st.warning(sentence(report), icon=":material/report:")
    else:
        icon = ":green[:material/check_circle:]" if report.verified else ":material/help:"
        st.markdown(f"{icon} {sentence(report)}")
    if report.source:
        how = _("Reason: {told}.") if report.state in {"no golds", "unscored"} else _("Scored with {told}.")
        st.caption(how.format(told=plain(message_sentence(report.source).rstrip("."))))
    if report.state not in {"no predictions", "no golds"}:
        split, *others = report.split, report.rows, report.matched, report.missing, report.foreign, report.duplicated
        cells = [formats.DASH if split is None else f"{split:,}", *(f"{count:,}" for count in others)]
        heads = (_("Split"), _("Rows given"), _("Answered"), _("Missing"), _("Of another split"), _("More than once"))
        text_table(heads, [cells], _("How the predictions fit the split"))
    _figures(difference)


def _figures(difference: Difference) -> None:
    scored = {score.name: score for score in difference.report.scores}
    claimed = difference.submission.claim.metrics
    rows = []
    for name in dict.fromkeys([*scored, *claimed]):
        metric, score = task_names.metric(name), scored.get(name)
        if score is None:
            rows.append(
                (metric.label, formatting.value(metric, claimed[name]), formats.DASH, formats.DASH, _("not checked"))
            )
            continue
        claim, seen = formatting.claimed_and_computed(metric, claimed.get(name), score.computed, agrees=score.agrees)
        ends = formatting.interval(metric, score.interval.low, score.interval.high)
        rows.append((metric.label, claim, seen, ends or formats.DASH, _verdict(metric, score)))
    heads = (_("Metric"), _("Claimed"), _("Found here"), _("95% interval"), _("Verdict"))
    text_table(heads, rows, _("Metrics"))


def _verdict(metric: Metric, score: Score) -> str:
    if score.claimed is None:
        return _("not claimed")
    if score.agrees:
        return _("agrees")
    return _("differs, found minus claimed: {n}").format(
        n=formatting.difference(metric, score.computed - score.claimed)
    )


def draw_existing(difference: Difference) -> None:
    """Rows of the same model, and in words what is the same and what is not."""
    st.subheader(_("Rows of the same model"), anchor=False)
    if difference.existing.empty:
        st.caption(_("No row of this board has this model."))
        return
    metric, own = _metric(difference), difference.submission.claim.params
    if own is None:
        st.caption(_("The submission does not report its parameters, so they cannot be compared."))
    near = difference.existing["score_difference"].abs().sort_values(kind="stable").index[:_NEAREST]
    shown = difference.existing.loc[near].to_dict("records")
    rows = [
        (
            formatting.cut(row["name"], _NAME),
            _(SOURCES[row["source"]]),
            formatting.cut(row["dataset"], _NAME),
            _count(row["params"]),
            formatting.value(metric, row["score"]),
            comparison(metric, own, row),
        )
        for row in shown
    ]
    dataset, difference_head = _("Training data"), _("Beside this submission")
    heads = (_("Row"), _("Source"), dataset, _("Parameters"), _("Score"), difference_head)
    text_table(heads, rows, _("Rows of the same model"))
    if len(difference.existing) > len(rows):
        st.caption(_("{n} rows; those of the nearest scores are shown.").format(n=len(difference.existing)))
    with st.container(horizontal=True):
        for row in shown[:_LINKS]:
            page_link("run", plain(formatting.cut(row["name"], 40)), run=row["run_id"])


def comparison(metric: Metric, own: int | None, row: dict[str, Any]) -> str:
    """A submission beside another row, in words: its parameters and its score."""
    if row["same_params"]:
        params = _("same parameters")
    elif own is None:
        params = ""
    elif pd.isna(row["params"]):
        params = _("parameters not reported there")
    else:
        params = _("other parameters: {own} here, {other} there").format(own=f"{own:,}", other=_count(row["params"]))
    by = row["score_difference"]
    if pd.isna(by):
        score = _("no score there")
    elif abs(by) < 5e-7:
        score = _("same score")
    else:
        score = _("score {n}").format(n=formatting.difference(metric, by))
    return f"{params}, {score}" if params else score


def draw_curves(client: ModerationClient, difference: Difference) -> None:
    """Small figures of its curves, where it has any."""
    if not difference.submission.points:
        return
    points = client.read(submissions.points, difference.submission.status.submission_id).assign(wall_time=np.nan)
    st.subheader(_("Curves"), anchor=False)
    labels = curve_charts.labelled(points)
    known = curve_charts.charts(points)
    plotted = {name for _code, _title, series in known for name in series}
    shown = [(title, series) for _code, title, series in known]
    shown += [(formatting.cut(name, 40), [name]) for name in labels if name not in plotted]
    for column, (title, series) in two_a_row(shown[:_CHARTS]):
        own = points[points["series"].isin(series)]
        code = "epoch" if own["epoch"].notna().all() else "step"
        axis = Axis(code, _(RUN_AXES[code]))
        figure = curve_charts.curves(own, series, labels, axis, title=title)
        figure.update_layout(height=_HEIGHT)
        alt = _("{title} of the submission over {axis}").format(title=title, axis=axis.title)
        with column:
            chart(figure, f"moderator curve {title}", alt)


def draw_answers(client: ModerationClient, difference: Difference) -> None:
    """The first of its predictions, as they came."""
    count = difference.submission.predictions
    if not count:
        return
    answers = client.read(submissions.answers, difference.submission.status.submission_id, limit=_SAMPLE)
    label = _("Predictions, the first {n} of {all}").format(n=len(answers), all=f"{count:,}")
    st.subheader(label, anchor=False)
    scores = [formats.DASH if pd.isna(score) else f"{score:.3f}" for score in answers["score"]]
    cells = (answers["example_id"].astype(str), answers["predicted"].fillna(formats.DASH).astype(str), scores)
    names = (_("Example"), _("Predicted"), _("Probability"))
    st.dataframe(
        pd.DataFrame(dict(zip(names, cells, strict=True))),
        hide_index=True,
        height=250,
        alt=label,
        key="moderator answers",
        column_config={
            name: st.column_config.TextColumn(alignment="right" if name == names[2] else "left") for name in names
        },
    )


def _metric(difference: Difference) -> Metric:
    return task_names.metric(tasks.by_id(difference.submission.claim.task).metric)


def _count(number: Any) -> str:
    return formats.DASH if number is None or pd.isna(number) else f"{int(number):,}"
