"""Submitted runs on the board without the badge: the gold labels may have come since."""

from collections.abc import Sequence

import streamlit as st

from dashboard.moderation import evidence, url_state
from dashboard.moderation.client import ModerationClient
from dashboard.moderation.url_state import Notice
from dashboard.ui import cache, formatting, task_names
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.markdown import page_link, plain
from dashboard.ui.messages import error_text, sentence
from db import submissions
from db.base.errors import FeatherboardError

_LIMIT = 50


def draw(client: ModerationClient) -> None:
    """Draw the list, each run with its button."""
    runs = submissions.unverified(client.store)
    if not runs:
        st.info(_("Every submitted run with predictions has the badge."), icon=":material/verified:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        count = ngettext(
            "{n} submitted run with predictions has no badge. The gold labels may have come since.",
            "{n} submitted runs with predictions have no badge. The gold labels may have come since.",
            len(runs),
        )
        st.markdown(f"**{count}**", width="content")
        several = len(runs) > 1
        if several and st.button(_("Verify all"), icon=":material/verified:", key="moderator verify all"):
            verify(client, runs)
    for run_id in runs[:_LIMIT]:
        detail = cache.run(run_id)
        metric = task_names.metric(str(detail.task.get("metric", "accuracy")))
        values = detail.metrics.set_index("name")["value"]
        score = formatting.value(metric, float(values[metric.name]) if metric.name in values else None)
        label = f"{formatting.cut(detail.run['name'], 50)}, {task_names.task(detail.task).name}, {score}"
        with st.container(horizontal=True, vertical_alignment="center", key=f"moderator run {run_id[:12]}"):
            page_link("run", plain(label), run=run_id)
            if st.button(_("Verify"), key=f"moderator verify {run_id[:12]}", icon=":material/verified:"):
                verify(client, [run_id])
        if detail.run["caveat"]:
            st.caption(plain(detail.run["caveat"]))


def verify(client: ModerationClient, runs: Sequence[str]) -> None:
    """Verify runs one after another, and say what was found of each when the page is drawn next."""
    bar = st.progress(0.0, _("Scoring the predictions"))
    for done, run_id in enumerate(runs, start=1):
        name = plain(formatting.cut(cache.run(run_id).run["name"], 60))
        try:
            report = submissions.verify_run(client.store, run_id)
        except FeatherboardError as error:
            url_state.tell(
                Notice("failed", _("Nothing was done with {name}.").format(name=name), plain(error_text(error)))
            )
        else:
            message = f"{name}: {evidence.sentence(report)}"
            cause = plain(sentence(report.source)) if report.source and not report.verified else ""
            url_state.tell(Notice("done" if report.verified else "failed", message, cause))
        bar.progress(done / len(runs), _("Scoring the predictions"))
    st.rerun()
