"""What a model may cost: amounts as people type them, which rows fit, and the best of these in a sentence."""

import math
import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dashboard.tradeoffs import figure_data, quantities
from dashboard.tradeoffs import sentences as tradeoff_words
from dashboard.ui import formatting
from dashboard.ui.i18n import _, pgettext
from db.leaderboard.board import Board, Filter, select

Budget = Mapping[str, float]
"""The most that each cost may be, in its stored unit; keys of ``dashboard.tradeoffs.quantities.COSTS``."""

_BYTES = {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1024.0, "mib": 1024.0**2, "gib": 1024.0**3}
_UNITS: dict[str, dict[str, float]] = {
    "params": {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "천": 1e3, "만": 1e4, "억": 1e8},
    "bytes": _BYTES,
    "latency": {"": 1.0, "ms": 1.0, "s": 1e3, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "밀리초": 1.0, "초": 1e3},
    "memory": _BYTES,
    "time": {
        "s": 1.0,
        "sec": 1.0,
        "min": 60.0,
        "m": 60.0,
        "h": 3600.0,
        "d": 86400.0,
        "초": 1.0,
        "분": 60.0,
        "시간": 3600.0,
        "일": 86400.0,
    },
}

PRESETS = {
    "params": ("30k", "100k", "300k", "1M", "10M", "100M"),
    "bytes": ("200 kB", "500 kB", "1 MB", "2 MB", "10 MB", "100 MB"),
    "latency": ("0.5 ms", "1 ms", "5 ms", "20 ms", "100 ms"),
    "memory": ("100 MB", "200 MB", "500 MB", "1 GB", "2 GB"),
    "time": ("5 min", "10 min", "1 h", "3 h", "1 d"),
}
"""Amounts that are offered; any other can be typed."""

_AMOUNT = re.compile(r"\s*(\d[\d,]*\.?\d*|\.\d+)\s*([^\W\d_]*)\s*", re.UNICODE)


def amount(cost: str, typed: str) -> float | None:
    """What somebody typed, in the stored unit of the cost; None where it is no amount above 0 of a known unit."""
    match = _AMOUNT.fullmatch(typed)
    if match is None or len(typed) > 40:
        return None
    size = _UNITS[cost].get(match[2].casefold())
    value = math.nan if size is None else float(match[1].replace(",", "")) * size
    return value if 0 < value < math.inf else None


def written(cost: str, value: float) -> str:
    """An amount as ``amount`` reads it, in the largest unit that leaves its digits few."""
    units = {
        "params": (("B", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)),
        "latency": ((" s", 1e3), (" ms", 1.0)),
        "time": ((" d", 86400.0), (" h", 3600.0), (" min", 60.0), (" s", 1.0)),
    }.get(cost, ((" GB", 1e9), (" MB", 1e6), (" kB", 1e3), (" B", 1.0)))
    for unit, size in units:
        text = f"{value / size:.4g}{unit}"
        if value >= size and "e" not in text and amount(cost, text) == value:
            return text
    unit, size = units[-1]
    return f"{value / size:.15g}{unit}"


def fits(board: Board, budget: Budget) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows are within a budget, and which have every figure that it asks for. Shape (rows of the board,) each."""
    inside, complete = (np.ones(len(board.rows), dtype=bool) for _unused in range(2))
    for cost, limit in budget.items():
        values = figure_data.values(board, cost)
        inside &= values <= limit
        complete &= ~np.isnan(values)
    return inside, complete


def limits_told(budget: Budget) -> str:
    """The limits of a budget in words."""
    parts = [
        _("at most {figure}").format(figure=tradeoff_words.cost_label(cost, written(cost, budget[cost])))
        for cost in quantities.COSTS
        if cost in budget
    ]
    return formatting.listed(parts)


def sentences(board: Board, budget: Budget, score: str, *, families: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """The best row within a budget, as (what is told, plain text): first of all rows, then of verified ones.

    The budget has at least one limit; no families stand for all.
    """
    chosen = select(board, Filter(families=families))
    worth = figure_data.values(board, score)
    scored = chosen[~np.isnan(worth[chosen])]
    inside, complete = fits(board, budget)
    missing = int((~complete[scored]).sum())
    order = scored[np.argsort((-1.0 if figure_data.maximise(board, score) else 1.0) * worth[scored], kind="stable")]
    within = order[inside[order]]
    lead = _("Best with {limits}").format(limits=limits_told(budget))
    honest = (
        _("{missing} of {rows} rows lack such a figure and were not considered.").format(
            missing=missing, rows=len(scored)
        )
        if missing
        else ""
    )
    if not len(within):
        return [(lead, " ".join(part for part in (_none(board, budget, scored), honest) if part))]
    verified = within[board.rows["verified"].to_numpy(dtype=bool)[within]]
    lines = [(lead, _named(board, int(within[0]), budget, score))]
    if len(verified) and verified[0] != within[0]:
        lines.append((pgettext("trade best verified", "Best verified"), _named(board, int(verified[0]), budget, score)))
    if honest:
        lines[0] = (lead, f"{lines[0][1]} {honest}")
    return lines


def best(board: Board, budget: Budget, score: str, *, families: tuple[str, ...] = ()) -> str | None:
    """The run that ``sentences`` names first; None where nothing fits."""
    worth = np.where(fits(board, budget)[0], figure_data.values(board, score), np.nan)
    chosen = select(board, Filter(families=families))
    worth = worth[chosen] * (1.0 if figure_data.maximise(board, score) else -1.0)
    return None if np.isnan(worth).all() else str(board.rows["run_id"].iloc[chosen[int(np.nanargmax(worth))]])


def _named(board: Board, position: int, budget: Budget, score: str) -> str:
    row = board.rows.iloc[position]
    figures = [
        tradeoff_words.cost_sentence(cost, float(figure_data.values(board, cost)[position]))
        for cost in quantities.COSTS
        if cost in budget
    ]
    worth = quantities.quantity(score)
    score_text = f"{tradeoff_words.inside(worth.label)} {worth.text(float(figure_data.values(board, score)[position]))}"
    return "{model}, {score}, {costs} ({origin}).".format(
        model=row["model"], score=score_text, origin=tradeoff_words.origin_told(row), costs=", ".join(figures)
    )


def _none(board: Board, budget: Budget, scored: NDArray[np.intp]) -> str:
    """Why nothing fits: the limit that nobody meets, with who is nearest to it."""
    for cost, limit in budget.items():
        values = figure_data.values(board, cost)[scored]
        if not np.isnan(values).all() and np.nanmin(values) > limit:
            nearest = scored[int(np.nanargmin(values))]
            return _("No row. The nearest is {model} with {figure}.").format(
                model=board.rows["model"].iloc[nearest],
                figure=tradeoff_words.cost_sentence(cost, float(np.nanmin(values))),
            )
    return _("No row. Each limit alone is met, but not all together.")
