"""The figure of the speed lab: every call as a point, the quartiles as a box."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.ui import theme

BUSY = 0.15
"""Of all cores, kept busy by others: from here on times are told to be doubtful, as ``featherboard bench`` does."""

_ROW = 64
"""Pixels of one model."""


def distribution(rows: Sequence[tuple[str, Sequence[float]]], title: str, ink: str) -> go.Figure:
    """Times of each model, the fastest on top.

    Args:
        rows: Name and times in ms.
        title: Of the axis.
        ink: Colour of the text.
    """
    figure = go.Figure()
    for place, (name, times) in enumerate(rows):
        colour = theme.OKABE_ITO[place % len(theme.OKABE_ITO)]
        figure.add_trace(
            go.Box(
                x=list(times),
                name=name,
                orientation="h",
                boxpoints="all",
                jitter=0.5,
                pointpos=0,
                fillcolor=theme.CLEAR,
                line={"color": colour, "width": 1.5},
                marker={"size": 4, "opacity": 0.45, "color": colour},
                hovertemplate="%{x:.1f} ms<extra></extra>",
            )
        )
    figure.update_layout(
        showlegend=False,
        height=90 + _ROW * len(rows),
        margin={"l": 0, "r": 10, "t": 10, "b": 40},
        paper_bgcolor=theme.CLEAR,
        plot_bgcolor=theme.CLEAR,
        font={"color": ink},
        xaxis={"title": title, "rangemode": "tozero", "gridcolor": theme.GRID, "zeroline": False},
        yaxis={"autorange": "reversed", "automargin": True, "ticklabelposition": "outside top"},
    )
    return figure
