"""The answer first: which model should I take, in one or two sentences made from the rows."""

import math

import pandas as pd

from db import formats
from db.metrics import Metric, known

WITHIN = {"percent": 0.01}
"""How much of a score a much smaller model may lose and still be worth naming: one point."""


def sentences(rows: pd.DataFrame, metric: Metric, *, maximise: bool) -> list[str]:
    """Up to three sentences about a board, as plain text: the best row, a much smaller one near it, the highest figure.

    The best row is looked for among verified ones first, then among measured, then among all: a figure that we can
    vouch for comes before a higher one that we cannot.

    Args:
        rows: The board, best first, columns as ``db.board.Board.rows``.
        metric: The primary metric.
        maximise: Whether more is better.
    """
    scored = rows.dropna(subset=["score"])
    if scored.empty:
        return []
    trusted = scored[scored["verified"]]
    measured = scored[scored["source"] == "measured"]
    lead = next((some for some in (trusted, measured) if not some.empty), scored)
    best, top = lead.iloc[0], scored.iloc[0]
    told = [f"Best {best['source'] if trusted.empty else 'verified'}: {_facts(best, metric)}."]
    smaller = _smaller(lead, metric, maximise=maximise)
    if smaller:
        told.append(smaller)
    if top["run_id"] != best["run_id"]:
        told.append(f"Best {top['source']}: {_facts(top, metric)}.")
    return told


def _facts(row: pd.Series, metric: Metric) -> str:
    parts = [f"{row['model']}, {_score(row, metric)}"]
    if not math.isnan(_number(row["params"])):
        parts.append(f"{formats.short(_number(row['params']))} parameters")
    if not math.isnan(_number(row["latency_ms_p50"])):
        parts.append(formats.value(known("latency_ms_p50"), _number(row["latency_ms_p50"])))
    return ", ".join(parts)


def _score(row: pd.Series, metric: Metric) -> str:
    value, low, high = (_number(row[name]) for name in ("score", "low", "high"))
    seeds = _number(row["seeds"])
    ends = "" if math.isnan(low) or metric.unit != "percent" else f"{100 * low:.2f} to {100 * high:.2f}"
    if seeds > 1:
        told = formats.over_seeds(metric, value, _number(row["spread"]), int(seeds))
        return f"{told} (95% interval {ends})" if ends else told
    if not ends:
        return formats.value(metric, value)
    return f"{formats.value(metric, value)} ({ends})"


def _smaller(rows: pd.DataFrame, metric: Metric, *, maximise: bool) -> str | None:
    """The smallest row within one point of the best, if it is at least twice as small."""
    margin = WITHIN.get(metric.unit)
    sized = rows.dropna(subset=["params"])
    if margin is None or sized.empty or math.isnan(_number(rows.iloc[0]["params"])):
        return None
    best = rows.iloc[0]
    gap = (best["score"] - sized["score"]) * (1 if maximise else -1)
    near = sized[gap <= margin]
    if near.empty:
        return None
    row = near.loc[near["params"].astype(float).idxmin()]
    times = _number(best["params"]) / _number(row["params"])
    if row["run_id"] == best["run_id"] or times < 2:
        return None
    return f"Within one point and {times:.0f} times smaller: {_facts(row, metric)}."


def _number(value: object) -> float:
    return math.nan if value is None or pd.isna(value) else float(value)  # type: ignore[arg-type]
