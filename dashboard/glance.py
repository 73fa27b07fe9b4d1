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
from db.frontier import pareto
from db.metrics import Metric

MOST = 2000
"""Marks; more would be one stain, and each costs time. The frontier comes first, then the best."""

_NAMED = 5
_COLUMNS = ["model", "family", "source", "params", "score", "low", "high", "seeds", "spread"]
_LONGEST = 24
_WIDTH, _HEIGHT, _LETTER, _LINE = 400.0, 150.0, 6.0, 14.0  # of the marks' field, a letter, a line of writing, in pixels
_MARGIN = 20.0  # around that field


def marks(board: Board, at: NDArray[np.intp]) -> pd.DataFrame:
    """The rows that are drawn, best first: those on the frontier of these rows, then the best.

    Args:
        board: The board.
        at: Positions of some of its rows, best first.

    Returns:
        Some columns of ``Board.rows``; ``pareto`` is told among these rows.
    """
    params, score = (_floats(board.rows[name])[at] for name in ("params", "score"))
    front = np.zeros(len(at), dtype=bool)
    front[pareto(params, score, maximise=board.task["direction"] == "max")] = True
    sized = ~np.isnan(params) & ~np.isnan(score)
    kept = np.sort(np.concatenate([np.flatnonzero(front), np.flatnonzero(sized & ~front)])[:MOST])
    return board.rows.iloc[at[kept]][_COLUMNS].assign(pareto=front[kept])


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
    """Which of the frontier have their names written, the best first, and on which side of their marks.

    A name stands left above its mark (-1) or right below it (1), where it meets neither another name nor a mark.
    """
    x, y = (_pixels(values, size) for values, size in
            ((np.log10(_floats(shown["params"])), _WIDTH), (_floats(shown["score"]), _HEIGHT)))  # fmt: skip
    places = dict(zip(shown.index, zip(x.tolist(), y.tolist(), strict=True), strict=True))
    taken: list[tuple[float, float, float, float]] = []
    found: list[tuple[Any, int]] = []
    for row in list(front.drop_duplicates("params").itertuples())[::-1]:
        left, up = places[row.Index]
        length = _LETTER * len(_name(row.model))
        for aside in (-1, 1):
            box = (left - length - 4, left - 4, up + 3, up + 3 + _LINE) if aside < 0 else \
                (left + 5, left + 5 + length, up - 3 - _LINE, up - 3)  # fmt: skip
            meets = (x > box[0] - 5) & (x < box[1] + 5) & (y > box[2] - 5) & (y < box[3] + 5)
            meets &= (x != left) | (y != up)
            if box[0] < -_MARGIN or box[1] > _WIDTH + _MARGIN or meets.any():
                continue
            if all(box[1] < one[0] or one[1] < box[0] or box[3] < one[2] or one[3] < box[2] for one in taken):
                taken.append(box)
                found.append((row, aside))
                break
    return found[:_NAMED]


def _pixels(values: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """Where values are on an axis of some pixels that reaches from the least to the greatest."""
    span = max(float(values.max() - values.min()), 1e-9)
    told: NDArray[np.float64] = (values - values.min()) / span * size
    return told


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
