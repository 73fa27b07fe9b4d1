"""The figure of the devices page: a data frame in, a Plotly figure out, with the marks of ``dashboard.charts``."""

import math
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dashboard import devices
from dashboard.charts import SYMBOLS

_GREY, _GRID, _CLEAR = "#8A867C", "rgba(138,134,124,0.20)", "rgba(0,0,0,0)"
_ROW, _HEAD, _GAP = 26, 1.15, 0.45
"""Height of a row in pixels; of a machine's title and of the space above it, in rows."""

_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def speed(rows: pd.DataFrame, colours: dict[str, str], *, ink: str) -> go.Figure:
    """How many times as fast as BERT-base each model is, machine by machine, on one logarithmic scale.

    Args:
        rows: Of ``dashboard.devices.compared``; rows without ``times`` are left out.
        colours: Of ``dashboard.charts.family_colours``.
        ink: The theme's text colour.
    """
    shown = rows.dropna(subset=["times"]).reset_index(drop=True)
    figure = go.Figure()
    place, ticks = 0.0, {}
    for (machine, condition, source), group in shown.groupby(["machine", "condition", "source"], sort=False):
        place += _GAP if place else 0.0
        _title(figure, place, str(machine), f"{source}, {condition}", ink)
        place += _HEAD
        for row in group.itertuples():
            ticks[place] = _label(row)
            _mark(figure, place, row, colours.get(str(row.family), _GREY), ink)
            place += 1
    low, high = (float(shown["times"].min()), float(shown["times"].max())) if len(shown) else (1.0, 1.0)
    figure.add_vline(x=1, line_width=1, line_color=_GREY)
    figure.update_xaxes(
        type="log", range=[math.log10(min(low, 1) * 0.85), math.log10(max(high, 2) * 3.2)], tickvals=list(_TICKS),
        ticktext=[f"{tick:g}×" for tick in _TICKS], gridcolor=_GRID, zeroline=False, fixedrange=True,
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(ticks), ticktext=list(ticks.values()), range=[place - 0.3, -0.6], showgrid=False,
        zeroline=False, automargin=True, fixedrange=True, tickfont={"color": ink},
    )  # fmt: skip
    figure.update_layout(
        height=round(_ROW * (place + 1)) + 34, margin={"l": 8, "r": 8, "t": 4, "b": 8}, paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR, showlegend=False, hovermode="closest",
    )  # fmt: skip
    return figure


def _title(figure: go.Figure, place: float, machine: str, told: str, ink: str) -> None:
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=place, text=f"<b>{escape(machine[:44])}</b>  {escape(told)}",
        showarrow=False, font={"color": ink}, align="left",
    )  # fmt: skip


def _label(row: Any) -> str:
    name = escape(str(row.model)[:32])
    return name if row.source == "reported" else f"{name}, {row.precision}"


def _mark(figure: go.Figure, place: float, row: Any, colour: str, ink: str) -> None:
    told = f"{row.times:.2f}×" if row.times < 10 else f"{row.times:.1f}×"
    seconds = devices.time(row.seconds)
    figure.add_trace(
        go.Scatter(x=[1, row.times], y=[place, place], mode="lines", line={"color": colour, "width": 2}, opacity=0.45,
                   hoverinfo="skip")
    )  # fmt: skip
    cost = ""
    if not math.isnan(row.peak_memory_bytes):
        cost = f"<br>{row.peak_memory_bytes / 1e6:,.0f} MB of memory"
    origin = f"<br>{escape(str(row.citation)[:70])}" if row.source == "reported" else ""
    figure.add_trace(
        go.Scatter(
            x=[row.times], y=[place], mode="markers+text", text=[f"{told}  {seconds}"],
            textposition="middle right" if row.times >= 1 else "middle left" if row.times < 0.3 else "middle right",
            textfont={"color": ink, "size": 12},
            marker={"color": colour, "symbol": SYMBOLS[str(row.source)], "size": 10,
                    "line": {"width": 1.8, "color": colour}},
            customdata=[row.run_id],
            hovertemplate=f"{_label(row)}<br>{told} as fast as BERT-base, {seconds} ({escape(str(row.condition))})"
                          f"{cost}{origin}<extra></extra>",
        )
    )  # fmt: skip
