"""The speed lab: the latency of one question by each model and precision, on this machine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import streamlit as st

from dashboard.playground import engine_bridge, models, settings, state
from dashboard.ui import theme
from dashboard.ui.i18n import _, pgettext
from dashboard.ui.labels import HELP
from dashboard.ui.markdown import chart, ink, page_link, plain, table
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef
    from engine.inference.speed import Timed

_RESULT = "pg_lab"
_CALLS = (10, 30, 100, 300)
_MAX_BUSY = 0.15
"""Share of all cores used by other programs from which times are doubtful, as in ``featherboard bench``."""

_ROW_PX = 64


def draw() -> None:
    """Draw the tab."""
    models.choose_fetched()
    question = state.current("qa")
    left, right = st.columns([5, 7], gap="large")
    with left:
        st.write(
            _(
                "One question is answered many times by every chosen model in every precision, in turns. "
                "Only the network is timed; the tab Questions shows tokenising and decoding with each "
                "answer."
            )
        )
        chosen = models.choose("qa")
        if "pg_precisions" not in st.session_state:
            formats = st.query_params.get("formats", "").split(",")
            precisions = [precision for precision in settings.PRECISIONS if precision in formats]
            st.session_state["pg_precisions"] = precisions or ["float32", "int8"]
            count = st.query_params.get("calls", "")
            st.session_state["pg_calls"] = int(count) if count in map(str, _CALLS) else _CALLS[1]
        precisions = st.pills(
            _("Precisions"),
            list(settings.PRECISIONS),
            selection_mode="multi",
            key="pg_precisions",
            help=_(HELP["precision"]),
        )
        calls = st.segmented_control(_("Calls of each"), list(_CALLS), key="pg_calls", required=True)
        st.caption(plain(_("Question of the tab Questions: {question}").format(question=question.texts[0][:200])))
        ready = bool(chosen and precisions and not question.empty)
        pressed = st.button(_("Measure"), icon=":material/timer:", key="pg_measure", disabled=not ready)
        models.draw_other("qa")
    with right:
        if pressed:
            _measure(chosen, list(precisions), question.texts, int(calls or _CALLS[1]))
        if _RESULT in st.session_state:
            _draw_result(st.session_state[_RESULT])
        elif not chosen:
            models.draw_none_chosen()
    values = {state.TAB: "lab", "formats": ",".join(precisions), "calls": str(calls)}
    state.write("qa", question, [ref.key for ref in chosen], values)


def _measure(chosen: "list[ModelRef]", precisions: list[str], texts: tuple[str, ...], calls: int) -> None:
    title = _("Measuring in turns")
    bar = st.progress(0.0, title)
    predictor, loaded = engine_bridge.predictor(), []
    for ref in chosen:
        for precision in precisions:
            try:
                loaded.append(predictor.load(ref.key, precision))
            except FeatherboardError as error:  # the others are measured
                st.warning(plain(error), icon=":material/warning:")
    try:
        if loaded:
            st.session_state[_RESULT] = engine_bridge.inference("speed").measure(
                predictor.executor, loaded, *texts, calls, progress=lambda share: bar.progress(share, title)
            )
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
    finally:
        bar.empty()


def _draw_result(results: "list[Timed]") -> None:
    ordered = sorted(results, key=lambda timed: timed.quantile(0.5))
    fast, slow = ordered[0], ordered[-1]
    if len(ordered) > 1:
        ratio = f"{slow.quantile(0.5) / fast.quantile(0.5):.1f}"
        sentence = _("{fast} is {ratio} times as fast as {slow} at the median.")
        st.markdown(sentence.format(fast=plain(_name(fast)), slow=plain(_name(slow)), ratio=ratio))
    if results[0].busy >= _MAX_BUSY:
        warning = _(
            "Other programs used {share} of the cores before this: the times are longer than on an idle machine."
        )
        st.warning(warning.format(share=f"{results[0].busy:.0%}"), icon=":material/warning:")
    title = _("Milliseconds of each call")
    chart(_distribution([(_name(timed), timed.times_ms) for timed in ordered], title), "pg_lab_calls", title)
    rows = [
        {
            _("Model"): plain(timed.held.ref.name),
            _("Precision"): timed.held.precision,
            _("Median"): f"{timed.quantile(0.5):.1f} ms",
            _("p95"): f"{timed.quantile(0.95):.1f} ms",
            _("p99"): f"{timed.quantile(0.99):.1f} ms",
            _("Tokens"): f"{timed.tokens}",
            _("Threads"): f"{timed.threads}",
            pgettext("try lab columns", "Calls"): f"{len(timed.times_ms)}",
        }
        for timed in ordered
    ]
    table(rows, title)
    with st.form("pg_keep", border=False):
        device = st.text_input(_("Name of this device"), key="pg_device", max_chars=100)
        if st.form_submit_button(_("Save as measured runs of this device"), icon=":material/save:"):
            _save(results, device.strip() or None)


def _distribution(times: Sequence[tuple[str, Sequence[float]]], title: str) -> go.Figure:
    """Plot every call as a point and the quartiles as a box: name and times in ms of each model, the fastest on top."""
    figure = go.Figure()
    for index, (name, values) in enumerate(times):
        colour = theme.OKABE_ITO[index % len(theme.OKABE_ITO)]
        figure.add_box(
            x=list(values),
            name=name,
            orientation="h",
            boxpoints="all",
            jitter=0.5,
            pointpos=0,
            fillcolor=theme.CLEAR,
            line={"color": colour, "width": 1.5},
            marker={"size": 4, "opacity": 0.45, "color": colour},
            hovertemplate="%{x:.1f} ms<extra></extra>",
        )
    figure.update_layout(
        showlegend=False,
        height=90 + _ROW_PX * len(times),
        margin={"l": 0, "r": 10, "t": 10, "b": 40},
        paper_bgcolor=theme.CLEAR,
        plot_bgcolor=theme.CLEAR,
        font={"color": ink()},
        xaxis={"title": title, "rangemode": "tozero", "gridcolor": theme.GRID, "zeroline": False},
        yaxis={"autorange": "reversed", "automargin": True, "ticklabelposition": "outside top"},
    )
    return figure


def _save(results: "list[Timed]", device: str | None) -> None:
    try:
        runs = engine_bridge.inference("speed").keep(engine_bridge.predictor().store, results, device)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return
    st.success(_("Saved: {n} runs on the devices page.").format(n=len(runs)), icon=":material/check:")
    page_link("devices", _("Devices"))


def _name(timed: "Timed") -> str:
    return f"{timed.held.ref.name}, {timed.held.precision}"
