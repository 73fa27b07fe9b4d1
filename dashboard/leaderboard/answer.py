"""The answer first: which model should I take, in one or two sentences made from the rows."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
"""What the sentences are made from."""


def sentences(rows: pd.DataFrame, metric: Metric, *, maximise: bool, among: str = "") -> list[str]:
    """Up to three sentences about a board, as plain text: the best row, a much smaller one near it, the highest figure.

    The best row is looked for among verified ones first, then among measured, then among all: a figure that we can
    vouch for comes before a higher one that we cannot. What is told stands behind the first colon of a sentence. Rows
    are the best first; ``among`` is what they have in common, such as ``up to 1 MB``.
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
    lines = [f"{first}: {_facts(rows, best, metric)}."]
    smaller = _smaller(rows, lead, best, metric, maximise=maximise)
    if smaller:
        lines.append(smaller)
    if top != best:
        lines.append(f"{_(BOARD_BEST[str(rows['source'].iat[top])])}: {_facts(rows, top, metric)}.")
    return lines


def _facts(rows: pd.DataFrame, position: int, metric: Metric) -> str:
    row: dict[str, Any] = rows.iloc[position].to_dict()
    of_latency = metric.name == "latency_ms_p50"  # the name of the run says the number format
    parts = [f"{row['name' if of_latency else 'model']}, {_score(row, metric)}"]
    params, latency, size = (
        formatting.number(row.get(name)) for name in ("params", "latency_ms_p50", "checkpoint_bytes")
    )
    if not math.isnan(params):
        parts.append(_("{n} parameters").format(n=formats.short(params)))
    if not math.isnan(size):
        parts.append(formats.size(size))
    if not math.isnan(latency) and not of_latency:
        parts.append(formats.value(task_names.metric("latency_ms_p50"), latency))
    return ", ".join(parts)


def _score(row: dict[str, Any], metric: Metric) -> str:
    value, low, high, seeds = (formatting.number(row[name]) for name in ("score", "low", "high", "seeds"))
    ends = ""
    if not math.isnan(low) and metric.unit == "percent":
        ends = _("{low} to {high}").format(low=f"{100 * low:.2f}", high=f"{100 * high:.2f}")
    if seeds > 1:
        text = formatting.over_seeds(metric, value, formatting.number(row["spread"]), int(seeds))
        return _("{score} (95% interval {ends})").format(score=text, ends=ends) if ends else text
    return f"{formatting.value(metric, value)} ({ends})" if ends else formatting.value(metric, value)


def _smaller(rows: pd.DataFrame, lead: NDArray[np.bool_], best: int, metric: Metric, *, maximise: bool) -> str | None:
    """The row of fewest parameters within one point of the best, if they are at most half as many."""
    margin = WITHIN.get(metric.unit)
    params, score = formatting.floats(rows["params"]), formatting.floats(rows["score"])
    if margin is None or math.isnan(params[best]):
        return None
    gap = (score[best] - score) * (1 if maximise else -1)
    near = np.flatnonzero(lead & ~np.isnan(params) & (gap <= margin))
    smallest = int(near[np.argmin(params[near])])
    times = params[best] / params[smallest]
    if times < 2:
        return None
    lead_text = _("Within one point with {times} times fewer parameters").format(times=f"{times:.0f}")
    return f"{lead_text}: {_facts(rows, smallest, metric)}."
