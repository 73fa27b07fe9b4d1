"""The answer first: which model should I take, as cards made from the rows."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.markup.cards import Card
from dashboard.markup.templates import Link
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _
from db.registry import formats
from db.registry.metrics import Metric

BOARD_BEST = {
    "verified": N_("Best verified"),
    "measured": N_("Best measured"),
    "reported": N_("Best published"),
    "submitted": N_("Best submitted"),
}

WITHIN = {"percent": 0.01}
"""How much of a score a much smaller model may lose and still be worth naming: one point."""

NEEDED = [
    "run_id",
    "model",
    "name",
    "score",
    "low",
    "high",
    "params",
    "checkpoint_bytes",
    "latency_ms_p50",
    "seeds",
    "spread",
    "verified",
    "source",
]
"""What the cards are made from."""


def cards(rows: pd.DataFrame, metric: Metric, link: Link, *, maximise: bool, among: str = "") -> list[Card]:
    """Up to three cards about a board: the best row, a much smaller one near it, the highest figure.

    The best row is looked for among verified ones first, then among measured, then among all: a figure that we can
    vouch for comes before a higher one that we cannot. Rows are the best first; ``among`` is what they have in common,
    such as ``up to 1 MB``.
    """
    score = formatting.floats(rows["score"])
    scored = ~np.isnan(score)
    if not scored.any():
        return []
    trusted = scored & rows["verified"].to_numpy(dtype=bool)
    measured = scored & (rows["source"] == "measured").to_numpy(dtype=bool)
    lead = next((some for some in (trusted, measured) if some.any()), scored)
    best, top = int(np.argmax(lead)), int(np.argmax(scored))
    kind = "verified" if trusted.any() else str(rows["source"].iat[best])
    first = _(BOARD_BEST[kind])
    if among:
        first = _("{best}, {among}").format(best=first, among=among)
    chosen = [(first, best)]
    smaller, times = _smaller(rows, lead, best, metric, maximise=maximise)
    if smaller is not None:
        kind = _("Within one point with {times} times fewer parameters").format(times=f"{times:.0f}")
        chosen.append((kind, smaller))
    if top != best:
        chosen.append((_(BOARD_BEST[str(rows["source"].iat[top])]), top))
    return [_card(kind, rows.iloc[position].to_dict(), metric, link) for kind, position in chosen]


def _card(kind: str, row: dict[str, Any], metric: Metric, link: Link) -> Card:
    of_latency = metric.name == "latency_ms_p50"  # the name of the run says the number format
    score, low, high, seeds, spread, params, size, latency = (
        formatting.number(row.get(name))
        for name in ("score", "low", "high", "seeds", "spread", "params", "checkpoint_bytes", "latency_ms_p50")
    )
    details = []
    if seeds > 1:
        details.append(_("± {spread} over {n} seeds").format(spread=formatting.width(metric, spread), n=int(seeds)))
    if formatting.interval(metric, low, high):
        details.append(formatting.interval_title(metric, low, high))
    if not math.isnan(params):
        details.append(_("{n} parameters").format(n=formats.short(params)))
    if not math.isnan(size):
        details.append(formats.size(size))
    if not math.isnan(latency) and not of_latency:
        details.append(formats.value(task_names.metric("latency_ms_p50"), latency))
    name = str(row["name" if of_latency else "model"])
    return Card(kind, formatting.value(metric, score), name, link("run", run=row["run_id"]), "run", tuple(details))


def _smaller(
    rows: pd.DataFrame, lead: NDArray[np.bool_], best: int, metric: Metric, *, maximise: bool
) -> tuple[int | None, float]:
    """Find the row of fewest parameters within one point of the best, and how many times fewer, where at least two."""
    margin = WITHIN.get(metric.unit)
    params, score = formatting.floats(rows["params"]), formatting.floats(rows["score"])
    if margin is None or math.isnan(params[best]):
        return None, 1.0
    gap = (score[best] - score) * (1 if maximise else -1)
    near = np.flatnonzero(lead & ~np.isnan(params) & (gap <= margin))
    smallest = int(near[np.argmin(params[near])])
    times = float(params[best] / params[smallest])
    return (smallest if times >= 2 else None), times
