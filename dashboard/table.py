"""The leaderboard's table: which columns there are, how each is shown, and the frame that is drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import text
from dashboard.components import interval_images
from db import formats
from db.metrics import Metric, known

PICTURE_LIMIT = 400
"""Rows beyond this get no interval picture: each is half a kilobyte that goes to the browser."""


@dataclass(frozen=True)
class Column:
    """One column that a visitor can choose.

    Attributes:
        key: Its name in the frame.
        label: Its header.
        shown: Whether it is shown before anybody chose.
        scale: Stored values are divided by it to be in the unit of the label.
        by_rows: It is shown where the rows of the board call for it, so it comes and goes with them.
    """

    key: str
    label: str
    shown: bool = True
    scale: float = 1.0
    by_rows: bool = False


def columns(metric: Metric, rows: pd.DataFrame, figures: pd.DataFrame) -> list[Column]:
    """The columns of a board, in order; further metrics of its runs come last and are hidden at first."""
    unit, seconds = _time_unit(rows)
    unfinished = bool((rows["status"] != "finished").any())
    several = bool((rows["seeds"].fillna(0) > 1).any())
    weighed = "peak_memory_bytes" in figures
    fixed = [
        Column("rank", "Rank"), Column("model", "Model"), Column("score", _head(metric)),
        Column("interval", "95% interval"), Column("seeds", "Seeds", shown=several, by_rows=True),
        Column("spread", _spread_head(metric), shown=several, by_rows=True), Column("params", "Parameters"),
        Column("checkpoint_bytes", "Size, kB"), Column("latency_ms_p50", "Latency, ms"),
        Column("peak_memory_bytes", "Memory, MB", shown=weighed, by_rows=True),
        Column("train_seconds", f"Train time, {unit}", scale=seconds),
        Column("source", "Source"), Column("verified", "Verified"), Column("dataset", "Trained on"),
        Column("family", "Family", shown=False), Column("name", "Name as printed", shown=False),
        Column("teacher", "Teacher", shown=False), Column("seed", "Seed", shown=False),
        Column("range", "Lowest to highest seed", shown=False),
        Column("device", "Device", shown=False), Column("status", "Status", shown=unfinished, by_rows=True),
        Column("citation", "Citation", shown=False), Column("latency_ms_p95", "Latency p95, ms", shown=False),
    ]  # fmt: skip
    covered = {column.key for column in fixed} | {metric.name}
    extra = sorted(set(figures.columns) - covered)
    return [*fixed, *(Column(name, _head(known(name)), shown=False) for name in extra)]


def _time_unit(rows: pd.DataFrame) -> tuple[str, int]:
    """The unit of a column of durations, and its seconds: minutes, or seconds where no training took ten minutes."""
    return ("s", 1) if rows["train_seconds"].max() < 600 else ("min", 60)


def _head(metric: Metric) -> str:
    unit = {"percent": ", %", "ms": ", ms", "s": ", s", "per_s": ", per s"}.get(metric.unit, "")
    return metric.label + unit


def _spread_head(metric: Metric) -> str:
    return "Spread, points" if metric.unit == "percent" else "Spread"


def frame(rows: pd.DataFrame, figures: pd.DataFrame, metric: Metric, chosen: list[Column]) -> pd.DataFrame:
    """What is drawn: one column per chosen column, named by its key, numbers in the unit of the header."""
    return pd.DataFrame({column.key: _cells(rows, figures, metric, column) for column in chosen}, index=rows.index)


def _cells(rows: pd.DataFrame, figures: pd.DataFrame, metric: Metric, column: Column) -> object:
    key = column.key
    made: dict[str, Callable[[], object]] = {
        "score": lambda: rows["score"] * (100.0 if metric.unit == "percent" else 1.0),
        "interval": lambda: _pictures(rows),
        "spread": lambda: rows["spread"] * (100.0 if metric.unit == "percent" else 1.0),
        "range": lambda: _ranges(rows, metric),
        "checkpoint_bytes": lambda: rows["checkpoint_bytes"] / 1000,
        "peak_memory_bytes": lambda: figures.get(key, np.nan) / 1e6,
        "train_seconds": lambda: rows["train_seconds"] / column.scale,
        "source": lambda: rows["source"].map(text.SOURCES),
        "verified": lambda: np.where(rows["verified"], text.VERIFIED_MARK, ""),
        "status": lambda: rows["status"].map(text.STATUS),
        "params": lambda: rows["params"].astype("Int64"),
        "seed": lambda: rows["seed"].astype("Int64"),
    }
    if key in made:
        return made[key]()
    if key in rows:
        return rows[key]
    scale = 100.0 if known(key).unit == "percent" else 1.0
    return figures.get(key, np.nan) * scale


def _ranges(rows: pd.DataFrame, metric: Metric) -> list[str | None]:
    ends = rows[["least", "most"]].itertuples(index=False)
    return [
        None if pd.isna(least) else f"{formats.value(metric, least)} to {formats.value(metric, most)}"
        for least, most in ends
    ]


def _pictures(rows: pd.DataFrame) -> list[str | None]:
    head = rows.iloc[:PICTURE_LIMIT]
    drawn = interval_images(*(head[name].to_numpy(dtype=float) for name in ("score", "low", "high")))
    return drawn + [None] * (len(rows) - len(head))


def config(metric: Metric, chosen: list[Column], click: str) -> dict[str, Any]:
    """How Streamlit shows each chosen column; a click on a model's name is kept in the session under ``click``."""
    labels = {column.key: column.label for column in chosen}
    kinds = {
        "rank": st.column_config.TextColumn("Rank", help=text.HELP["rank"], width=60, pinned=True),
        "model": st.column_config.ButtonColumn(
            "Model", help=text.HELP["model"], width=190, pinned=True, type="tertiary", alignment="left", key=click
        ),
        "score": st.column_config.NumberColumn(_head(metric), help=metric.help, format="%.2f"),
        "interval": st.column_config.ImageColumn("95% interval", help=text.HELP["interval"], width=165),
        "seeds": st.column_config.NumberColumn("Seeds", help=text.HELP["seeds"], format="%d", width=60),
        "spread": st.column_config.NumberColumn(_spread_head(metric), help=text.HELP["seeds"], format="± %.2f"),
        "range": st.column_config.TextColumn("Lowest to highest seed", help=text.HELP["seeds"], alignment="right"),
        "params": st.column_config.NumberColumn("Parameters", help=text.HELP["params"], format="localized"),
        "checkpoint_bytes": st.column_config.NumberColumn("Size, kB", help=text.HELP["size"], format="%.0f"),
        "latency_ms_p50": st.column_config.NumberColumn("Latency, ms", help=text.HELP["latency"], format="%.2f"),
        "latency_ms_p95": st.column_config.NumberColumn("Latency p95, ms", help=text.HELP["latency"], format="%.2f"),
        "peak_memory_bytes": st.column_config.NumberColumn(
            "Memory, MB", help=known("peak_memory_bytes").help, format="%.0f"
        ),
        "train_seconds": st.column_config.NumberColumn(
            labels.get("train_seconds"), help=text.HELP["train"], format="%.1f"
        ),
        "source": st.column_config.TextColumn("Source", help=text.HELP["source"]),
        "verified": st.column_config.TextColumn("Verified", help=text.HELP["verified"], width=80, alignment="center"),
        "dataset": st.column_config.TextColumn("Trained on", help=text.HELP["dataset"], width=170),
    }
    shown: dict[str, Any] = {}
    for column in chosen:
        numeric = column.key not in {"family", "name", "teacher", "device", "status", "citation"}
        default = st.column_config.NumberColumn(column.label, help=known(column.key).help, format="%.4g")
        shown[column.key] = kinds.get(column.key) or (default if numeric else column.label)
    return shown
