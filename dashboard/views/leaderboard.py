"""The leaderboard: the answer in words, the trade-off, the table."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.findings import sections
from dashboard.leaderboard import answer, budget, filters, overview_chart, toolbar, visit
from dashboard.leaderboard import columns as table
from dashboard.leaderboard import table as board_table
from dashboard.leaderboard.facets import facets
from dashboard.leaderboard.view_state import WHOLE, View
from dashboard.markup import cards as markup
from dashboard.markup import templates
from dashboard.ui import cache, i18n, task_names, task_picker
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import APP, HELP, MINI_NOTE
from dashboard.ui.markdown import chart, guarded, ink, no_runs, page_link, plain
from db.leaderboard.board import Board, ordered, select
from db.leaderboard.history import arrivals, history
from db.registry.metrics import Metric

# A bare anchor would change the address, and Streamlit would draw the page again instead of moving the focus.
_SKIP = """<a class="skip" href="#rows">{label}</a>
<script>document.querySelector("a.skip").onclick = (event) => {{
  event.preventDefault()
  document.querySelector("#rows")?.focus()
}}</script>"""


def _leave() -> None:
    """Open the page that a click in the table asked for."""
    clicked = st.session_state.pop("board_visit", None)
    if not isinstance(clicked, dict):
        return
    if isinstance(clicked.get("run"), str):
        st.switch_page("views/run.py", query_params={"run": clicked["run"]})
    if isinstance(clicked.get("model"), str):
        st.switch_page("views/model.py", query_params={"name": clicked["model"]})
    runs = clicked.get("runs")
    if isinstance(runs, list) and runs:
        st.switch_page("views/compare.py", query_params={"runs": ",".join(map(str, runs))})


def _headline(task: pd.Series) -> None:
    words = task_names.task(task)
    st.set_page_config(page_title=f"{words.name} · {_('Leaderboard')} · {APP}")
    st.title(plain(words.question))
    shown = _("{runs} of {variants}.").format(
        runs=ngettext("{n} run", "{n} runs", int(task["runs"])),
        variants=ngettext("{n} variant", "{n} variants", int(task["variants"])),
    )
    st.caption(f"{plain(words.scoring)} {shown}")
    if task["mini"]:
        st.warning(_(MINI_NOTE), icon=":material/experiment:")


def _answer(board: Board, positions: np.ndarray, view: View, metric: Metric) -> None:
    """The answer, for all rows or for those that the visitor left."""
    limits = budget.limits_text(view.filter)
    others = view.changed(**{kind.field: WHOLE for kind in budget.KINDS})
    among = (
        _("of these {rows}").format(rows=ngettext("{n} row", "{n} rows", len(positions)))
        if filters.chips(others)
        else limits
    )
    maximise = board.task["direction"] == "max"
    rows = board.rows if len(positions) == len(board.rows) else board.rows[answer.NEEDED].iloc[positions]
    best = answer.cards(rows, metric, templates.link, maximise=maximise, among=among)
    if best:
        templates.mount("answer", markup.render(best, _("Which model to take"), small=True))


def _tradeoff(board: Board, positions: np.ndarray, view: View, metric: Metric) -> None:
    key = (board.task["task_id"], view.every, view.printed, view.filter)
    shown = cache.once(lambda: overview_chart.marks(board, positions), "marks", *key)
    if shown["params"].nunique() < 2:
        return  # one size: there is nothing to trade
    colours, written = cache.family_colours(), ink()
    figure = cache.figure(
        lambda: overview_chart.tradeoff(shown, metric, colours, ink=written),
        "glance",
        *key,
        i18n.current_language(),
        written,
    )
    alt = _("Parameters against {metric} for {rows}, with the Pareto frontier").format(
        metric=metric.label, rows=ngettext("{n} row", "{n} rows", len(shown))
    )
    chart(figure, "tradeoff", alt)
    caption = overview_chart.caption(board, positions)
    if caption:
        st.caption(plain(caption))
    page_link("tradeoffs", _("All trade-offs"), task=board.task["task_id"])


def _table(board: Board, positions: np.ndarray, view: View, metric: Metric, offered: list[table.Column]) -> View:
    """The rows of one page; returns the view with the page that was shown."""
    start = board_table.PAGE * (min(view.page, max(1, -(-len(positions) // board_table.PAGE))) - 1)

    def sort() -> None:
        click = board_table.clicked("sort")
        if isinstance(click, dict):
            before = visit.current().sort
            visit.change(sort=table.clicked(offered, before, str(click.get("key")), add=bool(click.get("add"))))

    def expand() -> None:
        start_of_id = str(board_table.clicked("expand") or "")[:8]
        opened = visit.current().opened
        rest = tuple(start for start in opened if not start.startswith(start_of_id))
        visit.change(opened=rest if len(rest) < len(opened) or not start_of_id else (*opened, start_of_id))

    def go() -> None:
        st.session_state["board_visit"] = board_table.clicked("visit")

    def payload() -> dict[str, Any]:
        new = cache.once(
            lambda: arrivals(cache.once(lambda: history(cache.store()), "history"), board),
            "arrivals",
            board.task["task_id"],
            view.every,
            view.printed,
        )
        return board_table.payload(
            board,
            table.chosen(offered, view.more, view.less),
            table.shown_order(offered, view.sort),
            positions[start : start + board_table.PAGE],
            view,
            metric,
            cache.family_colours(),
            new,
        )

    language = i18n.current_language(), st.query_params.get("lang")  # links keep the one of the address
    shown = cache.once(payload, "table", board.task["task_id"], view, language)
    # The browser draws the table a moment after the rest: its place is kept, so that nothing below it jumps.
    st.html(f"<style>.st-key-table {{ min-height: {45 + 30 * len(shown['rows'])}px; }}</style>")
    st.html('<div id="rows" tabindex="-1"></div>')
    with st.container(key="table"):
        board_table.mount(shown, on_sort=sort, on_expand=expand, on_visit=go)
    page = toolbar.pages(len(positions), view)
    if (board.rows["seeds"].to_numpy(dtype=float, na_value=0) > 1).any():
        st.caption(_("A score over several seeds is their mean; its name opens the seed with the median score."))
    return replace(view, page=page)


def _switch(part: str, value: bool, label: str, explanation: str) -> None:
    """Draw a switch that changes a part of the view."""
    st.session_state[part] = value
    st.toggle(label, key=part, help=explanation, on_change=lambda: visit.change(**{part: st.session_state[part]}))


def _board(task: pd.Series, view: View) -> View:
    """A board with runs: what is at the top is drawn first, what takes longer to find out comes last."""
    metric = task_names.metric(str(task["metric"]))
    task_id = str(task["task_id"])
    with guarded():
        board = cache.leaderboard(task_id, every_run=view.every, printed=view.printed)
    offered = table.columns(board, metric)
    best = select(board, view.filter)
    positions = ordered(board, best, table.orders(offered, view.sort))
    known = facets(board)
    left, right = st.columns([6, 5], gap="large")
    with left:
        _answer(board, best, view, metric)
        budget.draw(known, view)
        effects = st.container()
    with right:
        _tradeoff(board, best, view, metric)
    with st.container(horizontal=True, vertical_alignment="center", key="tools"):
        filters.search(view)
        filters.popover(known, view)
        toolbar.columns(offered, view)
        toolbar.saved(view)
        toolbar.downloads(board, positions, table.chosen(offered, view.more, view.less), metric)
        _switch("every", view.every, _("Show all runs"), _(HELP["variant"]))
        if view.printed or not board.rows["ranked"].all():
            _switch("printed", view.printed, _("Rank printed rows"), _(HELP["printed"]))
        st.caption(_("{shown} of {all} rows").format(shown=f"{len(positions):,}", all=f"{len(board.rows):,}"))
    filters.draw_chips(view)
    if len(positions):
        view = _table(board, positions, view, metric, offered)
    else:
        st.subheader(_("No row fits the filters."))
        st.write(_("Widen a filter, or clear them all."))
        st.button(
            _("Clear filters"),
            key="clear-all",
            on_click=visit.show,
            args=(view.unfiltered(),),
            icon=":material/filter_alt_off:",
        )
    with guarded():
        sections.draw(task_id, metric, cache.family_colours(), effects)
    return view


def page() -> None:
    """Draw the page."""
    _leave()
    templates.leave()
    generation = cache.store().generation()
    with guarded():
        boards = cache.boards()
    names = boards["task_id"].tolist()
    view = visit.settle(names)
    chosen = view.task or names[0]
    st.html(_SKIP.format(label=_("Skip to the table")), unsafe_allow_javascript=True)
    task_picker.choose(boards, chosen, lambda task: visit.show(visit.current().on(task)))
    task = boards.set_index("task_id", drop=False).loc[chosen]
    toolbar.newer(generation)
    task_picker.warn_of_unknown(names)
    _headline(task)
    if task["runs"]:
        view = _board(task, view)
    else:
        no_runs()
    visit.write(view)


page()
