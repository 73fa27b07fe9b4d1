"""One model over all boards: scores and ranks, models of its size, teachers and students, runs, files, citation."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from dashboard.markup import templates
from dashboard.model import citation, content
from dashboard.overview import state
from dashboard.playground import engine_bridge
from dashboard.run.header import card_button
from dashboard.ui import cache, formatting, i18n, task_names
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP
from dashboard.ui.markdown import guarded, page_link, plain
from db.base.errors import FeatherboardError
from db.leaderboard.board import board
from db.leaderboard.models import Model, model, similar
from db.leaderboard.overview import cells
from db.runs.detail import run_detail
from db.sharing.badge import badge, snippets

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType

_TABS: "tuple[TaskType, ...]" = ("sentiment", "nli", "text", "qa")


def _read(name: str, day: str | None) -> Model | None:
    until = citation.end_of(day)
    store = cache.store()
    with guarded():
        cache.boards()
        read = cache.once(lambda: cells(store, until), "cells", *([until] if until else []))
        shown = cache.once(
            lambda: state.compute(read, state.View(), i18n.DEFAULT), "overview of models", *([until] if until else [])
        )
        return cache.once(
            lambda: model(
                store,
                name,
                read,
                shown,
                lambda task: (
                    board(store, task, every_run=False, until=until)
                    if until
                    else cache.leaderboard(task, every_run=False)
                ),
                until,
            ),
            "model",
            name,
            until,
        )


def _unknown(name: str) -> None:
    names = sorted(cache.once(lambda: cells(cache.store()), "cells").rows["model"].unique())
    st.title(_("No model of this name") if name else _("Choose a model"), anchor=False)
    if name:
        st.write(_("“{name}” has no run on this board.").format(name=plain(formatting.cut(name, 80))))
    offered = similar(name, names) if name else []
    if offered:
        st.write(_("Did you mean:"))
        for other in offered:
            st.page_link("views/model.py", label=plain(other), query_params={"name": other})
    st.selectbox(
        _("All models"),
        names,
        index=None,
        key="model_choice",
        placeholder=_("Name of a model"),
        width=420,
        on_change=lambda: st.query_params.update({"name": st.session_state["model_choice"] or ""}),
    )
    page_link("overview", _("To the overview"))


def _tried(shown: Model) -> tuple[str, str] | None:
    """The tab of the playground and the key with which the model is tried; None where its weights are elsewhere."""
    if engine_bridge.missing():
        return None
    runs = set(shown.runs["run_id"])
    try:
        refs = [(task, ref) for task in _TABS for ref in engine_bridge.listed(task)]
    except FeatherboardError:
        return None
    own = [(task, ref.key) for task, ref in refs if ref.run_id in runs or ref.name == shown.name]
    return own[0] if own else None


def _actions(shown: Model) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="model_actions"):
        tried = _tried(shown)
        if tried:
            page_link("playground", _("Try it"), tab=tried[0], models=tried[1])
        peers = shown.scores[shown.scores["source"] != "reported"] if len(shown.scores) else shown.scores
        if len(peers):
            page_link("leaderboard", _("On the leaderboard"), task=peers["task_id"].iloc[0])
        _cite(shown)
        if len(shown.scores):
            best = shown.scores.sort_values("verified", ascending=False, kind="stable")["run_id"].iloc[0]
            card_button(cache.once(lambda: run_detail(cache.store(), best), "card", best))
        if len(shown.scores) and not citation.end_of(st.query_params.get("at")):
            _badge(shown)


def _cite(shown: Model) -> None:
    today = citation.end_of(st.query_params.get("at")) or datetime.now(UTC)
    base = (st.context.url or "model").partition("?")[0]
    address = f"{base}?{urlencode({'name': shown.name, 'at': f'{today:%Y-%m-%d}'})}"
    with st.popover(_("Cite"), icon=":material/format_quote:"):
        st.markdown(f"**{_('Permanent link')}**")
        st.code(address, language=None, wrap_lines=True)
        st.caption(_("It shows the scores and ranks of that day, whatever comes later."))
        st.markdown("**BibTeX**")
        st.code(citation.bibtex(shown, address, today.date()), language="bibtex", wrap_lines=True)


def _badge(shown: Model) -> None:
    with st.popover(_("Badge"), icon=":material/sell:"):
        task = st.selectbox(
            _("Task"), shown.scores["task_id"].unique().tolist(), format_func=task_names.name, key="model_badge"
        )
        made = badge(cache.leaderboard(task, every_run=False), shown.name, i18n.current_language())
        st.image(made.svg)
        address = urlsplit(st.context.url or "http://localhost")
        image = f"http://{address.hostname}:8600/v1/badges/{task}/{quote(shown.name)}.svg"
        if i18n.current_language() != i18n.DEFAULT:
            image += f"?lang={i18n.current_language()}"
        page = f"{address.scheme}://{address.netloc}{address.path}?{urlencode({'name': shown.name})}"
        for name, text in snippets(made, image, page).items():
            st.markdown(f"**{name}**")
            st.code(text, language=None, wrap_lines=True)
        st.caption(
            _("The picture comes from the HTTP service (`featherboard serve-api`); put its address where it differs.")
        )


def page() -> None:
    """Draw the page."""
    templates.leave()
    name = st.query_params.get("name", "")
    shown = _read(name, st.query_params.get("at")) if name else None
    if shown is None:
        with guarded():
            _unknown(name)
        return
    st.set_page_config(page_title=f"{formatting.cut(shown.name, 60)} · {APP}")
    until = citation.end_of(st.query_params.get("at"))
    if until:
        with st.container(horizontal=True, vertical_alignment="center", key="model_dated"):
            st.info(_("As of {date} (UTC).").format(date=f"{until:%Y-%m-%d}"), icon=":material/history:")
            st.page_link("views/model.py", label=_("Show today's"), query_params={"name": shown.name})
    st.title(plain(formatting.cut(shown.name, 72)), anchor=False)
    st.markdown(plain(content.lead(shown)))
    _actions(shown)
    templates.mount("model", content.render(shown, templates.link, app=True))


page()
