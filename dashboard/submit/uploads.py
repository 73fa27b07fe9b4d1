"""The first step: files, what was read of them, and what their columns mean."""

import streamlit as st

from dashboard.submit import files, problems
from dashboard.submit.files import Brought
from dashboard.submit.form_state import PREFIX
from dashboard.ui import phrases, task_names, text
from dashboard.ui.markdown import plain
from db import importers
from db.importers.headers import CLAIM, PREDICTIONS
from db.registry import formats
from db.registry.metrics import METRICS
from db.submissions import Gathered

_MOST_COLUMNS = 80
_MOST_NAMES = 40
_UNMAPPED = "no column is known as"
"""What ``db.importers`` says of a table whose columns nobody knows."""


def draw(brought: list[Brought], gathered: Gathered, trouble: str) -> None:
    """Draw the step.

    Args:
        brought: Of ``files.brought``.
        gathered: What they say together.
        trouble: Why they cannot be taken together; empty where they can.
    """
    st.file_uploader(
        text.SUBMIT_FILES,
        accept_multiple_files=True,
        key=files.key("files"),
        on_change=files.changed,
        max_upload_size=importers.LIMIT_BYTES // 2**20,
    )
    if not brought:
        st.caption(text.SUBMIT_FILES_HOW)
        with st.expander(text.SUBMIT_FORMATS, icon=":material/description:"):
            for what, how in text.SUBMIT_FORMAT.values():
                st.markdown(f"**{what}** {how}")
            st.caption(text.SUBMIT_NEVER)
        return
    for one in brought:
        if one.place == "files":
            _file(one)
    if trouble:
        st.warning(f"{text.SUBMIT_APART} {plain(problems.apart(trouble))}", icon=":material/error:")
    elif len(gathered.drafts) > 1:
        st.markdown(text.SUBMIT_MANY.format(n=f"{len(gathered.drafts):,}"))


def told_of(one: Brought) -> str:
    """What was read of a file, in one line of Markdown."""
    found = one.found
    if found is None:
        return ""
    parts = [text.SUBMIT_KINDS.get(found.kind, found.kind)]
    if found.drafts:
        parts.append(phrases.count(len(found.drafts), text.SUBMIT_ROWS))
    if found.predictions is not None:
        parts.append(phrases.count(len(found.predictions), text.SUBMIT_PREDICTIONS))
    if found.curves is not None:
        parts.append(phrases.count(len(found.curves), text.SUBMIT_POINTS))
    if found.params is not None:
        parts.append(text.SUBMIT_COUNTED.format(n=f"{found.params:,}", short=formats.short(found.params)))
    return f"**{plain(one.name)}**: {', '.join(parts)}"


def unused(one: Brought) -> None:
    """Notes of a file, and what was seen in it and not used."""
    if one.found is None and one.columns and _UNMAPPED in one.error:
        st.warning(text.SUBMIT_MAP_FIRST.format(name=plain(one.name)), icon=":material/table_chart:")
        return
    if one.found is None:
        st.warning(f"{text.SUBMIT_UNREAD.format(name=plain(one.name))} {plain(one.error)}", icon=":material/error:")
        return
    for note in one.found.notes:
        st.caption(plain(note))
    if one.found.unknown:
        names = ", ".join(one.found.unknown[:_MOST_NAMES])
        more = len(one.found.unknown) - _MOST_NAMES
        st.caption(text.SUBMIT_UNUSED.format(names=plain(names) + (f" +{more}" if more > 0 else "")))


def _file(one: Brought) -> None:
    with st.container(border=True, gap="xsmall"):
        if one.found is not None:
            st.markdown(f":material/check: {told_of(one)}")
        unused(one)
        if one.columns:
            mapped = one.found is not None and not one.found.unknown
            with st.expander(text.SUBMIT_COLUMNS, expanded=not mapped, icon=":material/table_chart:"):
                _columns(one)


def _columns(one: Brought) -> None:
    """Mapping by example: each column with values from it, and what it means."""
    st.caption(text.SUBMIT_COLUMNS_HOW)
    guessed = importers.guess(one.columns)
    for place, (column, examples) in enumerate(one.columns[:_MOST_COLUMNS]):
        key = files.map_key(one.file_id, place)
        own = f"training.{column[:60]}"
        offered = ["", *CLAIM, *(f"metrics.{name}" for name in METRICS), *PREDICTIONS, own]
        proposed = guessed.get(column, "")
        if key not in st.session_state:
            st.session_state[key] = proposed if proposed in offered else ""
        left, right = st.columns([3, 2], vertical_alignment="center", gap="small")
        with left:
            st.markdown(f"**{plain(column)}**  \n{plain(' · '.join(examples)) or text.SUBMIT_NO_EXAMPLE}")
        with right:
            st.selectbox(
                text.SUBMIT_MEANS.format(column=plain(column)),
                offered,
                key=key,
                format_func=_meaning,
                label_visibility="collapsed",
                on_change=files.changed,
            )
    if len(one.columns) > _MOST_COLUMNS:
        st.caption(text.SUBMIT_COLUMNS_MORE.format(n=f"{len(one.columns) - _MOST_COLUMNS:,}"))


def _meaning(field: str) -> str:
    """What a column may mean, in words."""
    group, _, rest = field.partition(".")
    if group == "metrics":
        return text.SUBMIT_MEANS_METRIC.format(name=task_names.metric(rest).label)
    if group == "training":
        return text.SUBMIT_MEANS_FACT
    return text.SUBMIT_MEANS_AS.get(field) or problems.label(field)


def small(place: str, label: str, told: str, brought: list[Brought]) -> None:
    """A place for one file beside the field that it fills.

    Args:
        place: Of ``files.PLACES``.
        label: Of the uploader.
        told: On hover.
        brought: Of ``files.brought``.
    """
    st.file_uploader(
        label, key=files.key(place), on_change=files.changed, help=told, max_upload_size=importers.LIMIT_BYTES // 2**20
    )
    for one in brought:
        if one.place == place:
            if one.found is not None:
                st.markdown(f":material/check: {told_of(one)}")
            unused(one)
            if one.columns and place == "answers":
                with st.expander(
                    text.SUBMIT_COLUMNS,
                    expanded=one.found is None or one.found.predictions is None,
                    key=f"{PREFIX}open_{one.file_id}",
                ):
                    _columns(one)
