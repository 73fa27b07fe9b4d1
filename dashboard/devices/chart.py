"""The figure of the devices page: a data frame in, a Plotly figure out, with the marks of ``dashboard.ui.theme``."""

import math
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dashboard.devices import comparison
from dashboard.ui import formatting
from dashboard.ui.i18n import _
from dashboard.ui.labels import SOURCES
from dashboard.ui.markdown import cited_title
from dashboard.ui.theme import CLEAR, GREY, GRID, SYMBOLS

_ROW, _HEAD, _GAP = 26, 1.15, 0.45
"""Height of a row in pixels; of a machine's title and of the space above it, in rows."""

_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def speed(rows: pd.DataFrame, colours: dict[str, str], *, ink: str) -> go.Figure:
    """How many times as fast as BERT-base each model is, machine by machine, on one logarithmic scale.

    Rows of ``dashboard.devices.comparison.compared`` without ``times`` are left out.
    """
    shown = rows.dropna(subset=["times"]).reset_index(drop=True)
    left = _label_width(shown)
    figure = go.Figure()
    row_y, ticks = 0.0, {}
    for (machine, condition, source), group in shown.groupby(["machine", "condition", "source"], sort=False):
        row_y += _GAP if row_y else 0.0
        _title(figure, row_y, str(machine), f"{_(SOURCES[source]).lower()}, {condition}", ink, left)
        row_y += _HEAD
        figure.add_shape(
            type="line",
            x0=1,
            x1=1,
            y0=row_y - 0.5,
            y1=row_y + len(group) - 0.5,
            layer="below",
            line={"width": 1, "color": GREY},
        )
        for row in group.itertuples():
            ticks[row_y] = _label(row)
            _mark(figure, row_y, row, colours.get(str(row.family), GREY), ink)
            row_y += 1
    low, high = (float(shown["times"].min()), float(shown["times"].max())) if len(shown) else (1.0, 1.0)
    # The numbers stand to the right of the marks, and need room there on a narrow screen too.
    padding = 1.9 if high > 4 else 1.5
    figure.update_xaxes(
        type="log",
        range=[math.log10(min(low, 1) * 0.88), math.log10(max(high, 2) * padding)],
        tickvals=list(_TICKS),
        ticktext=[f"{tick:g}×" for tick in _TICKS],
        gridcolor=GRID,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=list(ticks),
        ticktext=list(ticks.values()),
        range=[row_y - 0.3, -0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        tickfont={"color": ink},
    )
    figure.update_layout(
        height=round(_ROW * (row_y + 1)) + 34,
        margin={"l": left, "r": 8, "t": 4, "b": 28},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        showlegend=False,
        hovermode="closest",
    )
    return figure


def _label_width(rows: pd.DataFrame) -> int:
    """Pixels that the longest label of a row takes."""
    longest = max((len(_label(row)) for row in rows.itertuples()), default=0)
    return min(max(7 * longest + 12, 96), 220)


def _title(figure: go.Figure, row_y: float, machine: str, label: str, ink: str, left: int) -> None:
    figure.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        xshift=4 - left,
        y=row_y,
        showarrow=False,
        font={"color": ink},
        text=f"<b>{escape(machine[:40])}</b>  {escape(label)}",
        align="left",
    )


def _label(row: Any) -> str:
    name = escape(str(row.model)[:24])
    return name if row.source == "reported" else f"{name}, {row.precision}"


def _mark(figure: go.Figure, row_y: float, row: Any, colour: str, ink: str) -> None:
    label = f"{row.times:.2f}×" if row.times < 10 else f"{row.times:.1f}×"
    seconds = comparison.time(row.seconds)
    figure.add_scatter(
        x=[1, row.times],
        y=[row_y, row_y],
        mode="lines",
        line={"color": colour, "width": 2},
        opacity=0.45,
        hoverinfo="skip",
    )
    figure.add_annotation(
        x=math.log10(max(row.times, 1)),
        y=row_y,
        xanchor="left",
        xshift=9,
        text=label,
        showarrow=False,
        font={"color": ink, "size": 12},
    )
    heavy = _("{mb} MB of memory").format(mb=f"{row.peak_memory_bytes / 1e6:,.0f}")
    cost = "" if math.isnan(row.peak_memory_bytes) else f"<br>{escape(heavy)}"
    fast = _("{times} as fast as {reference} ({condition})").format(
        times=label, reference=comparison.REFERENCE_NAME, condition=row.condition
    )
    origin = f"<br>{escape(formatting.cut(cited_title(str(row.citation)), 70))}" if row.source == "reported" else ""
    figure.add_scatter(
        x=[row.times],
        y=[row_y],
        mode="markers",
        customdata=[row.run_id],
        marker={
            "color": colour,
            "symbol": SYMBOLS[str(row.source)],
            "size": 10,
            "line": {"width": 1.8, "color": colour},
        },
        hovertemplate=f"{_label(row)}: {seconds}<br>{escape(fast)}{cost}{origin}<extra></extra>",
    )
