"""Which models answer: chosen from those that are here, from a folder, or fetched from the hub."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, settings, state
from dashboard.playground.history import TRY_TABS
from dashboard.ui import task_names
from dashboard.ui.i18n import _, pgettext
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.registry import formats

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, Plan, TaskType

MOST = 4
"""Models side by side."""


def choose(reads: "TaskType", label: str = "", most: int = MOST) -> "list[ModelRef]":
    """The chosen models, in the order of their choice."""
    key = state.key(reads, "models")
    offered = {one.key: one for one in engine_bridge.listed(reads)}
    unknown = st.session_state.pop(state.key(reads, "unknown"), None)
    if unknown:
        st.warning(plain(unknown), icon=":material/search_off:")
    for one in [*st.session_state.get(key, []), *st.session_state.get("pg_outside", [])]:
        if one not in offered:
            try:
                found = engine_bridge.named(one)
            except FeatherboardError:
                continue
            if found.reads == reads:
                offered[one] = found
    st.session_state[key] = [one for one in st.session_state.get(key, []) if one in offered][:most]
    names = {one: _called(choice) for one, choice in offered.items()}
    chosen = st.multiselect(
        label or _("Models, up to four side by side"),
        list(offered),
        key=key,
        format_func=names.__getitem__,
        max_selections=most,
        placeholder=_("Choose a model"),
        persist_state="session",
    )
    return [offered[one] for one in chosen]


def _called(choice: "ModelRef") -> str:
    told = [choice.name]
    if choice.metric is not None and choice.score is not None:
        told.append(
            f"{task_names.metric(choice.metric).label} {formats.value(task_names.metric(choice.metric), choice.score)}"
        )
    if choice.params:
        told.append(pgettext("try params", "{n} parameters").format(n=formats.short(choice.params)))
    if choice.mini:
        told.append(_("mini"))
    return ", ".join(told)


def heading(choice: "ModelRef", precision: str) -> None:
    """A model's name above what it says, with the way to its row of the board where it has one."""
    called = choice.name if precision == settings.PLAIN else f"{choice.name}, {precision}"
    if choice.run_id is not None:
        with st.container(key=f"pg_name_{choice.key}"):
            st.page_link(
                "views/run.py",
                label=f"**{plain(called)}**",
                query_params={"run": choice.run_id},
                help=_("To the model's row: scores, cost, where it comes from"),
            )
    else:
        st.markdown(f"**{plain(called)}**")


def add(reads: "TaskType") -> None:
    """The means to bring another model; nothing where strangers visit."""
    if not engine_bridge.outside():
        return
    with st.popover(_("Another model"), icon=":material/add:", width="content"):
        st.text_input(
            _("A folder with a model in safetensors"),
            key="pg_folder",
            placeholder="/home/me/models/my-model",
            width=420,
        )
        st.button(
            _("Add the folder"), on_click=_take, args=(reads, "folder", "pg_folder"), key=f"pg_{reads}_add_folder"
        )
        st.text_input(
            _("A model of the Hugging Face hub"),
            key="pg_hub",
            placeholder="OWNER/NAME",
            width=420,
            help=_("Nothing is fetched before you have seen its size. Safetensors only; code of a model is never run."),
        )
        if st.button(_("Look it up"), key=f"pg_{reads}_look"):
            _look(reads, st.session_state["pg_hub"].strip())
        plan = st.session_state.get("pg_plan")
        if plan is not None:
            st.write(
                _("{name}: {files} files, {size}.").format(
                    name=plain(plan.name), files=len(plan.files), size=formats.size(plan.bytes)
                )
            )
            if st.button(_("Fetch it"), icon=":material/download:", key=f"pg_{reads}_fetch"):
                _fetch(reads, plan)
        trouble = st.session_state.pop("pg_trouble", None)
        if trouble:
            st.error(plain(trouble), icon=":material/error:")


def _take(reads: "TaskType", prefix: str, field: str) -> None:
    wanted = str(st.session_state.get(field, "")).strip()
    if not wanted:
        return
    _add(reads, f"{prefix}:{wanted}")


def _add(reads: "TaskType", key: str) -> None:
    try:
        found = engine_bridge.named(key)
    except FeatherboardError as error:
        st.session_state["pg_trouble"] = str(error)
        return
    if found.reads != reads:
        st.session_state["pg_trouble"] = _("{name} belongs to another tab: {tab}.").format(
            name=found.name, tab=_(TRY_TABS[found.reads])
        )
        return
    st.session_state["pg_outside"] = [*dict.fromkeys([*st.session_state.get("pg_outside", []), key])]
    chosen = [one for one in st.session_state.get(state.key(reads, "models"), []) if one != key]
    st.session_state[state.key(reads, "models")] = [*chosen[: MOST - 1], key]


def _look(reads: "TaskType", name: str) -> None:
    st.session_state.pop("pg_plan", None)
    try:
        if engine_bridge.hub().cached(name):
            st.session_state["pg_later"] = (reads, f"hub:{name}")
            st.rerun()
        st.session_state["pg_plan"] = engine_bridge.hub().plan(name)
    except FeatherboardError as error:
        st.session_state["pg_trouble"] = str(error)


def _fetch(reads: "TaskType", plan: "Plan") -> None:
    bar = st.progress(0.0, _("Fetching {name}").format(name=plain(plan.name)))
    try:
        engine_bridge.hub().fetch(plan, bar.progress)
    except FeatherboardError as error:
        st.session_state["pg_trouble"] = str(error)
        return
    st.session_state.pop("pg_plan", None)
    st.session_state["pg_later"] = (reads, f"hub:{plan.name}")
    st.rerun()


def later() -> None:
    """Choose what was fetched in the run before: a widget that is drawn already cannot be changed."""
    waiting = st.session_state.pop("pg_later", None)
    if waiting is not None:
        _add(*waiting)


def memory() -> None:
    """What is in memory, and how much of it that takes."""
    predictor = engine_bridge.predictor()
    held = predictor.cache.loaded()
    with st.expander(
        _("Models in memory: {n}, {size}").format(n=len(held), size=formats.size(sum(one.bytes for one in held))),
        icon=":material/memory:",
    ):
        rows = [
            {
                _("Model"): one.ref.name,
                _("Number format"): one.precision,
                _("Size in memory"): formats.size(one.bytes),
                _("Loaded in"): _("{n} s").format(n=f"{one.load_s:.1f}"),
            }
            for one in held
        ]
        if rows:
            st.dataframe(rows, hide_index=True, width="stretch")
        st.caption(
            _("The least recently used model leaves first. This process holds {size} in all.").format(
                size=formats.size(engine_bridge.process_bytes())
            )
        )
