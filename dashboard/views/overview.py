"""The overview: what the board is, three facts, and all models against all tasks."""

import streamlit as st

from dashboard.findings.data_scaling import COMPARED
from dashboard.leaderboard import view_state
from dashboard.markup import templates
from dashboard.overview import cards, matrix, state
from dashboard.ui import cache, i18n, url_state
from dashboard.ui.i18n import _
from dashboard.ui.markdown import guarded, page_link
from db.analysis.headlines import headlines
from db.leaderboard.overview import Cells, cells

_REDIRECTED = tuple(code for code in view_state.CODES if code not in state.CODES)


def _forward() -> None:
    """Open the leaderboard for addresses of the time when it was the first page."""
    old = {name: values for name, values in url_state.read_all(st.query_params).items() if name in view_state.CODES}
    if old.keys() & set(_REDIRECTED):
        st.switch_page("views/leaderboard.py", query_params=[(name, value) for name in old for value in old[name]])


def _title(read: Cells) -> None:
    st.title(_("Small language models, compared by quality and cost"), anchor=False)
    runs = int(cache.boards()["runs"].sum())
    st.markdown(
        _(
            "Featherboard trains, distils and ranks language models that fit a laptop or a Raspberry Pi: "
            "{counted}, each score with its interval and source."
        ).format(counted=cards.counted(read, runs))
    )


def _matrix(read: Cells) -> None:
    view = state.choose(read)
    compared = cache.once(
        lambda: state.compare(read, view.language, view.origin), "overview", view.language, view.origin
    )
    shown = state.arrange(compared, view, i18n.current_language())
    if not len(shown.models):
        st.subheader(_("No model fits these filters."), anchor=False)
        st.write(_("Widen a filter, or clear them all."))
        st.button(_("Clear filters"), key="clear", on_click=state.clear, icon=":material/filter_alt_off:")
        return
    every = st.query_params.get("rows") == "all"
    count = len(shown.models)
    part = shown if every else shown.take(slice(state.FIRST_ROWS))
    language = i18n.current_language(), st.query_params.get("lang")  # links keep the one of the address
    html = cache.once(
        lambda: matrix.render(part, read, view.by, templates.link, cache.family_colours(), app=True),
        "matrix",
        view,
        every,
        language,
    )
    templates.mount("matrix", html)
    if count > state.FIRST_ROWS and not every:
        st.button(
            _("Show all {n} models").format(n=count),
            icon=":material/expand_more:",
            on_click=lambda: st.query_params.update({"rows": "all"}),
        )


def page() -> None:
    """Draw the page."""
    templates.leave()
    _forward()
    with guarded():
        cache.boards()
        read = cache.once(lambda: cells(cache.store()), "cells")
        facts = cache.once(lambda: headlines(cache.store(), read, COMPARED), "headlines")
    _title(read)
    if read.rows.empty:
        st.subheader(_("No run yet."), anchor=False)
        st.code("featherboard demo", language="bash")
        return
    html = cards.render(facts, templates.link)
    if html:
        templates.mount("cards", html)
    page_link("changes", _("What changed"))
    _matrix(read)


page()
