"""Figures: a data frame in, a Plotly figure out. Nothing here knows Streamlit or the database."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.look import CLEAR, DASHES, GREY, GRID, OKABE_ITO, SYMBOLS, TEALS
from db import formats
from db.frontier import pareto
from db.metrics import Metric


def tradeoff(rows: pd.DataFrame, metric: Metric, colours: dict[str, str], *, maximise: bool = True) -> go.Figure:
    """Parameters against score, with intervals and the Pareto frontier.

    Args:
        rows: Columns ``model, family, source, params, score, low, high, seeds, spread``; rows without parameters or
            score are left out.
        metric: The score's metric.
        colours: Of ``look.family_colours``.
        maximise: Whether more is better.
    """
    shown = rows.dropna(subset=["params", "score"])
    factor = 100.0 if metric.unit == "percent" else 1.0
    figure = go.Figure()
    if not shown.empty:
        front = shown.iloc[pareto(shown["params"], shown["score"], maximise=maximise)]
        figure.add_trace(
            go.Scatter(
                x=front["params"], y=front["score"] * factor, mode="lines", name="Pareto frontier", hoverinfo="skip",
                line={"color": GREY, "width": 1.2, "shape": "hv"},
            )
        )  # fmt: skip
    for (family, source), group in shown.groupby(["family", "source"], sort=True):
        figure.add_trace(
            go.Scatter(
                x=group["params"],
                y=group["score"] * factor,
                mode="markers",
                name=f"{_shown(family)}, {source}",
                marker={"color": colours.get(family, GREY), "symbol": SYMBOLS[source], "size": 10,
                        "line": {"width": 1.6, "color": colours.get(family, GREY)}},
                error_y={"type": "data", "symmetric": False, "thickness": 1.2, "width": 3,
                         "array": ((group["high"] - group["score"]) * factor).fillna(0),
                         "arrayminus": ((group["score"] - group["low"]) * factor).fillna(0)},
                text=[f"{_shown(row.model)}<br>{_told(metric, row)}, {row.params:,.0f} parameters"
                      for row in group.itertuples()],
                hovertemplate="%{text}<extra></extra>",
            )
        )  # fmt: skip
    ticks = _log_ticks(shown["params"])
    unit = " (%)" if metric.unit == "percent" else " (s)" if metric.unit == "s" else ""
    figure.update_xaxes(
        title="Parameters", type="log", tickvals=ticks, ticktext=[formats.short(tick) for tick in ticks]
    )
    figure.update_yaxes(title=f"{metric.label}{unit}")
    return _styled(figure, height=340)


def curves(
    points: pd.DataFrame, series: Sequence[str], labels: dict[str, str], *, title: str, percent: bool
) -> go.Figure:
    """Series of one run over epochs.

    Args:
        points: Columns ``series, step, epoch, value``.
        series: Which series, in the order of the legend.
        labels: What each is called.
        title: Of the vertical axis.
        percent: Values are fractions that are shown in percent.
    """
    figure = go.Figure()
    factor = 100.0 if percent else 1.0
    for place, name in enumerate(series):
        rows = points[points["series"] == name]
        figure.add_trace(
            go.Scatter(
                x=rows["epoch"], y=rows["value"] * factor, name=labels.get(name, _shown(name)),
                mode="lines+markers" if len(rows) <= 60 else "lines",
                line={"color": OKABE_ITO[place % len(OKABE_ITO)], "width": 1.8, "dash": DASHES[place % 3]},
                marker={"size": 5},
                hovertemplate=f"{labels.get(name, _shown(name))} %{{y:.4g}} at epoch %{{x:.2f}}<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(title="Epoch", rangemode="tozero")
    figure.update_yaxes(title=title + (" (%)" if percent else ""))
    return _styled(figure, height=300)


def confusion(table: pd.DataFrame, names: dict[str, str], *, ink: str) -> go.Figure:
    """Gold labels (rows) against predicted ones (columns), counts with the share of each row, written in ``ink``."""
    shares = table.div(table.sum(axis=1).clip(lower=1), axis=0)
    text = [[f"{count:,.0f}<br>{share:.1%}" for count, share in zip(counts, row, strict=True)]
            for counts, row in zip(table.to_numpy(), shares.to_numpy(), strict=True)]  # fmt: skip
    figure = go.Figure(
        go.Heatmap(
            z=shares.to_numpy(), x=[names.get(label, _shown(label)) for label in table.columns],
            y=[names.get(label, _shown(label)) for label in table.index],
            text=text, texttemplate="%{text}", colorscale=TEALS, showscale=False, zmin=0, zmax=1, xgap=2, ygap=2,
            hovertemplate="%{y}, predicted %{x}: %{text}<extra></extra>", textfont={"color": ink},
        )
    )  # fmt: skip
    figure.update_xaxes(title="Predicted", showgrid=False, type="category")
    figure.update_yaxes(title="Gold", autorange="reversed", showgrid=False, type="category")
    return _styled(figure, height=260)


def _told(metric: Metric, row: Any) -> str:
    if pd.isna(row.seeds) or row.seeds < 2:
        return formats.value(metric, row.score)
    return formats.over_seeds(metric, row.score, row.spread, int(row.seeds))


def _shown(words: str) -> str:
    """Text from outside inside a Plotly label, which reads a few HTML tags."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")[:80]


def _log_ticks(values: pd.Series) -> list[float]:
    """Ticks of a log axis: one, two and five of each power of ten, plain powers over more than three of them.

    Where fewer than two of these lie among the values, the values themselves are the ticks.
    """
    if values.empty:
        return []
    low, high = float(values.min()), float(values.max())
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [step * 10.0**power for power in powers for step in ((1,) if len(powers) > 4 else (1, 2, 5))]
    if sum(low <= tick <= high for tick in ticks) < 2:
        return sorted(float(value) for value in values.unique())
    return ticks


def _styled(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8}, paper_bgcolor=CLEAR, plot_bgcolor=CLEAR,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": None}, hovermode="closest",
    )  # fmt: skip
    figure.update_xaxes(gridcolor=GRID, zeroline=False, automargin=True)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, automargin=True)
    return figure
