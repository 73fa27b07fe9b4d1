"""The figure of the trade-off page: a picture in, a Plotly figure out, with the marks of ``dashboard.ui.theme``."""

import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.axes import Axis, log_ticks
from dashboard.charts.style import interval, marker
from dashboard.tradeoffs import figure_data, labels
from dashboard.tradeoffs.figure_data import Picture
from dashboard.ui.i18n import _
from dashboard.ui.labels import SOURCES
from dashboard.ui.theme import CLEAR, GREY, GRID, SYMBOLS

HEIGHT = 560
_SIZE, _SIZES = 10.0, (7.0, 22.0)
_DOMINATED = "rgba(20,160,149,0.07)"
_OUTSIDE = "rgba(138,134,124,0.16)"
_FAINT = 0.3
_RING = "circle-open"


def tradeoff(
    shown: Picture,
    colours: Mapping[str, str],
    *,
    budget: Mapping[str, float],
    best: str | None,
    arrows: pd.DataFrame | None,
    ink: str,
    paper: str,
    fixed: bool = False,
) -> go.Figure:
    """Cost against score: intervals, the frontier with what it dominates, the budget, who taught whom.

    Args:
        shown: With at least one mark.
        colours: Of the families.
        budget: The most of each cost; that of the horizontal axis is drawn, marks beyond any of them are faint.
        best: The run that is best within the budget, which has a ring.
        arrows: Of ``tradeoffs.links``; None draws none.
        ink: The theme's text colour.
        paper: The theme's background, so that a saved picture is not transparent.
        fixed: The axes stay as they are, so that a finger on the plot scrolls the page.
    """
    x, y = figure_data.frame(shown)
    figure = go.Figure()
    _draw_dominated(figure, shown, x, y)
    if arrows is not None and len(arrows):
        _draw_arrows(figure, shown, arrows, y.factor)
    _draw_marks(figure, shown, colours, y.factor)
    if best is not None:
        _draw_ring(figure, shown.marks[shown.marks["run_id"] == best], y.factor, ink)
    _draw_legend(figure, shown, colours, ink, arrows=arrows is not None and len(arrows) > 0, best=best is not None)
    maximum = budget.get(shown.x.key)
    limit = None if maximum is None or maximum >= x.high else max(maximum, x.low)
    if maximum is not None and limit is not None:
        _draw_limit(figure, limit, x.high, _("at most {value}").format(value=shown.x.text(maximum)), ink)
    names = labels.annotations(shown, (x, y), ink, arrows=arrows, limit=limit)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 8, "t": 12, "b": 8},
        paper_bgcolor=paper,
        plot_bgcolor=CLEAR,
        hovermode="closest",
        hoverlabel={"bgcolor": paper, "font": {"color": ink}},
        dragmode="pan",
        annotations=names,
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.16,
            "x": 0,
            "title": None,
            "itemclick": False,
            "itemdoubleclick": False,
            "itemsizing": "constant",
            "font": {"color": ink},
        },
    )
    figure.update_xaxes(**_axis_options(x, ink), tickangle=0, fixedrange=fixed)
    figure.update_yaxes(**_axis_options(y, ink), fixedrange=fixed)
    return figure


def _axis_options(axis: Axis, ink: str) -> dict[str, Any]:
    ends = [math.log10(axis.low), math.log10(axis.high)] if axis.log else [axis.low, axis.high]
    options: dict[str, Any] = {
        "title": {"text": escape(axis.title), "font": {"color": ink}},
        "type": "log" if axis.log else "linear",
        "range": ends,
        "gridcolor": GRID,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"color": ink},
    }
    if axis.log:
        options |= log_ticks(axis.low, axis.high, axis.unit)
    return options


def _draw_dominated(figure: go.Figure, shown: Picture, x: Axis, y: Axis) -> None:
    """The frontier as steps, and the area of what it beats."""
    front = shown.front
    worst = y.low if shown.maximise else y.high
    scores = (front["y"] * y.factor).tolist()
    costs = front["x"].tolist()
    # A frontier holds until the next mark is reached, and the last one to the end of the plot.
    steps_x = [step for cost, following in zip(costs, [*costs[1:], x.high], strict=True) for step in (cost, following)]
    steps_y = [step for score in scores for step in (score, score)]
    figure.add_scatter(
        x=[costs[0], *steps_x, x.high],
        y=[worst, *steps_y, worst],
        mode="lines",
        fill="toself",
        fillcolor=_DOMINATED,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=costs,
        y=scores,
        mode="lines",
        name=_("Pareto frontier; shaded: what it beats"),
        hoverinfo="skip",
        showlegend=False,
        line={"color": GREY, "width": 1.8, "shape": "hv"},
    )


