"""Which models answer: chosen from those that are here, from a folder, or fetched from the hub."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, settings, state
from dashboard.ui import task_names, text
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
        label or text.TRY_MODELS,
        list(offered),
        key=key,
        format_func=names.__getitem__,
        max_selections=most,
        placeholder=text.TRY_MODELS_NONE,
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
        told.append(text.TRY_PARAMS.format(n=formats.short(choice.params)))
    if choice.mini:
        told.append(text.MINI_LABEL)
    return ", ".join(told)


def heading(choice: "ModelRef", precision: str) -> None:
    """A model's name above what it says, with the way to its row of the board where it has one."""
    called = choice.name if precision == settings.PLAIN else f"{choice.name}, {precision}"
    if choice.run_id is not None:
        with st.container(key=f"pg_name_{choice.key}"):
            st.page_link(
                "views/run.py", label=f"**{plain(called)}**", query_params={"run": choice.run_id}, help=text.TRY_TO_RUN
            )
    else:
        st.markdown(f"**{plain(called)}**")


def add(reads: "TaskType") -> None:
    """The means to bring another model; nothing where strangers visit."""
    if not engine_bridge.outside():
        return
    with st.popover(text.TRY_OTHER, icon=":material/add:", width="content"):
        st.text_input(text.TRY_FOLDER, key="pg_folder", placeholder="/home/me/models/my-model", width=420)
        st.button(
            text.TRY_FOLDER_ADD, on_click=_take, args=(reads, "folder", "pg_folder"), key=f"pg_{reads}_add_folder"
        )
        st.text_input(text.TRY_HUB, key="pg_hub", placeholder="OWNER/NAME", width=420, help=text.TRY_HUB_HELP)
        if st.button(text.TRY_HUB_LOOK, key=f"pg_{reads}_look"):
            _look(reads, st.session_state["pg_hub"].strip())
        plan = st.session_state.get("pg_plan")
        if plan is not None:
            st.write(
                text.TRY_HUB_PLAN.format(name=plain(plan.name), files=len(plan.files), size=formats.size(plan.bytes))
            )
            if st.button(text.TRY_HUB_FETCH, icon=":material/download:", key=f"pg_{reads}_fetch"):
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
        st.session_state["pg_trouble"] = text.TRY_OTHER_KIND.format(name=found.name, tab=text.TRY_TABS[found.reads])
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
    bar = st.progress(0.0, text.TRY_HUB_FETCHING.format(name=plain(plan.name)))
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
        text.TRY_MEMORY.format(n=len(held), size=formats.size(sum(one.bytes for one in held))), icon=":material/memory:"
    ):
        rows = [
            {
                text.TRY_MODEL: one.ref.name,
                text.TRY_PRECISION: one.precision,
                text.TRY_SIZE: formats.size(one.bytes),
                text.TRY_LOADED: text.TRY_SECONDS.format(n=f"{one.load_s:.1f}"),
            }
            for one in held
        ]
        if rows:
            st.dataframe(rows, hide_index=True, width="stretch")
        st.caption(text.TRY_MEMORY_HOW.format(size=formats.size(engine_bridge.process_bytes())))
