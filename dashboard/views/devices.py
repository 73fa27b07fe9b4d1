"""Devices: the same models on different machines; speed, memory and size."""

from importlib import resources
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.charts import devices as device_charts
from dashboard.devices import comparison
from dashboard.ui import cache, language, text, theme
from dashboard.ui.markdown import guarded, ink, plain

GUIDES = {"en": "raspberry-pi-5.md", "ko": "raspberry-pi-5.ko.md"}


def _headline(rows: pd.DataFrame) -> None:
    st.title(text.DEVICES_QUESTION, anchor=False)
    for bold, rest in comparison.sentences(rows):
        st.markdown(f"**{plain(bold)}:** {plain(rest)}")


def _draw_speed(rows: pd.DataFrame) -> None:
    drawn = rows.dropna(subset=["times"])
    if drawn.empty:
        st.caption(text.DEVICES_NO_REFERENCE)
        return
    figure = device_charts.speed(drawn, theme.family_colours(drawn["family"].tolist()), ink=ink())
    st.caption(text.DEVICES_HOW)
    st.plotly_chart(
        figure, key="speed", config={"displayModeBar": False}, alt=text.DEVICES_SPEED_ALT.format(n=len(drawn))
    )


def _draw_table(rows: pd.DataFrame) -> None:
    number, words = st.column_config.NumberColumn, st.column_config.TextColumn
    drawn, titles = comparison.table(rows), text.DEVICES_COLUMNS
    config: dict[str, Any] = {
        "machine": words(titles["machine"], pinned=True, width=130),
        "source": words(titles["source"], help=text.HELP["source"]),
        "model": words(titles["model"]),
        "precision": words(titles["precision"], help=text.HELP["precision"]),
        "times": number(titles["times"], format="%.2f", help=text.DEVICES_TIMES),
        "time": words(titles["time"], alignment="right", help=text.DEVICES_TIME),
        "condition": words(titles["condition"]),
        "params": number(titles["params"], format="localized", help=text.HELP["params"]),
        "memory": number(titles["memory"], format="%.0f", help=text.DEVICES_MEMORY),
        "size": number(titles["size"], format="%.0f", help=text.DEVICES_SIZE),
        "start": number(titles["start"], format="%.1f", help=text.DEVICES_START),
        "citation": words(titles["citation"]),
    }
    st.dataframe(
        drawn,
        key="compared",
        hide_index=True,
        placeholder="–",
        height="content",
        column_config=config,
        alt=text.DEVICES_TABLE_ALT.format(n=len(drawn)),
    )


def _draw_machine(measured: pd.DataFrame) -> None:
    st.subheader(text.DEVICES_TIMINGS, anchor=False)
    names, titles = comparison.machines(measured), text.DEVICES_COLUMNS
    chosen = str(
        st.selectbox(titles["machine"], names, key="machine", bind="query-params") if len(names) > 1 else names[0]
    )
    st.caption(plain(comparison.facts(measured, chosen)))
    for remark in comparison.remarks(measured, chosen):
        st.warning(plain(remark), icon=":material/speed:")
    number, words = st.column_config.NumberColumn, st.column_config.TextColumn
    config: dict[str, Any] = {
        "model": words(titles["model"], pinned=True),
        "precision": words(titles["precision"], help=text.HELP["precision"]),
        "threads": number(titles["threads"]),
        "tokens": number(titles["tokens"]),
        "batch": number(titles["batch"]),
        "p50_ms": number(titles["p50_ms"], format="%.1f"),
        "p95_ms": number(titles["p95_ms"], format="%.1f"),
        "p99_ms": number(titles["p99_ms"], format="%.1f"),
        "per_s": number(titles["per_s"], format="%.2f"),
        "calls": number(titles["calls"]),
        "load_average": number(titles["load_average"], format="%.1f", help=text.DEVICES_LOAD),
        "celsius": number(titles["celsius"], format="%.0f"),
        "clock_mhz": number(titles["clock_mhz"], format="%.0f"),
    }
    rows = comparison.timings(measured, chosen)
    st.dataframe(
        rows,
        key="timings",
        hide_index=True,
        placeholder="–",
        column_config=config,
        height="content" if len(rows) <= 25 else 760,
        alt=text.DEVICES_TIMINGS_ALT.format(n=len(rows), machine=chosen),
    )


def _draw_empty() -> None:
    st.subheader(text.DEVICES_EMPTY, anchor=False)
    st.write(text.DEVICES_EMPTY_HOW)
    st.code(text.DEVICES_EMPTY_COMMANDS, language="bash")


def _draw_guide() -> None:
    guide = (resources.files("dashboard") / "guides" / GUIDES[language.current()]).read_text("utf-8")
    title, _, body = guide.partition("\n")
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
