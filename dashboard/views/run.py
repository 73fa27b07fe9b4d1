"""One run: what it is, where it comes from, how it was made, how it went, what came out."""

import streamlit as st

from dashboard.moderation import annotations
from dashboard.run import configuration, curves, header, key_metrics, origin, related, results
from dashboard.ui import cache, formatting, task_names
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP
from dashboard.ui.markdown import guarded, page_link, plain

_SECONDS_BETWEEN_LOOKS = 5


def _choose() -> None:
    st.title(_("Choose a run."))
    st.write(_("Open one from the leaderboard, or take one of the newest measured ones:"))
    newest = cache.newest(10)
    for row in newest[newest["source"] != "reported"].itertuples():
        label = f"{formatting.cut(row.name, 60)}, {task_names.name(row.task_id)}, {row.created_at:%Y-%m-%d %H:%M}"
        page_link("run", plain(label), run=row.run_id)
    page_link("leaderboard", _("To the leaderboard"))


def _draw(run_id: str) -> str:
    """Draw the run and return its status."""
    with guarded():
        detail = cache.run(run_id)
        relations = cache.relations(str(detail.run["run_id"]))
    st.set_page_config(page_title=f"{formatting.cut(detail.run['name'], 60)} · {APP}")
    header.draw(detail, relations)
    annotations.draw(detail)
    header.warnings(detail)
    key_metrics.draw(detail)
    left, right = st.columns([19, 12], gap="large")
    with left:
        curves.draw(detail)
        results.draw_metrics(detail)
        results.draw_parts(detail)
        results.draw_confusion(detail)
        results.draw_hardest(detail)
    with right:
        origin.draw(detail)
        related.draw(detail, relations)
    configuration.draw(detail)
    origin.draw_files(detail)
    return str(detail.run["status"])


@st.fragment(run_every=_SECONDS_BETWEEN_LOOKS)
def _follow(run_id: str) -> None:
    if _draw(run_id) != "running":
        st.rerun()


def page() -> None:
    """Draw the page; a run in progress is followed by itself."""
    run_id = st.query_params.get("run", "")
    if not run_id:
        with guarded():
            _choose()
        return
    with guarded():
        status = cache.run(run_id).run["status"]
    if status == "running":
        _follow(run_id)
    else:
        _draw(run_id)


page()
