"""The trade-off at a glance, beside the answer: parameters against score, the frontier's models by name, no legend.

The marks are those of the table below it; the page of trade-offs has them all, with every other axis.
"""

from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard import phrases, text
from dashboard.look import CLEAR, GREY, GRID, SYMBOLS
from db import formats
from db.board import Board
from db.metrics import Metric

MOST = 2000
"""Marks; more would be one stain, and each costs time. The frontier comes first, then the best."""

_NAMED = 5
_COLUMNS = ["model", "family", "source", "params", "score", "low", "high", "seeds", "spread", "pareto"]
_LONGEST = 24
_WIDTH, _HEIGHT, _LETTER, _LINE = 420.0, 180.0, 6.2, 15.0  # of the figure, a letter and a line of writing, in pixels


def marks(board: Board, at: NDArray[np.intp]) -> pd.DataFrame:
    """The rows that are drawn, best first: those on the frontier, then the best."""
    rows = board.rows
    sized = at[~np.isnan(_floats(rows["params"])[at]) & ~np.isnan(_floats(rows["score"])[at])]
    front = rows["pareto"].to_numpy(dtype=bool)[sized]
    drawn = np.sort(np.concatenate([sized[front], sized[~front]])[:MOST])
    return rows[["model", "family", "source", "params", "score", "low", "high", "seeds", "spread", "pareto"]].iloc[
        drawn
    ]


def tradeoff(shown: pd.DataFrame, metric: Metric, colours: dict[str, str], *, ink: str) -> go.Figure:
    """The figure.

    Args:
        shown: Of ``marks``.
        metric: The score's metric.
        colours: Of ``look.family_colours``.
        ink: The colour of names.
    """
    factor = 100.0 if metric.unit == "percent" else 1.0
    figure = go.Figure()
    front = shown[shown["pareto"]].sort_values("params", kind="stable")
    figure.add_trace(
        go.Scatter(x=front["params"].astype(float), y=front["score"] * factor, mode="lines", hoverinfo="skip",
                   line={"color": GREY, "width": 1.2, "shape": "hv"})
    )  # fmt: skip
    for (family, source), group in shown.groupby(["family", "source"], sort=True):
        colour = colours.get(family, GREY)
        figure.add_trace(
            go.Scatter(
                x=group["params"].astype(float), y=group["score"] * factor, mode="markers",
                marker={"color": colour, "symbol": SYMBOLS[source], "size": 9, "line": {"width": 1.6, "color": colour}},
                error_y={"type": "data", "symmetric": False, "thickness": 1, "width": 0, "color": colour,
                         "array": ((group["high"] - group["score"]) * factor).fillna(0),
                         "arrayminus": ((group["score"] - group["low"]) * factor).fillna(0)},
                text=_hover(group, metric), hovertemplate="%{text}<extra></extra>",
            )
        )  # fmt: skip
    for row, aside in _named(front, shown):
        right = aside > 0
        figure.add_annotation(
            x=float(np.log10(row.params)), y=row.score * factor, text=_name(row.model), showarrow=False,
            xanchor="left" if right else "right", yanchor="top" if right else "bottom", xshift=5 * aside,
            yshift=-3 * aside, font={"size": 11, "color": ink},
        )  # fmt: skip
    params = shown["params"].astype(float)
    ticks = _ticks(float(params.min()), float(params.max()))
    unit = f", {text.BOARD_UNITS[metric.unit]}" if text.BOARD_UNITS[metric.unit] else ""
    figure.update_xaxes(title=text.BOARD_COLUMNS["params"], type="log", tickvals=ticks, gridcolor=GRID, zeroline=False,
                        ticktext=[formats.short(tick) for tick in ticks], automargin=True)  # fmt: skip
    figure.update_yaxes(title=f"{metric.label}{unit}", gridcolor=GRID, zeroline=False, automargin=True)
    figure.update_layout(height=270, margin={"l": 8, "r": 8, "t": 12, "b": 8}, paper_bgcolor=CLEAR, plot_bgcolor=CLEAR,
                         showlegend=False, hovermode="closest")  # fmt: skip
    return figure


def _named(front: pd.DataFrame, shown: pd.DataFrame) -> list[tuple[Any, int]]:
    """Which of the frontier have their names written, the best first, and on which side: those that do not collide.

    A name stands left above its mark, or right below it where the left has no room for it.
    """
    x, y = np.log10(shown["params"].astype(float)), shown["score"]
    wide, high = max(float(x.max() - x.min()), 1e-9), max(float(y.max() - y.min()), 1e-9)
    written: list[tuple[float, float, float]] = []
    found: list[tuple[Any, int]] = []
    for row in list(front.drop_duplicates("params").itertuples())[::-1]:
        at = _WIDTH * (float(np.log10(row.params)) - float(x.min())) / wide
        line = _HEIGHT * abs(row.score - float(y.min())) / high
        length = _LETTER * len(_name(row.model))
        aside = 1 if at < length else -1
        box = (at, at + length, line - _LINE) if aside > 0 else (at - length, at, line + _LINE)
        if all(box[1] < left or right < box[0] or abs(box[2] - other) > _LINE for left, right, other in written):
            written.append(box)
            found.append((row, aside))
    return found[:_NAMED]


def _name(model: object) -> str:
    told = str(model)
    return escape(told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…", quote=False)


def _hover(group: pd.DataFrame, metric: Metric) -> list[str]:
    told = []
    columns = (group[name] for name in ("model", "score", "params", "seeds", "spread"))
    for model, score, params, seeds, spread in zip(*columns, strict=True):
        several = not pd.isna(seeds) and seeds > 1
        value = phrases.over_seeds(metric, score, spread, int(seeds)) if several else formats.value(metric, score)
        size = text.BOARD_PARAMETERS.format(n=f"{params:,}")
        told.append(f"{escape(str(model)[:80], quote=False)}<br>{value}, {size}")
    return told


def _ticks(low: float, high: float) -> list[float]:
    """One, two and five of each power of ten, plain powers over more than three of them, at most the values' ends."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [step * 10.0**power for power in powers for step in ((1,) if len(powers) > 4 else (1, 2, 5))]
    within = [tick for tick in ticks if low <= tick <= high]
    return within if len(within) > 1 else [low, high]


def _floats(values: pd.Series) -> NDArray[np.float64]:
    told: NDArray[np.float64] = values.to_numpy(dtype=float, na_value=np.nan)
    return told
