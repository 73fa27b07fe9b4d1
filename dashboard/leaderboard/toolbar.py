"""What can be done with the table: its columns, its pages, its views by name, its rows as a file, newer rows."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dashboard.leaderboard import columns as table
from dashboard.leaderboard import export, view_state, visit
from dashboard.leaderboard.columns import Column
from dashboard.leaderboard.table import PAGE
from dashboard.leaderboard.view_state import View
from dashboard.ui import cache
from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.markdown import plain
from dashboard.ui.messages import error_text
from db.base.errors import FeatherboardError
from db.leaderboard import saved_views
from db.leaderboard.board import Board
from db.registry.metrics import Metric

BOARD_EXPORT_HELP = {
    "csv": N_("Stored values, for spreadsheets and programs"),
    "parquet": N_("Stored values with their types"),
    "json": N_("Stored values, a missing one is null"),
    "md": N_("The table as it reads here"),
    "tex": N_("The table as it reads here, for the booktabs package"),
}

PAGE_NAME = "leaderboard"
"""Under which this page's views are kept."""

_LOOK_AGAIN = timedelta(seconds=20)


def columns(offered: list[Column], view: View) -> None:
    """Which columns are shown."""
    labels = {column.key: plain(column.label) for column in offered if column.key not in {"rank", "model"}}

    def changed() -> None:
        keys = [column.key for column in offered if column.key not in labels]
        more, less = table.keep_choice(offered, [*keys, *st.session_state["columns"]], view.more)
        visit.change(more=more, less=less)

    with st.popover(_("Columns"), icon=":material/view_column:", key="choose-columns", on_change="rerun") as menu:
        if not menu.open:
            return
        shown = [column.key for column in table.chosen(offered, view.more, view.less)]
        st.session_state["columns"] = [key for key in shown if key in labels]
        st.pills(
            _("Columns"),
            list(labels),
            selection_mode="multi",
            key="columns",
            on_change=changed,
            format_func=labels.__getitem__,
            label_visibility="collapsed",
        )
        if view.more or view.less:
            st.button(
                _("Back to the usual columns"),
                key="own-columns",
                type="tertiary",
                on_click=lambda: visit.change(more=(), less=()),
            )


def downloads(board: Board, positions: NDArray[np.intp], shown: Sequence[Column], metric: Metric) -> None:
    """All rows that pass the filters, as a file; made when somebody asks for it."""
    with st.popover(_("Export"), icon=":material/download:", key="export", on_change="rerun") as menu:
        if not menu.open:
            return
        st.caption(
            _("{rows}, in this order, with these columns.").format(rows=ngettext("{n} row", "{n} rows", len(positions)))
        )
        for name, (ending, media, made) in export.files(board, positions, shown, metric).items():
            file = f"featherboard-{board.task['task_id']}.{ending}"
            st.download_button(
                name,
                made,
                file_name=file,
                mime=media,
                key=f"export-{ending}",
                on_click="ignore",
                width="stretch",
                help=_(BOARD_EXPORT_HELP[ending]),
            )


def saved(view: View) -> None:
    """Views that somebody kept by name, and the present one under a new name."""
    with st.popover(_("Saved views"), icon=":material/bookmark:", key="views", on_change="rerun") as menu:
        if not menu.open:
            return
        st.caption(
            _(
                "A view is the task with filters, order and columns. The address holds it too; a copied "
                "address opens the same."
            )
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                _("Name of this view"),
                key="view-name",
                max_chars=saved_views.LONGEST_NAME,
                width=230,
                placeholder=_("Name of this view"),
                label_visibility="collapsed",
            )
            st.button(_("Save view"), key="view-save", on_click=_save, args=(view,))
        result = st.session_state.pop("view_said", None)
        if result:
            (st.caption if result[0] else st.error)(plain(result[1]))
        try:
            stored = cache.views(PAGE_NAME)
        except FeatherboardError as error:  # the table is there all the same
            st.caption(plain(error))
            return
        for index, saved_view in enumerate(stored):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    plain(saved_view.name),
                    key=f"view-{index}",
                    type="tertiary",
                    width="stretch",
                    on_click=visit.show,
                    args=(view_state.parsed(saved_view.query),),
                )
                st.button(
                    _("Delete"),
                    key=f"view-delete-{index}",
                    type="tertiary",
                    icon=":material/delete:",
                    on_click=_delete,
                    args=(saved_view.name,),
                )


def _save(view: View) -> None:
    try:
        saved_view = saved_views.save(cache.store(), PAGE_NAME, st.session_state["view-name"], view_state.query(view))
    except FeatherboardError as error:
        st.session_state["view_said"] = (False, error_text(error))
        return
    st.session_state["view-name"] = ""
    st.session_state["view_said"] = (True, _("Saved as {name}.").format(name=saved_view.name))


def _delete(name: str) -> None:
    try:
        saved_views.delete(cache.store(), PAGE_NAME, name)
    except FeatherboardError as error:
        st.session_state["view_said"] = (False, error_text(error))


def pages(rows: int, view: View) -> int:
    """Draw the page numbers where there are several, and return the page that is shown."""
    last = max(1, -(-rows // PAGE))
    shown = min(view.page, last)
    if last > 1:
        key = f"page-{shown}-of-{last}"  # a key of its own for each state: its page cannot be set from outside
        st.pagination(last, default=shown, key=key, on_change=lambda: visit.change(page=st.session_state[key]))
    return shown


@st.fragment(run_every=_LOOK_AGAIN)
def newer(generation: str) -> None:
    """One quiet line where the database has changed since the page was drawn; reads nothing but that."""
    if cache.store().generation() != generation:
        with st.container(horizontal=True, vertical_alignment="center", key="newer"):
            st.caption(_("The database has changed since this was drawn."))
            if st.button(_("Refresh"), key="show-newer", type="tertiary"):
                st.rerun()
