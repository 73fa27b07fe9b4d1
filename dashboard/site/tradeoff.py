"""The trade-off of a board as SVG: parameters against score, the frontier, its models by name."""

from collections.abc import Callable, Mapping

import numpy as np
from markupsafe import Markup

from dashboard.leaderboard import overview_chart
from dashboard.markup import templates
from dashboard.ui import formatting, theme
from dashboard.ui.formatting import BOARD_UNITS
from dashboard.ui.i18n import _
from dashboard.ui.labels import BOARD_COLUMNS, SOURCES
from db.leaderboard.board import Board
from db.registry import formats
from db.registry.metrics import Metric

WIDTH, HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 24, 44


def draw(board: Board, metric: Metric, colours: Mapping[str, str]) -> Markup:
    """Draw the figure; empty where fewer than two sizes are known."""
    positions = np.arange(len(board.rows))
    rows = overview_chart.marks(board, positions)
    if rows["params"].nunique() < 2:
        return Markup("")
    factor = 100.0 if metric.unit == "percent" else 1.0
    params = np.log10(rows["params"].to_numpy(dtype=float))
    scores = rows["score"].to_numpy(dtype=float) * factor
    across, up = _scale(params, _LEFT, WIDTH - _RIGHT), _scale(scores, HEIGHT - _BOTTOM, _TOP)
    marks = [
        {
            "x": across(x),
            "y": up(y),
            "colour": colours.get(row.family, theme.GREY),
            "shape": theme.SYMBOLS[row.source],
            "title": f"{row.model}: {formatting.value(metric, row.score)}, {formats.short(float(row.params))}, "
            f"{_(SOURCES[row.source])}",
        }
        for x, y, row in zip(params, scores, rows.itertuples(), strict=True)
    ]
    front = rows[rows["pareto"]].sort_values("params", kind="stable")
    steps = ""
    for row in front.itertuples():
        x, y = across(np.log10(float(row.params))), up(row.score * factor)
        steps += f"H{x}V{y}" if steps else f"M{x} {y}"
    names = [
        {
            "x": across(np.log10(float(row.params))) + round(position.dx, 1),
            "y": up(row.score * factor) - round(position.dy, 1) + {"top": 9, "middle": 4}.get(position.yanchor, 0),
            "anchor": {"left": "start", "right": "end"}.get(position.xanchor, "middle"),
            "text": row.model,
        }
        for row, position in overview_chart.named(front, rows, upwards=metric.direction == "max")
    ]
    unit = _(BOARD_UNITS[metric.unit])
    return templates.render(
        "tradeoff",
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        right=WIDTH - _RIGHT,
        bottom=HEIGHT - _BOTTOM,
        marks=marks,
        names=names,
        steps=steps,
        columns=[{"at": across(tick), "text": formats.short(10.0**tick)} for tick in _ticks(params, whole=True)],
        lines=[{"at": up(tick), "text": f"{tick:g}"} for tick in _ticks(scores)],
        x_label=_(BOARD_COLUMNS["params"]),
        y_label=f"{metric.label}, {unit}" if unit else metric.label,
        title=_("Parameters against {metric}").format(metric=metric.label),
        sources={theme.SYMBOLS[source]: _(label) for source, label in SOURCES.items()},
        front_label=_("Pareto frontier"),
        note=overview_chart.caption(board, positions),
        families=[{"name": name, "colour": colours[name]} for name in sorted(set(rows["family"].dropna()))],
    )


def _scale(values: np.ndarray, start: float, end: float) -> Callable[[float], float]:
    """Return what leads from values to places on the figure."""
    low, high = float(values.min()), float(values.max())
    pad = 0.04 * (high - low) or 0.5
    low, high = low - pad, high + pad
    return lambda value: round(start + (value - low) / (high - low) * (end - start), 1)


def _ticks(values: np.ndarray, *, whole: bool = False) -> list[float]:
    low, high = float(values.min()), float(values.max())
    span = max(high - low, 1e-9)
    step = 10 ** np.floor(np.log10(span / 4))
    step = next(step * times for times in (1, 2, 5, 10) if span / (step * times) <= 6)
    step = max(1.0, np.ceil(step)) if whole and span >= 1 else step
    first = np.ceil(low / step) * step
    return [round(float(tick), 6) for tick in np.arange(first, high + step * 0.01, step)]
