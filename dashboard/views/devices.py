"""Devices: the same models on different machines; speed, memory and size."""

from importlib import resources
from typing import Any, Literal, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.devices import chart as device_charts
from dashboard.devices import comparison
from dashboard.ui import cache, i18n
from dashboard.ui.i18n import N_, NP_, _
from dashboard.ui.labels import HELP
from dashboard.ui.markdown import chart, guarded, ink, plain


class _Field(NamedTuple):
    """A column of the tables: its header, its explanation, and the format of its numbers or the side of its texts."""

    label: str
    help: str = ""
    format: str | None = None
    alignment: Literal["right"] | None = None


_FIELDS = {
    "machine": _Field(N_("Machine")),
    "source": _Field(NP_("devices columns", "Source"), HELP["source"]),
    "model": _Field(N_("Model")),
    "precision": _Field(N_("Precision"), HELP["precision"]),
    "times": _Field(
        N_("Speed-up against BERT-base"),
        N_("How many times as fast as BERT-base in float32 on the same machine."),
        "%.2f",
    ),
    "time": _Field(
        N_("Time"),
        N_("Median time of one question where measured; time of the whole pass where a document prints that."),
        alignment="right",
    ),
    "condition": _Field(N_("For")),
    "energy": _Field(
        N_("Energy per 1,000 answers"),
        N_("Measured by the machine's own counters, or estimated from a stated wattage and the time."),
        alignment="right",
    ),
    "cost": _Field(
        N_("Cost per 1,000 answers"),
        N_("Computed from a stated price of an hour of the machine and the time; in US dollars."),
        alignment="right",
    ),
    "params": _Field(N_("Parameters"), HELP["params"], "localized"),
    "memory": _Field(
        N_("Peak memory, MB"),
        N_("The most memory that a process with this model alone has held, libraries included."),
        "%.0f",
    ),
    "size": _Field(
        N_("On disk, MB"), N_("The safetensors file of the model, in the precision in which it is kept."), "%.0f"
    ),
    "start": _Field(N_("Cold start, s"), N_("From the start of a fresh process to its first answer."), "%.1f"),
    "citation": _Field(N_("Citation")),
    "threads": _Field(N_("Threads")),
    "tokens": _Field(N_("Tokens")),
    "batch": _Field(N_("Batch")),
    "p50_ms": _Field(N_("Median, ms"), format="%.1f"),
    "p95_ms": _Field(N_("p95, ms"), format="%.1f"),
    "p99_ms": _Field(N_("p99, ms"), format="%.1f"),
    "per_s": _Field(N_("Examples/s"), format="%.2f"),
    "calls": _Field(N_("Calls")),
    "load_average": _Field(
        N_("Load"),
        N_("Highest load average while this was timed; above the number of threads the times are too long."),
        "%.1f",
    ),
    "celsius": _Field(N_("Temperature, °C"), format="%.0f"),
    "clock_mhz": _Field(N_("Clock, MHz"), format="%.0f"),
}
GUIDES = {"en": "raspberry-pi-5.md", "ko": "raspberry-pi-5.ko.md"}


def _headline(rows: pd.DataFrame) -> None:
    st.title(_("How fast are the same models on different machines?"), anchor=False)
    for bold, rest in comparison.sentences(rows):
        st.markdown(f"**{plain(bold)}:** {plain(rest)}")


def _draw_speed(rows: pd.DataFrame) -> None:
    timed = rows.dropna(subset=["times"])
    if timed.empty:
        st.caption(_("No machine has timed BERT-base in float32 yet, so there are no ratios; the times are below."))
        return
    figure = device_charts.speed(timed, cache.family_colours(), ink=ink())
    st.caption(
        _(
            "Times as fast as BERT-base in float32 on the same machine, so that machines can be "
            "compared; the times themselves are in the table. Hollow: reported. Filled: measured."
        )
    )
    alt = _("Speed of {n} models as multiples of BERT-base, by machine").format(n=len(timed))
    chart(figure, "speed", alt)


def _columns(shown: pd.DataFrame, pinned: str) -> dict[str, Any]:
    """Configure the columns of a table, with their explanations; figures stand on the right."""
    config: dict[str, Any] = {}
    for name in shown.columns:
        field = _FIELDS[name]
        label, explanation = _(field.label), _(field.help) or None
        if pd.api.types.is_numeric_dtype(shown[name]):
            config[name] = st.column_config.NumberColumn(label, format=field.format, help=explanation)
        else:
            config[name] = st.column_config.TextColumn(
                label, help=explanation, alignment=field.alignment, pinned=name == pinned or None
            )
    return config


def _draw_table(rows: pd.DataFrame) -> None:
    table = comparison.table(rows)
    config = _columns(table, pinned="machine")
    config["machine"]["width"] = 130
    st.dataframe(
        table,
        key="compared",
        hide_index=True,
        placeholder="–",
        height="content",
        column_config=config,
        alt=_("Speed, memory and size, {n} rows").format(n=len(table)),
    )


def _draw_machine(measured: pd.DataFrame) -> None:
    st.subheader(_("All timings of a machine"), anchor=False)
    names, label = comparison.machines(measured), _("Machine")
    chosen = str(st.selectbox(label, names, key="machine", bind="query-params") if len(names) > 1 else names[0])
    st.caption(plain(comparison.facts(measured, chosen)))
    for remark in comparison.remarks(measured, chosen):
        st.warning(plain(remark), icon=":material/speed:")
    rows = comparison.timings(measured, chosen)
    st.dataframe(
        rows,
        key="timings",
        hide_index=True,
        placeholder="–",
        column_config=_columns(rows, pinned="model"),
        height="content" if len(rows) <= 25 else 760,
        alt=_("{n} timings of {machine}").format(n=len(rows), machine=chosen),
    )


def _draw_empty() -> None:
    st.subheader(_("No machine has been measured yet."), anchor=False)
    st.write(
        _(
            "This command times models on the machine that it runs on, with random weights and so "
            "without a download. A bundle from another machine is taken in by the second one."
        )
    )
    st.code(
        ("featherboard bench --device-name 'Raspberry Pi 5, 8 GB' --output pi.zip\nfeatherboard db import pi.zip"),
        language="bash",
    )


def _draw_guide() -> None:
    guide = (resources.files("dashboard") / "guides" / GUIDES[i18n.current_language()]).read_text("utf-8")
    title, _unused, body = guide.partition("\n")
    with st.expander(title.removeprefix("# "), icon=":material/developer_board:"):
        st.markdown(body)


def page() -> None:
    """Draw the page."""
    with guarded():
        measured, reported = cache.device_timings()
    rows = comparison.compared(measured, reported)
    _headline(rows)
    _draw_speed(rows)
    if len(rows):
        _draw_table(rows)
    if measured.empty:
        _draw_empty()
    else:
        _draw_machine(measured)
    _draw_guide()


page()
