"""The five figures that a run is chosen by: its score and its costs."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import _
from dashboard.ui.labels import HELP
from db.registry import formats
from db.registry.disk_sizes import SHIPPED_BYTES, printed_bytes
from db.runs.detail import RunDetail


def draw(detail: RunDetail) -> None:
    """Draw the primary score and the costs in one row."""
    values = detail.metrics.set_index("name")
    primary = task_names.metric(str(detail.task.get("metric", "accuracy")))
    run, model = detail.run, detail.model

    def stored(name: str) -> float | None:
        return float(values["value"][name]) if name in values.index else None

    around: str | None = None
    if primary.name in values.index:
        row = values.loc[primary.name]
        around = formatting.interval(primary, row["low"], row["high"]) or _("no interval")
    params, printed = model.get("params"), model.get("params_reported")
    shipped = _("as shipped") if run["recipe_hash"] in SHIPPED_BYTES else None
    count = params or printed
    computed = printed_bytes(count) if run["source"] == "reported" and count else None
    tiles = [
        (primary.label, formatting.value(primary, stored(primary.name)), around, primary.help),
        (
            _("Parameters"),
            f"{params:,}" if params else formats.DASH,
            _("printed as {params}").format(params=formats.short(printed)) if printed else None,
            _(HELP["params"]),
        ),
        (_("Size on disk"), formats.size(stored("checkpoint_bytes") or computed), shipped, _(HELP["size"])),
        (
            _("Latency, median"),
            formats.value(task_names.metric("latency_ms_p50"), stored("latency_ms_p50")),
            _timing(stored),
            _(HELP["latency"]),
        ),
        (_("Train time"), formatting.duration(run["train_seconds"]), None, _(HELP["train"])),
    ]
    if primary.name == "latency_ms_p50":  # a board of speeds: the score is the latency already
        tiles.pop(3)
    with st.container(horizontal=True, key="figures"):
        for label, value, below, explanation in tiles:
            st.metric(label, value, below, delta_color="off", delta_arrow="off", help=explanation)


def _timing(stored: Callable[[str], float | None]) -> str | None:
    threads, load = stored("latency_threads"), stored("latency_load")
    if threads is None or load is None or pd.isna(load):
        return None
    return _("CPU threads: {threads}, load {load}").format(threads=f"{threads:.0f}", load=f"{load:.1f}")
