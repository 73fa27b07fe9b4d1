"""The head of a run's page: the way back, the name, the kind of run, and what must be known before its figures."""

import math
from html import escape
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.run import progress
from dashboard.ui import formatting, i18n, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import APP, HELP, MINI_NOTE, SOURCES
from dashboard.ui.markdown import page_link, plain
from db.analysis.related_runs import Relations
from db.registry.validation_split import choice_caveat
from db.runs import gold_labels, model_card
from db.runs.detail import RunDetail

SOURCE_HELP = {
    "reported": N_("Printed in the cited document; not re-scored here."),
    "measured": N_("Our engine trained and scored it, on the device that the run names."),
    "submitted": N_("Claimed by its submitter; not measured here."),
}
NOT_CHECKABLE = N_(
    "Neither a digest of this task's gold labels nor its data are here, so predictions cannot "
    "be scored again and no run of it is verified."
)
LIVE_RUN = N_("Running now. This page follows it every few seconds.")

_TITLE, _LINK = 72, 30
"""Characters of a name in the title and in a link; the whole one is a click away."""


def draw(detail: RunDetail, relations: Relations) -> None:
    """Draw the head."""
    _way(detail, relations)
    name = str(detail.run["name"])
    st.title(plain(formatting.cut(name, _TITLE)), anchor=False)
    if len(" ".join(name.split())) > _TITLE:
        with st.popover(_("Whole name"), icon=":material/notes:", type="tertiary"):
            st.code(name, language=None, wrap_lines=True, height=200 if len(name) > 600 else "content")
    with st.container(horizontal=True, vertical_alignment="center"):
        _badges(detail)
        st.space("stretch")
        _actions(detail, relations)


def warnings(detail: RunDetail) -> None:
    """Draw what must be known before the figures: how it ended, whether it was withdrawn, its caveats."""
    _state(detail)
    _withdrawn(detail)
    if detail.run["caveat"]:
        st.warning(plain(detail.run["caveat"]), icon=":material/report:")
    chosen = choice_caveat(detail.run["recipe_json"], detail.run["seed"])
    if chosen:
        st.warning(_(chosen), icon=":material/report:")


def _withdrawn(detail: RunDetail) -> None:
    when = detail.run.get("withdrawn_at")
    if when is not None and not pd.isna(when):
        message = _("Withdrawn on {when}: this run is no longer on the board. {reason}").format(
            when=f"{when:%Y-%m-%d}", reason=plain(detail.run["withdrawn"] or "")
        )
        st.error(message, icon=":material/block:")


def _way(detail: RunDetail, relations: Relations) -> None:
    """Back to the board, and to the runs beside this one."""
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        facts = detail.task or {"task_id": detail.run["task_id"]}
        label = plain(task_names.task(facts).name)
        page_link("leaderboard", label, icon=":material/arrow_back:", task=detail.run["task_id"])
        st.space("stretch")
        if relations.runs > 1:
            st.caption(_("Run {place} of {runs}").format(place=relations.rank, runs=relations.runs), width="content")
        for other, icon, explanation in (
            (relations.above, ":material/keyboard_arrow_up:", _("The next better run")),
            (relations.below, ":material/keyboard_arrow_down:", _("The next worse run")),
        ):
            if other:
                name = plain(formatting.cut(other["name"], _LINK))
                page_link("run", name, icon=icon, explanation=explanation, run=other["run_id"])


def _badges(detail: RunDetail) -> None:
    run = detail.run
    st.badge(_(SOURCES[run["source"]]), color="gray", help=_(SOURCE_HELP[run["source"]]))
    if run["verified"]:
        st.badge(_("Verified"), icon=":material/check:", color="green", help=_(HELP["verified"]))
    elif run["source"] != "reported" and not gold_labels.checkable(run["task_id"]):
        st.badge(_("Not checkable here"), color="gray", help=_(NOT_CHECKABLE))
    if run["status"] != "finished":
        text = formatting.status(run["status"], run["heartbeat"])
        st.badge(text, color="yellow" if run["status"] != "running" else "primary")
    if detail.task.get("mini"):
        st.badge(_("mini"), color="yellow", help=_(MINI_NOTE))
    if detail.model:
        st.badge(plain(formatting.cut(detail.model["family"], _LINK)), color="gray")


def _actions(detail: RunDetail, relations: Relations) -> None:
    if detail.model.get("name"):
        page_link("model", _("All scores of this model"), name=detail.model["name"])
    rival = relations.rival
    if rival:
        page_link(
            "compare",
            _("Compare with {name}").format(name=plain(formatting.cut(rival["name"], _LINK))),
            explanation=_("Beside the best run of another model on this board."),
            runs=f"{detail.run['run_id']},{rival['run_id']}",
        )
    with st.popover(_("Embed"), icon=":material/code:"):
        title = f"{detail.run['name']} · {APP}"
        query = urlencode({"run": detail.run["run_id"], "embed": "1", "lang": i18n.current_language()})
        source = f"{(st.context.url or '').partition('?')[0]}?{query}"
        frame = f'<iframe src="{escape(source)}" title="{escape(title)}" width="100%" height="700"></iframe>'
        st.code(frame, language="html", wrap_lines=True)
        st.caption(_("Shows this page without navigation in another site. Any page can be embedded with `embed=1`."))
    card_button(detail)


def _state(detail: RunDetail) -> None:
    """What a run that did not end well, or not yet, has to say; a finished one says nothing."""
    run = detail.run
    if run["status"] == "running":
        _progress(detail)
        st.caption(f":material/sync: {_(LIVE_RUN)}")
    elif run["status"] == "diverged":
        st.warning(
            _("The training diverged: a loss or a figure stopped being a number. What was a number is kept."),
            icon=":material/report:",
        )
    elif run["status"] == "silent":
        st.warning(
            _("The machine that trains this has sent nothing for minutes. What came is kept; it goes on here with it."),
            icon=":material/sensors_off:",
        )
    elif run["status"] in {"interrupted", "failed"} and run["source"] == "measured":
        sign = run["heartbeat"]
        when = f" {_('Last sign of life: {when} UTC.').format(when=f'{sign:%Y-%m-%d %H:%M}')}" if pd.notna(sign) else ""
        st.warning(
            _("This run stopped before its end; what it had written is kept. Where it ran, it goes on with:") + when,
            icon=":material/pause_circle:",
        )
        folder = "" if detail.task.get("mini") else " --data DIR"
        st.code(f"featherboard train --resume {run['run_id'][:12]}{folder}", language="bash")


def _progress(detail: RunDetail) -> None:
    state = progress.of(detail.curves, detail.recipe)
    if state is None:
        return
    if state.epoch >= state.epochs:
        st.progress(1.0, _("All epochs are done; it is being scored."))
        return
    text = _("Epoch {epoch} of {epochs}").format(epoch=max(1, math.ceil(state.epoch)), epochs=state.epochs)
    if state.seconds_left is not None:
        left = (
            _("about {time} left at most; it ends sooner if validation stops improving")
            if state.may_stop
            else _("about {time} left")
        )
        text = f"{text}, {left.format(time=formatting.about(state.seconds_left))}"
    st.progress(state.share, text)


def card_button(detail: RunDetail) -> None:
    """The button that downloads the model card of a run."""
    st.download_button(
        _("Model card"),
        model_card.card(detail),
        model_card.file_name(detail),
        "text/markdown",
        key="card",
        help=_(
            "Markdown: figures with their intervals, how it was made, its limits, and the command that makes it again."
        ),
        icon=":material/download:",
        on_click="ignore",
    )
