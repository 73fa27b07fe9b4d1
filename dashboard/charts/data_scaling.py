"""The figure of the learning curves: data in, a Plotly figure out, with the marks of ``dashboard.ui.theme``."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go

from dashboard.charts.style import interval, styled
from dashboard.ui.i18n import _
from dashboard.ui.theme import GREY, SYMBOLS
from db.registry import formats
from db.registry.metrics import Metric

_DASHES = ("solid", "dash", "dot", "longdash")


def learning(
    points: pd.DataFrame, levels: Sequence[tuple[str, str, float]], metric: Metric, colours: dict[str, str]
) -> go.Figure:
    """Score over the number of training examples, on a logarithmic scale, with intervals; printed scores as levels."""
    factor = 100.0 if metric.unit == "percent" else 1.0
    figure = go.Figure()
    for line, rows in points.groupby("line", sort=False):
        colour = colours.get(str(rows["family"].iloc[0]), GREY)
        figure.add_scatter(
            x=rows["examples"],
            y=rows["score"] * factor,
            name=escape(str(line))[:60],
            mode="lines+markers",
            line={"color": colour, "width": 1.8, "dash": _DASHES[int(rows["order"].iloc[0]) % len(_DASHES)]},
            marker={"color": colour, "symbol": SYMBOLS["measured"], "size": 9},
            error_y=interval(rows, factor, colour),
            text=[escape(text) for text in rows["text"]],
            hovertemplate="%{text}<extra></extra>",
        )
    sizes = sorted({int(size) for size in points["examples"]})
    low, high = sizes[0] / 1.3, sizes[-1] * 1.3  # a single size has room on both sides too
    for name, family, score in levels:
        figure.add_scatter(
            x=[low, high],
            y=[score * factor] * 2,
            name=escape(name)[:60],
            mode="lines",
            line={"color": colours.get(family, GREY), "width": 1.2, "dash": "dot"},
            hovertemplate=f"{escape(name)}: {formats.value(metric, score)}<extra></extra>",
        )
    # Below the axis and in one column: names of models are long, and a telephone is 390 pixels wide.
    legend = {"orientation": "v", "yanchor": "top", "y": -0.2, "x": 0, "title": None}
    styled(figure, 380 + 20 * len(figure.data), legend=legend, showlegend=True)
    figure.update_xaxes(
        title=_("Training examples (log)"),
        type="log",
        tickvals=_ticks(sizes),
        minor={"ticks": ""},
        ticktext=[formats.short(tick) for tick in _ticks(sizes)],
        tickangle=0,
    )
    unit = " (%)" if metric.unit == "percent" else ""
    figure.update_yaxes(title=f"{metric.label}{unit}")
    return figure


def _ticks(sizes: Sequence[int]) -> list[int]:
    """The sizes that were measured; of two that would write into each other the larger one."""
    ticks: list[int] = []
    for size in reversed(sizes):
        if not ticks or size < ticks[0] / 1.35:
            ticks.insert(0, size)
    return ticks
