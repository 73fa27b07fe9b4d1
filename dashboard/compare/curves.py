"""Curves of several runs over each other: smoothing, and the figure."""

from collections.abc import Sequence
from html import escape
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.curves import smoothed
from dashboard.charts.style import styled
from dashboard.compare.names import COLOURS, DASHES
from db.analysis.comparison import LETTERS

Across = Literal["step", "epoch", "wall_time"]
"""What a curve is drawn over: a column of ``db.runs.curves.lines``."""

_FEW = 40
"""A line of at most so many points shows each, and is not smoothed: an average would only lag behind it."""


def common_series(series: pd.DataFrame) -> list[str]:
    """The curves that are drawn before anybody chose: losses and scores that several runs have."""
    order = (
        "train_loss",
        "validation_loss",
        "validation_accuracy",
        "validation_f1",
        "pretrain_loss",
        "masked_accuracy",
    )
    present = set(series["series"])
    first = [name for name in order if name in present][:3]
    return first or list(series["series"].head(1))


def overlay(
    points: pd.DataFrame,
    run_ids: Sequence[str],
    called: Sequence[str],
    *,
    across: Across,
    axis: str,
    smoothing: float = 0.0,
    percent: bool = False,
    log: bool = False,
) -> go.Figure:
    """One series of several runs, each in its colour and dash; under a smoothed line stands the raw one, pale.

    Points without a place on the axis ``across`` are left out, on a logarithmic scale also values that are not above 0.
    Lines of few points are not smoothed. A fraction is shown in percent where ``percent`` is set.
    """
    figure = go.Figure()
    factor = 100.0 if percent else 1.0
    for index, run_id in enumerate(run_ids):
        rows = points[(points["run_id"] == run_id) & points[across].notna()]
        if log:
            rows = rows[rows["value"] > 0]
        if rows.empty:
            continue
        colour, name = COLOURS[index], escape(f"{LETTERS[index]} {called[index]}")
        if smoothing > 0 and len(rows) > _FEW:
            figure.add_trace(_line(rows[across], rows["value"] * factor, colour, index, pale=True))
            shown = smoothed(rows["mean"].to_numpy(dtype=float), smoothing) * factor
        else:
            shown = rows["value"].to_numpy(dtype=float) * factor
        line = _line(rows[across], shown, colour, index)
        line.update(name=LETTERS[index], hovertemplate=f"{name}: %{{y:.4g}} ({axis} %{{x:.4g}})<extra></extra>")
        figure.add_trace(line)
    figure.update_xaxes(title=axis, rangemode="tozero")
    figure.update_yaxes(title="%" if percent else "", type="log" if log else "linear")
    if log:
        figure.update_yaxes(dtick=1, minor={"ticks": "", "showgrid": False}, exponentformat="power")
        _few_decades(figure, points["value"][points["value"] > 0].to_numpy(dtype=float) * factor)
    return styled(figure, 320, showlegend=True)


def _line(
    x: pd.Series, y: pd.Series | NDArray[np.float64], colour: str, index: int, *, pale: bool = False
) -> go.Scatter:
    few = len(x) <= _FEW and not pale
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers" if few else "lines",
        opacity=0.4 if pale else 1.0,
        showlegend=not pale,
        line={"color": colour, "width": 1.0 if pale else 2.0, "dash": "solid" if pale else DASHES[index]},
        marker={"size": 5},
        hoverinfo="skip" if pale else None,
    )


def _few_decades(figure: go.Figure, values: NDArray[np.float64]) -> None:
    """Values within two decades would get one or two ticks of powers of ten: the plain figures are told instead."""
    if not len(values):
        return
    low, high = float(values.min()), float(values.max())
    if high / low > 100:
        return
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [
        step * 10.0**power for power in powers for step in (1, 2, 5) if low * 0.8 <= step * 10.0**power <= high * 1.25
    ]
    figure.update_yaxes(tickvals=ticks, ticktext=[f"{tick:.4g}" for tick in ticks], tickmode="array")
