"""The models that answer: of the board, from a folder, or downloaded from the hub."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, settings, state
from dashboard.playground.state import MAX_MODELS
from dashboard.ui import task_names
from dashboard.ui.i18n import _, pgettext
from dashboard.ui.markdown import plain
from dashboard.ui.messages import error_text
from db.base.errors import FeatherboardError
from db.registry import formats

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, Plan, TaskType

_OUTSIDE, _PLAN, _ERROR, _FETCHED = "pg_outside", "pg_plan", "pg_trouble", "pg_later"


def choose(task: "TaskType") -> "list[ModelRef]":
    """Draw the menu of models, and return the chosen ones in the order of their choice."""
    key = state.key(task, "models")
    offered = {ref.key: ref for ref in engine_bridge.listed(task)}
    unknown = st.session_state.pop(state.key(task, "unknown"), None)
    if unknown:
        st.warning(plain(unknown), icon=":material/search_off:")
    for name in [*st.session_state.get(key, []), *st.session_state.get(_OUTSIDE, [])]:
        if name in offered:
            continue
        try:
            ref = engine_bridge.named(name)
        except FeatherboardError:
            continue
        if ref.reads == task:
            offered[name] = ref
    st.session_state[key] = [name for name in st.session_state.get(key, []) if name in offered][:MAX_MODELS]
    names = {name: _label(ref) for name, ref in offered.items()}
    chosen = st.multiselect(
        _("Models, up to four side by side"),
        list(offered),
        key=key,
        format_func=names.__getitem__,
        max_selections=MAX_MODELS,
        placeholder=_("Choose a model"),
        wrap=True,
        persist_state="session",
    )
    return [offered[name] for name in chosen]


def _label(ref: "ModelRef") -> str:
    parts = [ref.name]
    if ref.metric is not None and ref.score is not None:
        metric = task_names.metric(ref.metric)
        parts.append(f"{metric.label} {formats.value(metric, ref.score)}")
    if ref.params:
        parts.append(pgettext("try params", "{n} parameters").format(n=formats.short(ref.params)))
    if ref.mini:
        parts.append(_("mini"))
    return ", ".join(parts)


def draw_none_chosen() -> None:
    """Ask for a model."""
    st.info(_("Choose at least one model."), icon=":material/model_training:")


def waiting(ref: "ModelRef", precision: str) -> str:
    """Say what a visitor waits for: the answer, or the model that is loaded for it, once."""
    loaded = {(model.ref.key, model.precision) for model in engine_bridge.predictor().cache.loaded()}
    return _("The model is reading …") if (ref.key, precision) in loaded else _("Warm-up: loading the model, once …")


def draw_name(ref: "ModelRef", precision: str) -> None:
    """Draw a model's name above its answer, as a link to its run where it has one."""
    name = plain(ref.name if precision == settings.FLOAT32 else f"{ref.name}, {precision}")
    if ref.run_id is None:
        st.markdown(f"**{name}**")
        return
    with st.container(key=f"pg_name_{ref.key}"):
        explanation = _("To the model's row: scores, cost, where it comes from")
        st.page_link("views/run.py", label=f"**{name}**", query_params={"run": ref.run_id}, help=explanation)


def draw_other(task: "TaskType") -> None:
    """Draw the menu that adds a model from a folder or the hub; nothing on a public server."""
    if not engine_bridge.outside():
        return
    with st.popover(_("Add a model"), icon=":material/add:"):
        label = _("A folder with a model in safetensors")
        st.text_input(label, key="pg_folder", placeholder="/home/me/models/my-model", width=420)
        st.button(_("Add the folder"), on_click=_add_folder, args=(task,), key=f"pg_{task}_add_folder")
        st.text_input(
            _("A model of the Hugging Face hub"),
            key="pg_hub",
            placeholder="OWNER/NAME",
            width=420,
            help=_("Nothing is downloaded before you see its size. Safetensors only; code of a model is never run."),
        )
        if st.button(_("Look up"), key=f"pg_{task}_look"):
            _look_up(task, st.session_state["pg_hub"].strip())
        plan = st.session_state.get(_PLAN)
        if plan is not None:
            size = formats.size(plan.bytes)
            st.write(
                _("{name}: {files} files, {size}.").format(name=plain(plan.name), files=len(plan.files), size=size)
            )
            if st.button(_("Download"), icon=":material/download:", key=f"pg_{task}_fetch"):
                _fetch(task, plan)
        error = st.session_state.pop(_ERROR, None)
        if error:
            st.error(plain(error), icon=":material/error:")


def _add_folder(task: "TaskType") -> None:
    path = str(st.session_state.get("pg_folder", "")).strip()
    if path:
        _add(task, f"folder:{path}")


def _add(task: "TaskType", key: str) -> None:
    try:
        ref = engine_bridge.named(key)
    except FeatherboardError as error:
        st.session_state[_ERROR] = error_text(error)
        return
    if ref.reads != task:
        message = _("{name} belongs to another tab: {tab}.")
        st.session_state[_ERROR] = message.format(name=ref.name, tab=_(state.TABS[ref.reads]))
        return
    st.session_state[_OUTSIDE] = list(dict.fromkeys([*st.session_state.get(_OUTSIDE, []), key]))
    chosen = [name for name in st.session_state.get(state.key(task, "models"), []) if name != key]
    st.session_state[state.key(task, "models")] = [*chosen[: MAX_MODELS - 1], key]


def _look_up(task: "TaskType", name: str) -> None:
    hub = engine_bridge.inference("hub")
    st.session_state.pop(_PLAN, None)
    try:
        if hub.cached(name):
            st.session_state[_FETCHED] = (task, f"hub:{name}")
            st.rerun()
        st.session_state[_PLAN] = hub.plan(name)
    except FeatherboardError as error:
        st.session_state[_ERROR] = error_text(error)


def _fetch(task: "TaskType", plan: "Plan") -> None:
    bar = st.progress(0.0, _("Downloading {name}").format(name=plain(plan.name)))
    try:
        engine_bridge.inference("hub").fetch(plan, bar.progress)
    except FeatherboardError as error:
        st.session_state[_ERROR] = error_text(error)
        return
    st.session_state.pop(_PLAN, None)
    st.session_state[_FETCHED] = (task, f"hub:{plan.name}")
    st.rerun()


def choose_fetched() -> None:
    """Choose the model that the last run of the page downloaded: a widget cannot be changed once it is drawn."""
    fetched = st.session_state.pop(_FETCHED, None)
    if fetched is not None:
        _add(*fetched)


def draw_memory() -> None:
    """Draw which models are in memory, and their size."""
    loaded = engine_bridge.predictor().cache.loaded()
    runtimes = engine_bridge.inference("model_cache").RUNTIME_NAMES
    title = _("Models in memory: {n}, {size}")
    size = formats.size(sum(model.bytes for model in loaded))
    with st.expander(title.format(n=len(loaded), size=size), icon=":material/memory:"):
        rows = [
            {
                _("Model"): model.ref.name,
                _("Precision"): model.precision,
                _("Runtime"): runtimes[model.runtime],
                _("Size in memory"): formats.size(model.bytes),
                _("Loaded in"): _("{n} s").format(n=f"{model.load_s:.1f}"),
            }
            for model in loaded
        ]
        if rows:
            st.dataframe(rows, hide_index=True)
        total = formats.size(engine_bridge.inference("predictor").process_bytes())
        note = _("The least recently used model is unloaded first. This process uses {size} in total.")
        st.caption(note.format(size=total))
