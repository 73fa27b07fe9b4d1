"""The curves of a run, with what a visitor may choose about them, all of it in the address: axis, scale, smoothing."""

import pandas as pd
import streamlit as st

from dashboard.charts import curves as curve_charts
from dashboard.charts.curves import Axis
from dashboard.ui import formatting, url_state
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.labels import RUN_AXES
from dashboard.ui.markdown import chart, two_a_row
from db.runs.detail import RunDetail

RUN_TIME_AXIS = {"s": N_("Seconds of training"), "min": N_("Minutes of training"), "h": N_("Hours of training")}
RUN_SMOOTHINGS = {"raw": N_("Raw"), "some": N_("Smooth"), "much": N_("Smoother")}

_SMOOTHING = {"raw": 0.0, "some": 0.7, "much": 0.93}
"""Weight of what came before, by what is chosen."""


def draw(detail: RunDetail) -> None:
    """Draw the curves."""
    if detail.curves.empty:
        st.subheader(_("Curves"), anchor=False)
        st.caption(
            _("A document printed this row; its curves, if any, are pictures there.")
            if detail.run["source"] == "reported"
            else _("This run has no curves.")
        )
        return
    chosen, log, smoothing = _controls(curve_charts.axes(detail.curves), detail.curves)
    labels = curve_charts.labelled(detail.curves)
    kinds = {name: curve_charts.kind_label(name) for name in labels}
    shown = curve_charts.charts(detail.curves)
    name = formatting.cut(detail.run["name"], 60)
    for column, (code, title, series) in two_a_row(shown, whole=True):
        axis = _axis(detail.curves, series, chosen)
        percent = code == "accuracy"
        figure = curve_charts.curves(
            detail.curves,
            series,
            labels,
            axis,
            title=title,
            percent=percent,
            log=log and not percent,
            smoothing=smoothing,
            kinds=kinds,
        )
        alt = _("{title} of {name}, horizontal axis: {axis}").format(title=title, name=name, axis=axis.title)
        with column:
            chart(figure, f"curve-{code}", alt)


def _controls(offered: list[str], points: pd.DataFrame) -> tuple[str, bool, float]:
    """Draw the choice of axis, scale and smoothing, and return it."""
    with st.container(horizontal=True, vertical_alignment="center", key="curve-controls"):
        st.subheader(_("Curves"), anchor=False, width="content")
        st.space("stretch")
        axis = offered[0]
        if len(offered) > 1:
            named = {code: _(RUN_AXES[code]) for code in offered}
            axis = url_state.choice("x", _("Horizontal axis"), named, label_visibility="collapsed")
        smoothing = 0.0
        if points.groupby("series").size().max() >= curve_charts.FEWEST_SMOOTHED:
            named = translated(RUN_SMOOTHINGS)
            smoothing = _SMOOTHING[url_state.choice("smooth", _("Smoothing"), named, label_visibility="collapsed")]
        log = st.toggle(_("Log scale"), key="log", bind="query-params")
    return axis, log, smoothing


def _axis(points: pd.DataFrame, series: list[str], code: str) -> Axis:
    """The wanted axis, or the first one that these series have: a pretraining's loss has no times."""
    own = points[points["series"].isin(series)]
    offered = curve_charts.axes(own)
    code = code if code in offered else offered[0] if offered else "step"
    if code == "time":
        unit = curve_charts.time_unit(points)
        return Axis(code, _(RUN_TIME_AXIS[unit]), curve_charts.TIME_UNITS[unit])
    return Axis(code, _(RUN_AXES[code]))
