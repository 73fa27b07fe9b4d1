"""The trade-off at a glance, beside the answer: parameters against score, the frontier's models by name, no legend.

The marks are those of the table below it; the page of trade-offs has them all, with every other axis.
"""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.axes import log_ticks
from dashboard.charts.label_placement import LabelPosition, Plane, placed
from dashboard.charts.style import as_label, interval, marker, styled
from dashboard.ui import formatting
from dashboard.ui.formatting import BOARD_UNITS
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import BOARD_COLUMNS
from dashboard.ui.theme import GREY, SYMBOLS
from db.leaderboard.board import Board
from db.registry.metrics import Metric
from db.statistics.pareto import pareto

MAX_MARKS = 2000
"""Marks; more would be one stain, and each costs time. The frontier comes first, then the best."""

_NAMED = 5
_COLUMNS = ["model", "family", "source", "params", "score", "low", "high", "seeds", "spread"]
_LONGEST = 24
_FIELD, _MARGIN = (400.0, 150.0), 30.0
"""About how wide and high the marks lie, and the room around them, in pixels."""


def marks(board: Board, positions: NDArray[np.intp]) -> pd.DataFrame:
    """The rows that are drawn, best first: those on the frontier of these rows, then the best.

    Returns:
        Some columns of ``Board.rows``; ``pareto`` is told among these rows.
    """
    params, score = (formatting.floats(board.rows[name])[positions] for name in ("params", "score"))
    front = np.zeros(len(positions), dtype=bool)
    ranked = board.rows["ranked"].to_numpy(dtype=bool)[positions]
    front[pareto(params, np.where(ranked, score, np.nan), maximise=board.task["direction"] == "max")] = True
    sized = ~np.isnan(params) & ~np.isnan(score)
    shown = np.sort(np.concatenate([np.flatnonzero(front), np.flatnonzero(sized & ~front)])[:MAX_MARKS])
    return board.rows.iloc[positions[shown]][_COLUMNS].assign(pareto=front[shown])


def caption(board: Board, positions: NDArray[np.intp]) -> str:
    """Say which rows the frontier is about, and how many rows are missing from the figure."""
    params, score = (formatting.floats(board.rows[name])[positions] for name in ("params", "score"))
    parts = []
    if not board.rows["ranked"].to_numpy(dtype=bool)[positions].all():
        parts.append(_("The frontier is that of measured and submitted rows; printed rows stand beside it."))
    missing = int((np.isnan(params) & ~np.isnan(score)).sum())
    if missing:
        rows = ngettext("{n} row", "{n} rows", missing)
        parts.append(_("Not in the figure, because their parameters are not known: {rows}.").format(rows=rows))
    return " ".join(parts)


def tradeoff(shown: pd.DataFrame, metric: Metric, colours: dict[str, str], *, ink: str) -> go.Figure:
    """Plot the rows of ``marks``, the frontier as steps with its names in the colour ``ink``."""
    factor = 100.0 if metric.unit == "percent" else 1.0
    figure = go.Figure()
    front = shown[shown["pareto"]].sort_values("params", kind="stable")
    figure.add_scatter(
        x=front["params"].astype(float),
        y=front["score"] * factor,
        mode="lines",
        hoverinfo="skip",
        line={"color": GREY, "width": 1.2, "shape": "hv"},
    )
    for (family, source), group in shown.groupby(["family", "source"], sort=True):
        colour = colours.get(family, GREY)
        figure.add_scatter(
            x=group["params"].astype(float),
            y=group["score"] * factor,
            mode="markers",
            marker=marker(colour, SYMBOLS[source], 9),
            error_y=interval(group, factor, colour, thickness=1, width=0),
            text=_hover(group, metric),
            hovertemplate="%{text}<extra></extra>",
        )
    for row, position in named(front, shown, upwards=metric.direction == "max"):
        figure.add_annotation(
            x=float(np.log10(row.params)),
            y=row.score * factor,
            text=_name(row.model),
            showarrow=False,
            xanchor=position.xanchor,
            yanchor=position.yanchor,
            xshift=position.dx,
            yshift=position.dy,
            font={"size": 11, "color": ink},
        )
    params = shown["params"].astype(float)
    unit = f", {_(BOARD_UNITS[metric.unit])}" if _(BOARD_UNITS[metric.unit]) else ""
    figure.update_xaxes(
        title=_(BOARD_COLUMNS["params"]), type="log", **log_ticks(float(params.min()), float(params.max()))
    )
    figure.update_yaxes(title=f"{metric.label}{unit}")
    return styled(figure, 270, margin={"l": 8, "r": 8, "t": 12, "b": 8}, showlegend=False)


def named(front: pd.DataFrame, shown: pd.DataFrame, *, upwards: bool) -> list[tuple[Any, LabelPosition]]:
    """Which of the frontier have their names written, the best first, and where from their marks."""
    ends = [(values.min(), max(np.ptp(values), 1e-9)) for values in (_across(shown), formatting.floats(shown["score"]))]

    def pixels(some: pd.DataFrame) -> NDArray[np.float64]:
        both = zip((_across(some), formatting.floats(some["score"])), ends, _FIELD, strict=True)
        return np.array([(values - low) / span * size + _MARGIN for values, (low, span), size in both]).T

    rows = front.drop_duplicates("params").iloc[::-1]
    points = pixels(shown)
    plane = Plane(pixels(rows), np.hstack([points - 5, points + 5]), (_FIELD[0] + 2 * _MARGIN, _FIELD[1] + 2 * _MARGIN))
    places = placed([plane], [_name(model) for model in rows["model"]], range(len(rows)), upwards=upwards, limit=_NAMED)
    listed = list(rows.itertuples())
    return [(listed[number], position) for number, position in places.items()]


def _across(rows: pd.DataFrame) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = np.log10(formatting.floats(rows["params"]))
    return logs


def _name(model: object) -> str:
    return as_label(formatting.cut(model, _LONGEST))


def _hover(group: pd.DataFrame, metric: Metric) -> list[str]:
    texts = []
    columns = (group[name] for name in ("model", "score", "params", "seeds", "spread"))
    for model, score, params, seeds, spread in zip(*columns, strict=True):
        several = not pd.isna(seeds) and seeds > 1
        value = formatting.over_seeds(metric, score, spread, int(seeds)) if several else formatting.value(metric, score)
        size = _("{n} parameters").format(n=f"{params:,}")
        texts.append(f"{as_label(model)}<br>{value}, {size}")
    return texts
