"""The figures of one run: its curves and its confusion. A data frame in, a Plotly figure out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.axes import log_ticks
from dashboard.charts.style import as_label, heatmap, styled
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.labels import CURVE_NAMES
from dashboard.ui.theme import DASHES, OKABE_ITO

# One figure each: what is counted in another unit, or on another scale, would flatten the rest.
_CHARTS = {
    "loss": (N_("Loss"), "train_loss", "validation_loss"),
    "accuracy": (
        N_("Accuracy"),
        "train_accuracy",
        "validation_accuracy",
        "train_start_accuracy",
        "train_end_accuracy",
        "masked_accuracy",
        "next_accuracy",
        "recurring_span_accuracy",
        "cloze_accuracy",
    ),
    "rate": (N_("Learning rate"), "learning_rate"),
    "pretraining": (N_("Pretraining loss"), "pretrain_loss"),
    "parts": (N_("Parts of the loss"), "kl_loss", "mlm_loss", "cosine_loss", "next_loss", "span_loss"),
    "tokens": (N_("Tokens per second"), "tokens_per_s"),
}
"""The title of each figure and the kinds of its series."""

AXES = ("epoch", "step", "time")
"""What can lie along the bottom."""

FEWEST_SMOOTHED = 10
"""Points below which an average would hide all there is."""

MOST_NAMED = 3
"""Series of one figure that are named one by one."""

_COLUMNS = {"epoch": "epoch", "step": "step", "time": "wall_time"}
TIME_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
"""Seconds in each unit of ``time_unit``."""


@dataclass(frozen=True)
class Axis:
    """A horizontal axis.

    Attributes:
        code: One of ``AXES``.
        title: As it is written below the figure.
        unit: Stored units in one shown unit: 60 where seconds are shown as minutes.
    """

    code: str
    title: str
    unit: float = 1.0


def axes(points: pd.DataFrame) -> list[str]:
    """The axes over which these points can be drawn; the first one is the usual one."""
    return [
        code
        for code in AXES
        if points[_COLUMNS[code]].notna().any() and (code != "time" or points["wall_time"].max() > 0)
    ]


def time_unit(points: pd.DataFrame) -> str:
    """The unit in which a training's time is best read: ``s``, ``min`` or ``h``."""
    longest = float(points["wall_time"].max())
    return "s" if longest < 120 else "min" if longest < 7200 else "h"


