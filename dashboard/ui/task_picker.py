"""Which board: first the area, then the task. Twenty tasks side by side would take the first screen of a telephone."""

import pandas as pd
import streamlit as st

from dashboard.leaderboard import visit
from dashboard.ui import task_names
from dashboard.ui.i18n import N_, _, translated

BOARD_AREAS = {
    "sentiment": N_("Sentiment"),
    "inference": N_("Inference"),
    "questions": N_("Question answering"),
    "language": N_("Language"),
    "speed": N_("Speed"),
    "other": N_("Other"),
    "mini": N_("Mini corpora"),
}

AREAS = {
    "sentiment": ("nsmc", "imdb"),
    "inference": ("mnli",),
    "questions": ("squad", "korquad", "korquad-articles", "korquad-span", "squad-deck"),
    "language": ("glue", "distil-ablation", "english-text", "korean-text"),
    "speed": ("inference-time", "device-speed"),
}
"""Full tasks by area. Mini corpora are an area of their own, whatever they ask."""


def area_of(task: pd.Series) -> str:
    """The area of a task."""
    if task["mini"]:
        return "mini"
    return next((area for area, tasks in AREAS.items() if task["task_id"] in tasks), "other")


def by_area(boards: pd.DataFrame) -> dict[str, list[str]]:
    """The tasks that there are, in the order of the boards, by area; areas without any are left out."""
    areas = [area_of(row) for _unused, row in boards.iterrows()]
    order = (*AREAS, "other", "mini")
    found = {area: boards.loc[[one == area for one in areas], "task_id"].tolist() for area in order}
    return {area: tasks for area, tasks in found.items() if tasks}


def choose(boards: pd.DataFrame, chosen: str) -> None:
    """Draw both steps.

    Args:
        boards: Of ``data.boards``.
        chosen: The task that is shown.
    """
    found = by_area(boards)
    names = {str(row["task_id"]): task_names.task(row).name for row in boards.to_dict("records")}
    runs = dict(zip(boards["task_id"], boards["runs"], strict=True))
    area = next(area for area, tasks in found.items() if chosen in tasks)
    st.session_state["area"], st.session_state["task"] = area, chosen

    def take_area() -> None:
        tasks = found[st.session_state["area"]]
        _open(next((task for task in tasks if runs[task]), tasks[0]))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tasks"):
        st.segmented_control(
            _("Area"),
            list(found),
            key="area",
            required=True,
            on_change=take_area,
            format_func=translated(BOARD_AREAS).__getitem__,
            label_visibility="collapsed",
        )
        st.pills(
            _("Task"),
            found[area],
            key="task",
            required=True,
            format_func=names.__getitem__,
            on_change=lambda: _open(st.session_state["task"]),
            label_visibility="collapsed",
        )


def _open(task: str) -> None:
    visit.show(visit.current().on(task))
