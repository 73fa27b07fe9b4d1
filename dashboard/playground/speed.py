"""The speed lab: how long models take for one question, in every number format, on this machine."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, models, settings, speed_chart, state
from dashboard.ui import text
from dashboard.ui.markdown import ink, plain
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef
    from engine.inference.speed import Timed

_DONE = "pg_lab"
_CALLS = (10, 30, 100, 300)


def draw() -> None:
    """Draw the tab."""
    models.later()
    asked = state.settle("qa")
    left, right = st.columns([5, 7], gap="large")
    with left:
        st.write(text.TRY_LAB_HOW)
        chosen = models.choose("qa")
        if "pg_precisions" not in st.session_state:
            wanted = st.query_params.get("formats", "").split(",")
            st.session_state["pg_precisions"] = [one for one in settings.PRECISIONS if one in wanted] or [
                "float32",
                "int8",
            ]
            count = st.query_params.get("calls", "")
            st.session_state["pg_calls"] = int(count) if count in map(str, _CALLS) else _CALLS[1]
        precisions = st.pills(
            text.TRY_LAB_PRECISIONS,
            list(settings.PRECISIONS),
            selection_mode="multi",
            key="pg_precisions",
            help=text.HELP["precision"],
        )
        calls = st.segmented_control(text.TRY_LAB_CALLS, list(_CALLS), key="pg_calls", required=True)
        st.caption(plain(text.TRY_LAB_QUESTION.format(question=asked.texts[0][:200])))
        ready = bool(chosen and precisions and not asked.empty)
        pressed = st.button(text.TRY_LAB_RUN, icon=":material/timer:", key="pg_measure", disabled=not ready)
        models.add("qa")
    with right:
        if pressed:
            _measure(chosen, list(precisions), asked.texts, int(calls or _CALLS[1]))
        if _DONE in st.session_state:
            _show(st.session_state[_DONE])
        elif not chosen:
            st.info(text.TRY_NO_MODEL, icon=":material/model_training:")
    state.write(
        "qa",
        asked,
        [one.key for one in chosen],
        {state.TAB: "lab", "formats": ",".join(precisions), "calls": str(calls)},
    )


def _measure(chosen: "list[ModelRef]", precisions: list[str], texts: tuple[str, ...], calls: int) -> None:
    bar = st.progress(0.0, text.TRY_LAB_RUNNING)
    predictor, held = engine_bridge.predictor(), []
    for choice in chosen:
        for precision in precisions:
            try:
                held.append(predictor.load(choice.key, precision))
            except FeatherboardError as error:  # the others are measured
                st.warning(plain(error), icon=":material/warning:")
    try:
        if held:
            found = engine_bridge.lab().measure(
                predictor.executor,
                held,
                *texts,
                calls,
                progress=lambda share: bar.progress(share, text.TRY_LAB_RUNNING),
            )
            st.session_state[_DONE] = found
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
    finally:
        bar.empty()


def _show(found: "list[Timed]") -> None:
    order = sorted(found, key=lambda one: one.quantile(0.5))
    fast, slow = order[0], order[-1]
    if len(order) > 1:
        st.markdown(
            text.TRY_LAB_RATIO.format(
                fast=plain(_called(fast)),
                slow=plain(_called(slow)),
                ratio=f"{slow.quantile(0.5) / fast.quantile(0.5):.1f}",
            )
        )
    if found[0].busy >= speed_chart.BUSY:
        st.warning(text.TRY_LAB_BUSY.format(share=f"{found[0].busy:.0%}"), icon=":material/warning:")
    st.plotly_chart(
        speed_chart.distribution([(_called(one), one.times_ms) for one in order], text.TRY_LAB_CHART, ink()),
        width="stretch",
        config={"displayModeBar": False},
        alt=text.TRY_LAB_CHART,
    )
    rows = [
        dict(
            zip(
                text.TRY_LAB_COLUMNS,
                (
                    plain(one.held.ref.name),
                    one.held.precision,
                    *(f"{one.quantile(share):.1f} ms" for share in (0.5, 0.95, 0.99)),
                    f"{one.tokens}",
                    f"{one.threads}",
                    f"{len(one.times_ms)}",
                ),
                strict=True,
            )
        )
        for one in order
    ]
    st.table(rows, border="horizontal", hide_index=True, alt=text.TRY_LAB_CHART)
    with st.form("pg_keep", border=False):
        name = st.text_input(text.TRY_LAB_DEVICE, key="pg_device", max_chars=100)
        if st.form_submit_button(text.TRY_LAB_KEEP, icon=":material/save:"):
            _keep(found, name.strip() or None)


def _keep(found: "list[Timed]", name: str | None) -> None:
    try:
        kept = engine_bridge.lab().keep(engine_bridge.predictor().store, found, name)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return
    st.success(text.TRY_LAB_KEPT.format(n=len(kept)), icon=":material/check:")
    st.page_link("views/devices.py", label=text.DEVICES, icon=":material/memory:")


def _called(one: "Timed") -> str:
    return f"{one.held.ref.name}, {one.held.precision}"