def smoothed(values: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """A running average in which what came before has ``weight``, corrected for its beginning (Kingma and Ba 2015)."""
    average, norm = 0.0, 0.0
    out = np.empty_like(values, dtype=float)
    for index, value in enumerate(values):
        average = weight * average + (1 - weight) * value
        norm = weight * norm + (1 - weight)
        out[index] = average / norm
    return out


def curves(
    points: pd.DataFrame,
    series: Sequence[str],
    labels: Mapping[str, str],
    axis: Axis,
    *,
    title: str,
    percent: bool = False,
    log: bool = False,
    smoothing: float = 0.0,
    kinds: Mapping[str, str] | None = None,
) -> go.Figure:
    """Series of one run, training and validation on one figure.

    Args:
        points: Columns ``series, step, epoch, value, wall_time``.
        series: Which series, in the order of the legend.
        labels: What each is called.
        axis: What lies along the bottom; points without a place on it are left out.
        title: Of the vertical axis.
        percent: Values are fractions that are shown in percent.
        log: A logarithmic vertical axis; values that are not above 0 are left out.
        smoothing: Weight of ``smoothed``, 0 for none; the points themselves stay, pale. A short series stays as it is.
        kinds: What each series is one of. More than ``MOST_NAMED`` series are coloured and named by it: the members of
            an ensemble would fill the figure with their names, which are told on hover.
    """
    figure = go.Figure()
    factor = 100.0 if percent else 1.0
    plotted: list[NDArray[np.float64]] = []
    kinds = kinds if kinds and len(series) > MOST_NAMED else {name: labels.get(name, name) for name in series}
    order = list(dict.fromkeys(kinds[name] for name in series))
    first = {kinds[name]: name for name in reversed(series)}
    for name in series:
        kind, position = kinds[name], order.index(kinds[name])
        rows = points[points["series"] == name].dropna(subset=[_COLUMNS[axis.code]])
        rows = rows[rows["value"] > 0] if log else rows
        x, y = rows[_COLUMNS[axis.code]].to_numpy(float) / axis.unit, rows["value"].to_numpy(float) * factor
        plotted.append(y)
        label = as_label(labels.get(name, name))
        line = {"color": OKABE_ITO[position % len(OKABE_ITO)], "width": 1.8, "dash": DASHES[position % 3]}
        look: dict[str, Any] = {
            "x": x,
            "mode": "lines+markers" if len(rows) <= 60 else "lines",
            "marker": {"size": 5},
            "line": line,
            "legendgroup": kind,
            "name": as_label(kind),
            "showlegend": first[kind] == name,
        }
        smooth = smoothing > 0 and len(rows) >= FEWEST_SMOOTHED
        if smooth:
            pale = {**look, "mode": "lines", "line": {**line, "width": 1, "dash": "solid"}, "showlegend": False}
            figure.add_scatter(y=y, opacity=0.3, hoverinfo="skip", **pale)
            look["mode"], y = "lines", smoothed(y, smoothing)
        hover = f"{label} %{{y:.4g}}, {axis.title.lower()} %{{x:.4~g}}<extra></extra>"
        figure.add_scatter(y=y, hovertemplate=hover, **look)
    figure.update_layout(showlegend=True)  # a single line says too what it is
    figure.update_xaxes(title=axis.title, rangemode="tozero")
    figure.update_yaxes(title=as_label(title) + (" (%)" if percent else ""))
    if log:
        values = np.concatenate(plotted) if plotted else np.empty(0)
        ticks = log_ticks(float(values.min()), float(values.max())) if len(values) else {}
        figure.update_yaxes(type="log", **(ticks | {"tickformat": "~g"}))
    return styled(figure, height=290)


def confusion(table: pd.DataFrame, names: Mapping[str, str], *, gold: str, predicted: str, ink: str) -> go.Figure:
    """Gold labels (rows) against predicted ones (columns), counts with the share of each row, written in ``ink``."""

    def named(label: str) -> str:
        return names.get(label, as_label(label))

    shares = table.div(table.sum(axis=1).clip(lower=1), axis=0)
    shares = shares.rename(index=named, columns=named)
    texts = table.map("{:,.0f}<br>".format) + shares.map("{:.1%}".format).to_numpy()
    hover = f"{gold}: %{{y}}, {predicted.lower()}: %{{x}}<br>%{{text}}<extra></extra>"
    height = 120 + 70 * min(len(table), 6)
    figure = heatmap(shares, texts, ink, predicted, height, zmin=0, zmax=1, hovertemplate=hover)
    return figure.update_yaxes(title=gold)


def charts(points: pd.DataFrame) -> list[tuple[str, str, list[str]]]:
    """Group the series of a run into figures: code, title, and series in the order of the legend.

    A series of unknown kind is left out.
    """
    series = list(dict.fromkeys(points["series"]))
    figures = []
    for code, (title, *kinds) in _CHARTS.items():
        names = [name for kind in kinds for name in series if series_kind(name) == kind]
        if names:
            figures.append((code, _(title), names))
    return figures


def labelled(points: pd.DataFrame) -> dict[str, str]:
    """Label each series; an ensemble names the member before the curve: ``bilstm-8k/1 train_loss``."""
    return {name: f"{name.rpartition(' ')[0]} {kind_label(name)}".strip() for name in dict.fromkeys(points["series"])}


def kind_label(series: str) -> str:
    """Label the kind of a series, without the member of an ensemble that it belongs to."""
    return translated(CURVE_NAMES).get(series_kind(series), series_kind(series))


def series_kind(series: str) -> str:
    """Return the kind of a series, without the member of an ensemble that it belongs to."""
    return series.rpartition(" ")[2]
