"""Which board: first the area, then the task. Twenty tasks side by side would take the first screen of a telephone."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.ui import task_names
from dashboard.ui.formatting import cut
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.markdown import plain
from db.registry import tasks

BOARD_AREAS = {
    "sentiment": N_("Sentiment"),
    "inference": N_("Natural language inference"),
    "topics": N_("Topics"),
    "questions": N_("Question answering"),
    "language": N_("Language"),
    "speed": N_("Speed"),
    "other": N_("Other"),
    "mini": N_("Mini corpora"),
}

AREAS = {
    area: tuple(task.task_id for task in tasks.TASKS if task.area == area and not task.mini) for area in tasks.AREAS
}
"""Full tasks by area. Mini corpora are an area of their own, whatever their subject."""


def area_of(task: Mapping[Any, Any] | pd.Series) -> str:
    """The area of a task."""
    if task["mini"]:
        return "mini"
    return next((area for area, task_ids in AREAS.items() if task["task_id"] in task_ids), "other")


def by_area(boards: pd.DataFrame) -> dict[str, list[str]]:
    """The tasks of the boards, in their order, by area; areas without any are left out."""
    areas = [area_of(row) for row in boards[["task_id", "mini"]].to_dict("records")]
    groups = {name: boards.loc[[area == name for area in areas], "task_id"].tolist() for name in (*AREAS, "mini")}
    return {name: task_ids for name, task_ids in groups.items() if task_ids}


def warn_of_unknown(known: Collection[str]) -> None:
    """Say that the address names a board that is not here; drawn before the page writes its own address."""
    task = str(st.query_params.get("task", ""))
    if task and task not in known:
        st.info(plain(_("There is no board “{task}”; another one is shown.").format(task=cut(task, 60))))


def choose(boards: pd.DataFrame, chosen: str, on_choose: Callable[[str], None]) -> None:
    """Draw the choice of area and task."""
    groups = by_area(boards)
    names = {str(row["task_id"]): task_names.task(row).name for row in boards.to_dict("records")}
    runs = dict(zip(boards["task_id"], boards["runs"], strict=True))
    area = next(area for area, task_ids in groups.items() if chosen in task_ids)
    st.session_state["area"], st.session_state["task"] = area, chosen

    def take_area() -> None:
        task_ids = groups[st.session_state["area"]]
        on_choose(next((task for task in task_ids if runs[task]), task_ids[0]))

    with st.container(horizontal=True, vertical_alignment="center", key="tasks"):
        st.segmented_control(
            _("Area"),
            list(groups),
            key="area",
            required=True,
            on_change=take_area,
            format_func=translated(BOARD_AREAS).__getitem__,
            label_visibility="collapsed",
        )
        st.pills(
            _("Task"),
            groups[area],
            key="task",
            required=True,
            format_func=names.__getitem__,
            on_change=lambda: on_choose(st.session_state["task"]),
            label_visibility="collapsed",
        )
