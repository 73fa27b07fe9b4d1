"""Single fields: what is asked, where it is typed, and what is wrong with it, right below."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from dashboard.submit import validation
from dashboard.submit.form_state import PREFIX, FormState
from dashboard.ui import cache, task_names
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from dashboard.ui.task_picker import BOARD_AREAS, by_area
from db.registry import tasks

TRIED = f"{PREFIX}tried"
"""Whether somebody wanted to hand in: from then on every field says what is wrong with it."""


@dataclass(frozen=True)
class Drawer:
    """Draws the fields of a form, with what is wrong of ``validation.by_field``."""

    state: FormState
    wrong: dict[str, str]

    def typed(self, field: str, *, label: str = "", hint: str = "", example: str = "", lines: int = 0) -> None:
        """A field for text.

        ``hint`` shows on hover, ``example`` in the empty field; ``lines`` are the rows of a large one.
        """
        shown, key = label or validation.label(field), self._ready(field)
        with st.container(gap="xsmall"):
            value = (partial(st.text_area, height=28 + 24 * lines) if lines else st.text_input)(
                shown,
                key=key,
                help=hint or None,
                placeholder=example or None,
                on_change=self.state.touch,
                args=(field,),
            )
            self._store(field, value)

    def chosen(self, field: str, options: Sequence[str], *, hint: str = "", example: str = "") -> None:
        """A field that suggests what is known, and takes what is new."""
        now = self.state.values.get(field, "")
        offered = [*options, *([now] if now and now not in options else [])]
        self._select(field, offered, accept_new_options=True, help=hint or None, placeholder=example)

    def task(self) -> None:
        """Which board: by area and name."""
        areas = by_area(cache.boards())
        named = {
            task: f"{_(BOARD_AREAS[area])}: {task_names.name(task)}"
            for area, boards in areas.items()
            for task in boards
            if task in tasks.task_ids()
        }
        with st.container(gap="xsmall"):
            placeholder = _("Choose a task")
            value = self._select(
                "task", list(named), format_func=lambda code: named.get(code, code), placeholder=placeholder
            )
            if value:
                text = task_names.task({"task_id": value})
                st.caption(f"{text.question} {text.scoring}")

    def _select(self, field: str, options: list[str], **more: Any) -> str | None:
        """Draw the field of a choice, empty where what is stored is none of the options."""
        key = self._ready(field)
        if st.session_state[key] not in options:
            st.session_state[key] = None
        touch = self.state.touch
        with st.container(gap="xsmall"):
            value: str | None = st.selectbox(
                validation.label(field), options, key=key, index=None, on_change=touch, args=(field,), **more
            )
            self._store(field, value)
        return value

    def _ready(self, field: str) -> str:
        """The widget's key, with what was typed in its place."""
        key = self.state.key(field)
        if key not in st.session_state:
            st.session_state[key] = self.state.values.get(field, "")
        return key

    def _store(self, field: str, value: str | None) -> None:
        self.state.values[field] = value or ""
        self.say(field)

    def say(self, field: str) -> None:
        """What is wrong with a field; nothing before somebody touched it or wanted to hand in."""
        problem = self.wrong.get(field)
        if problem and (field in self.state.touched or st.session_state.get(TRIED)):
            with st.container(key=f"{PREFIX}wrong_{self.state.name}_{field}"):
                st.warning(plain(problem), icon=":material/error:")
