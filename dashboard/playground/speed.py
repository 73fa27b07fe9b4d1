"""The speed lab: how long models take for one question, in every number format, on this machine."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, models, settings, speed_chart, state
from dashboard.ui.i18n import N_, NP_, _, translated
from dashboard.ui.labels import HELP
from dashboard.ui.markdown import ink, plain
from db.base.errors import FeatherboardError

TRY_LAB_COLUMNS = (
    N_("Model"),
    N_("Number format"),
    N_("Median"),
    N_("p95"),
    N_("p99"),
    N_("Tokens"),
    N_("Threads"),
    NP_("try lab columns", "Calls"),
)

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
        st.write(
            _(
                "One question, many times, by every chosen model in every number format, in turns. Timed is "
                "the network alone; tokenising and decoding are told beside each answer in the tab "
                "Questions."
            )
        )
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
            _("Number formats"),
            list(settings.PRECISIONS),
            selection_mode="multi",
            key="pg_precisions",
            help=_(HELP["precision"]),
        )
        calls = st.segmented_control(_("Calls of each"), list(_CALLS), key="pg_calls", required=True)
        st.caption(plain(_("Question of the tab Questions: {question}").format(question=asked.texts[0][:200])))
        ready = bool(chosen and precisions and not asked.empty)
        pressed = st.button(_("Measure"), icon=":material/timer:", key="pg_measure", disabled=not ready)
        models.add("qa")
    with right:
        if pressed:
            _measure(chosen, list(precisions), asked.texts, int(calls or _CALLS[1]))
        if _DONE in st.session_state:
            _show(st.session_state[_DONE])
        elif not chosen:
            st.info(_("Choose at least one model."), icon=":material/model_training:")
    state.write(
        "qa",
        asked,
        [one.key for one in chosen],
        {state.TAB: "lab", "formats": ",".join(precisions), "calls": str(calls)},
    )


def _measure(chosen: "list[ModelRef]", precisions: list[str], texts: tuple[str, ...], calls: int) -> None:
    bar = st.progress(0.0, _("Measuring in turns"))
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
                progress=lambda share: bar.progress(share, _("Measuring in turns")),
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
            _("{fast} is {ratio} times as fast as {slow} at the median.").format(
                fast=plain(_called(fast)),
                slow=plain(_called(slow)),
                ratio=f"{slow.quantile(0.5) / fast.quantile(0.5):.1f}",
            )
        )
    if found[0].busy >= speed_chart.BUSY:
        st.warning(
            _(
                "Other programs kept {share} of the cores busy before this: the times are longer than on a "
                "quiet machine."
            ).format(share=f"{found[0].busy:.0%}"),
            icon=":material/warning:",
        )
    st.plotly_chart(
        speed_chart.distribution(
            [(_called(one), one.times_ms) for one in order], _("Milliseconds of each call"), ink()
        ),
        width="stretch",
        config={"displayModeBar": False},
        alt=_("Milliseconds of each call"),
    )
    rows = [
        dict(
            zip(
                translated(TRY_LAB_COLUMNS),
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
    st.table(rows, border="horizontal", hide_index=True, alt=_("Milliseconds of each call"))
    with st.form("pg_keep", border=False):
        name = st.text_input(_("What this device is called"), key="pg_device", max_chars=100)
        if st.form_submit_button(_("Keep as measured runs of this device"), icon=":material/save:"):
            _keep(found, name.strip() or None)


def _keep(found: "list[Timed]", name: str | None) -> None:
    try:
        kept = engine_bridge.lab().keep(engine_bridge.predictor().store, found, name)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return
    st.success(_("Kept: {n} runs on the board of devices.").format(n=len(kept)), icon=":material/check:")
    st.page_link("views/devices.py", label=_("Devices"), icon=":material/memory:")


def _called(one: "Timed") -> str:
    return f"{one.held.ref.name}, {one.held.precision}"
