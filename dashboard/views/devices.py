"""Devices: the same models on different machines; speed, memory and size."""

from importlib import resources
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import data, device_charts, devices, look, text
from dashboard.components import guarded, ink, plain

GUIDE = "raspberry-pi-5.md"


def _headline(rows: pd.DataFrame) -> None:
    st.title(text.DEVICES_QUESTION)
    for bold, rest in devices.sentences(rows):
        st.markdown(f"**{plain(bold)}:** {plain(rest)}")


def _draw_speed(rows: pd.DataFrame) -> None:
    drawn = rows.dropna(subset=["times"])
    if drawn.empty:
        st.caption(text.DEVICES_NO_REFERENCE)
        return
    figure = device_charts.speed(drawn, look.family_colours(drawn["family"].tolist()), ink=ink())
    st.caption(text.DEVICES_HOW)
    st.plotly_chart(figure, key="speed", config={"displayModeBar": False},
                    alt=f"Speed of {len(drawn)} models as multiples of BERT-base, by machine")  # fmt: skip


def _draw_table(rows: pd.DataFrame) -> None:
    number, words = st.column_config.NumberColumn, st.column_config.TextColumn
    drawn = devices.table(rows)
    config: dict[str, Any] = {
        "machine": words("Machine", pinned=True, width=130), "source": words("Source", help=text.HELP["source"]),
        "model": words("Model"), "precision": words("Precision", help=text.HELP["precision"]),
        "times": number("Times as fast", format="%.2f", help=text.DEVICES_TIMES),
        "time": words("Time", alignment="right", help=text.DEVICES_TIME), "condition": words("For"),
        "params": number("Parameters", format="localized", help=text.HELP["params"]),
        "memory": number("Peak memory, MB", format="%.0f", help=text.DEVICES_MEMORY),
        "size": number("On disk, MB", format="%.0f", help=text.DEVICES_SIZE),
        "start": number("Start, s", format="%.1f", help=text.DEVICES_START), "citation": words("Citation"),
    }  # fmt: skip
    st.dataframe(drawn, key="compared", hide_index=True, placeholder="–", height="content", column_config=config,
                 alt=f"Speed, memory and size, {len(drawn)} rows")  # fmt: skip


def _draw_machine(measured: pd.DataFrame) -> None:
    st.subheader(text.DEVICES_TIMINGS)
    names = devices.machines(measured)
    chosen = st.selectbox("Machine", names, key="machine", bind="query-params") if len(names) > 1 else names[0]
    st.caption(plain(devices.facts(measured, str(chosen))))
    for remark in devices.remarks(measured, str(chosen)):
        st.warning(plain(remark), icon=":material/speed:")
    number, words = st.column_config.NumberColumn, st.column_config.TextColumn
    config: dict[str, Any] = {
        "model": words("Model", pinned=True), "precision": words("Precision", help=text.HELP["precision"]),
        "threads": number("Threads"), "tokens": number("Tokens"), "batch": number("Batch"),
        "p50_ms": number("Median, ms", format="%.1f"), "p95_ms": number("p95, ms", format="%.1f"),
        "p99_ms": number("p99, ms", format="%.1f"), "per_s": number("Examples/s", format="%.2f"),
        "calls": number("Calls"), "load_average": number("Load", format="%.1f", help=text.DEVICES_LOAD),
        "celsius": number("°C", format="%.0f"), "clock_mhz": number("Clock, MHz", format="%.0f"),
    }  # fmt: skip
    rows = devices.timings(measured, str(chosen))
    st.dataframe(rows, key="timings", hide_index=True, placeholder="–", column_config=config,
                 height="content" if len(rows) <= 25 else 760, alt=f"{len(rows)} timings of {chosen}")  # fmt: skip


def _draw_empty() -> None:
    st.subheader(text.DEVICES_EMPTY)
    st.write(text.DEVICES_EMPTY_HOW)
    st.code(text.DEVICES_EMPTY_COMMANDS, language="bash")


def _draw_guide() -> None:
    guide = (resources.files("dashboard") / "guides" / GUIDE).read_text("utf-8")
    title, _, body = guide.partition("\n")
    with st.expander(title.removeprefix("# "), icon=":material/developer_board:"):
        st.markdown(body)


def page() -> None:
    """Draw the page."""
    with guarded():
        measured, reported = data.device_timings()
    rows = devices.compared(measured, reported)
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
