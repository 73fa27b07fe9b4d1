"""Every hyperparameter of a run, by the sections of its recipe, to be searched where there are many."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import streamlit as st

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.markdown import plain, table
from db.registry.tasks import TASKS
from db.runs.detail import RunDetail

RUN_SECTIONS = {
    "": N_("General"),
    "model": N_("Model"),
    "tokenizer": N_("Tokenizer"),
    "data": N_("Data"),
    "train": N_("Training"),
    "pretrain": N_("Pretraining"),
    "distill": N_("Distillation"),
    "qa": N_("Questions and answers"),
    "adapter": N_("Adapter"),
    "text": N_("Text"),
    "triple": N_("Triple loss"),
    "vocabulary": N_("Vocabulary"),
}

_OPEN, _ACROSS = 60, 3
"""Parameters above which sections begin folded; columns beside each other."""

_KEY, _VALUE = 60, 400
"""Characters."""

# What the head of the page says already.
_IN_HEADER = {"name", "label", "family", "summary", "language", "task", "mini_task"}


def draw(detail: RunDetail) -> None:
    """Draw the configuration."""
    st.subheader(_("Configuration"), anchor=False)
    shown = sections(detail)
    count = sum(len(rows) for rows in shown.values())
    if not count:
        st.caption(_("The document prints no configuration of this row."))
        return
    search = ""
    if count > 12:
        search = (
            st.text_input(
                _("Find a parameter"),
                key="parameter",
                live=True,
                bind="query-params",
                width=320,
                type="search",
                icon=":material/search:",
                placeholder=_("Find a parameter"),
                label_visibility="collapsed",
            )
            or ""
        )
    shown = matching(shown, search)
    if not shown:
        st.caption(_("No parameter and no value has these letters."))
        return
    folded = count > _OPEN and not search
    columns = st.columns(min(_ACROSS, len(shown)), gap="large")
    for column, names in zip(columns, _spread(shown, len(columns)), strict=True):
        for name in names:
            with column:
                _section(name, shown[name], folded=folded)


def _section(name: str, rows: list[tuple[str, str]], *, folded: bool) -> None:
    title = plain(translated(RUN_SECTIONS).get(name, formatting.cut(name, 40)))
    shown = [(plain(formatting.cut(key, _KEY)), plain(formatting.cut(value, _VALUE))) for key, value in rows]
    if not folded:
        st.markdown(f"**{title}**")
    with st.expander(f"{title} ({len(rows)})") if folded else nullcontext():
        table(shown, title, heads=False)


def sections(detail: RunDetail) -> dict[str, list[tuple[str, str]]]:
    """The parameters as (key, value) by section, sections without any left out; the one without a name comes first."""
    config = dict(detail.model.get("config") or {})
    recipe = {key: value for key, value in detail.recipe.items() if key not in _IN_HEADER}
    own = recipe.get("model")
    # What a recipe says of its model is what the model was made from; the checkpoint's own config repeats it.
    model = {"architecture": detail.model.get("architecture"), **config, **(own if isinstance(own, Mapping) else {})}
    rows_by_section: dict[str, list[tuple[str, str]]] = {"": [], "model": _flat(model)}
    area = next((task.area for task in TASKS if task.task_id == detail.run["task_id"]), None)
    for key, value in recipe.items():
        if key == "qa" and area not in {None, "questions"}:
            continue  # what the engine sets for every adapter, and this task never reads
        if key == "model" and isinstance(own, Mapping):
            continue
        if isinstance(value, Mapping):
            rows_by_section.setdefault(key, []).extend(_flat(value))
        else:
            rows_by_section[""].append((key, _text(value)))
    return {name: sorted(rows) for name, rows in rows_by_section.items() if rows}


def matching(rows_by_section: Mapping[str, list[tuple[str, str]]], search: str) -> dict[str, list[tuple[str, str]]]:
    """The parameters of which section, key and value together hold every word."""
    parts = search.casefold().split()
    matches = {
        name: [(key, value) for key, value in rows if all(part in f"{name}.{key} {value}".casefold() for part in parts)]
        for name, rows in rows_by_section.items()
    }
    return {name: rows for name, rows in matches.items() if rows}


def _spread(rows_by_section: Mapping[str, list[Any]], columns: int) -> list[list[str]]:
    """Sections in columns of about the same height, in their order."""
    heights, places = [0] * columns, [[] for _unused in range(columns)]  # type: list[int], list[list[str]]
    for name, rows in rows_by_section.items():
        shortest = heights.index(min(heights))
        heights[shortest] += len(rows) + 2
        places[shortest].append(name)
    return places


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{key}.")
        elif value is not None:
            rows.append((prefix + str(key), _text(value)))
    return rows


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value) or "[]"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