def _draw_arrows(figure: go.Figure, shown: Picture, arrows: pd.DataFrame, factor: float) -> None:
    points = shown.marks[["x", "y"]].to_numpy(dtype=float) * [1.0, factor]
    teachers, students = (points[arrows[end].to_numpy()] for end in ("teacher", "student"))
    ends = np.stack([teachers, students, np.full_like(teachers, np.nan)], axis=1).reshape(-1, 2)  # a gap after each
    figure.add_scatter(
        x=ends[:, 0],
        y=ends[:, 1],
        mode="lines+markers",
        hoverinfo="skip",
        showlegend=False,
        opacity=0.8,
        line={"color": GREY, "width": 1.1, "dash": "dot"},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        marker={
            "symbol": "arrow",
            "angleref": "previous",
            "color": GREY,
            "standoff": 6,
            "size": [size for _unused in range(len(arrows)) for size in (0, 10, 0)],
        },
    )


def _draw_marks(figure: go.Figure, shown: Picture, colours: Mapping[str, str], factor: float) -> None:
    marks = shown.marks.assign(
        px=_sizes(shown), told=[labels.hover(shown, row) for _unused, row in shown.marks.iterrows()]
    )
    for (family, source, within), group in marks.groupby(["family", "source", "within"], sort=True):
        colour = colours.get(str(family), GREY)
        thick = 1.0 if within else _FAINT
        figure.add_scatter(
            x=group["x"],
            y=group["y"] * factor,
            mode="markers",
            showlegend=False,
            customdata=group["run_id"].tolist(),
            marker=marker(colour, SYMBOLS[str(source)], group["px"], opacity=thick),
            error_y=interval(group, factor, _thin(colour, thick), of="y", thickness=1.1, width=3),
            unselected={"marker": {"opacity": _FAINT}},
            text=group["told"],
            hovertemplate="%{text}<extra></extra>",
        )


def _thin(colour: str, strength: float) -> str:
    """A colour of ``#RRGGBB`` at two thirds of some strength: an interval stands behind its mark."""
    red, green, blue = (int(colour[index : index + 2], 16) for index in (1, 3, 5))
    return f"rgba({red},{green},{blue},{0.65 * strength:.2f})"


def _sizes(shown: Picture) -> NDArray[np.float64]:
    """Diameters in pixels; a mark without the third figure is the smallest."""
    if shown.size is None:
        return np.full(len(shown.marks), _SIZE)
    weight = shown.marks["weight"].to_numpy(dtype=float)
    weight = np.log(weight) if shown.size.log else weight
    if np.isnan(weight).all():
        return np.full(len(weight), _SIZES[0])
    least, span = np.nanmin(weight), np.nanmax(weight) - np.nanmin(weight)
    share = np.zeros(len(weight)) if span == 0 else np.nan_to_num((weight - least) / span)
    return _SIZES[0] + share * (_SIZES[1] - _SIZES[0])


def _draw_ring(figure: go.Figure, mark: pd.DataFrame, factor: float, ink: str) -> None:
    figure.add_scatter(
        x=mark["x"],
        y=mark["y"] * factor,
        mode="markers",
        hoverinfo="skip",
        showlegend=False,
        marker=marker(ink, _RING, 22),
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _draw_limit(figure: go.Figure, limit: float, end: float, label: str, ink: str) -> None:
    """Where the budget of the horizontal axis ends."""
    figure.add_shape(
        type="rect", x0=limit, x1=end, y0=0, y1=1, yref="paper", layer="below", line={"width": 0}, fillcolor=_OUTSIDE
    )
    figure.add_shape(
        type="line",
        x0=limit,
        x1=limit,
        y0=0,
        y1=1,
        yref="paper",
        line={"width": 1.4, "color": ink, "dash": "longdash"},
        label={
            "text": escape(label),
            "textposition": "start",
            "textangle": 0,
            "xanchor": "left",
            "yanchor": "bottom",
            "padding": 6,
            "font": {"color": ink, "size": 12},
        },
    )


def _draw_legend(
    figure: go.Figure, shown: Picture, colours: Mapping[str, str], ink: str, *, arrows: bool, best: bool
) -> None:
    """Every mark of the figure once: colours, then shapes, then lines."""

    def entry(name: str, **options: Any) -> None:
        figure.add_scatter(x=[None], y=[None], name=escape(name)[:60], hoverinfo="skip", **options)

    families = sorted(shown.marks["family"].unique())
    coloured = [family for family in families if colours.get(family, GREY) != GREY]
    for family in coloured:
        entry(family, mode="markers", marker={"color": colours[family], "symbol": "square", "size": 10})
    if len(coloured) < len(families):
        entry(_("Other families"), mode="markers", marker={"color": GREY, "symbol": "square", "size": 10})
    for source in (source for source in SYMBOLS if (shown.marks["source"] == source).any()):
        entry(_(SOURCES[source]), mode="markers", marker=marker(GREY, SYMBOLS[source], 10))
    entry(_("Pareto frontier; shaded: what it beats"), mode="lines", line={"color": GREY, "width": 1.8})
    if best:
        entry(_("Best within the budget"), mode="markers", marker=marker(ink, _RING, 14))
    if not shown.marks["within"].all():
        faint = {"color": GREY, "symbol": "circle", "size": 10, "opacity": _FAINT}
        entry(_("Beyond the budget, or not known"), mode="markers", marker=faint)
    if arrows:
        entry(_("From teacher to student"), mode="lines", line={"color": GREY, "width": 1.1, "dash": "dot"})
