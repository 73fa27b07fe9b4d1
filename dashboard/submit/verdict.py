"""What the predictions say of the claim, in the visitor's language."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.submit import form_state
from dashboard.ui import cache, formatting, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain
from dashboard.ui.messages import sentence
from db import submissions
from db.submissions import claim as claims
from db.submissions.claim import Claim
from db.submissions.previews import NO_PREDICTIONS
from db.submissions.verification import Report, Score

SUBMIT_STATES = {
    "verified": N_("Verified."),
    "disagrees": N_("The predictions do not give what is claimed."),
    "incomplete": N_("Not verified."),
    "unscored": N_("Not verified."),
    "no golds": N_("Not checkable here."),
    "no predictions": N_("Not verified."),
}
SUBMIT_WHY = {
    "verified": N_("All {split} examples have an answer, and they give your figure, scored with {source}."),
    "disagrees": N_("All {split} examples were scored with {source}; both numbers:"),
    "incomplete": N_(
        "For the badge, each of the {split} examples needs one answer and no other id. Scored with {source}:"
    ),
    "unscored": N_("They cannot be scored here: {why}."),
    "no golds": N_("The gold labels are not available: {why}. It can be verified later."),
    "no predictions": N_("There are no predictions to verify it with; the row can be submitted all the same."),
}


def of(claim: Claim, draft: Mapping[str, object], predictions: pd.DataFrame | None, files: tuple[str, ...]) -> Report:
    """The report; scored once for each claim and each file, since a large split takes seconds.

    A figure is held to the decimals that it was written with in the draft; files are the uploads of the predictions.
    """
    if predictions is None:
        return NO_PREDICTIONS
    decimals = claims.decimals(draft)
    facts = (claim.task, tuple(sorted(claim.metrics.items())), tuple(sorted(decimals.items())), files)

    def verify() -> Report:
        with st.spinner(_("Scoring the predictions")):
            return submissions.verify_claim(cache.store(), claim, predictions, decimals)

    return form_state.remembered("report", facts, verify)


def with_score(
    draft: Mapping[str, object], predictions: pd.DataFrame | None, files: tuple[str, ...]
) -> Mapping[str, object]:
    """The draft with the score that its predictions give, where none was typed; scored once for each task and file."""
    metrics = draft.get("metrics") or {}
    if predictions is None or not isinstance(metrics, Mapping):
        return draft
    task = draft.get("task")
    # Without a spinner: an element that comes and goes above the form would make it lose files that are uploaded.
    scored, _unused = form_state.remembered(
        "score", (task, files), lambda: submissions.with_score(cache.store(), {"task": task}, predictions)
    )
    computed: Any = scored.get("metrics")
    return {**draft, "metrics": {**computed, **metrics}} if computed else draft


def draw(report: Report) -> None:
    """Draw it: the verdict first, then both numbers, then what was counted."""
    source = plain(sentence(report.source)) if report.source else ""
    text = _(SUBMIT_WHY[report.state]).format(why=source, split=f"{report.split or 0:,}", source=source)
    if report.state == "verified":
        st.markdown(f":material/verified: **{_(SUBMIT_STATES['verified'])}** {text}")
    elif report.state in ("disagrees", "incomplete"):
        st.warning(f"**{_(SUBMIT_STATES[report.state])}** {text}", icon=":material/error:")
    else:
        st.markdown(f":material/info: **{_(SUBMIT_STATES[report.state])}** {text}")
    for score in report.scores:
        if score.claimed is not None:
            st.markdown(f"- {both(score)}")
    if report.split is not None and report.rows and report.state != "no golds":
        counts = ("split", "matched", "missing", "foreign", "duplicated")
        st.caption(
            _(
                "Examples of the split: {split}. Answered: {matched}. Without an answer: {missing}. Ids of "
                "something else: {foreign}. Ids that come more than once: {duplicated}."
            ).format(**{name: f"{getattr(report, name):,}" for name in counts})
        )
    for flag in report.flags:
        st.warning(plain(f"{sentence(flag)} {_('A moderator will ask about it.')}"), icon=":material/flag:")


def both(score: Score) -> str:
    """A figure as it is claimed and as it was found."""
    metric = task_names.metric(score.name)
    claimed, computed = formatting.claimed_and_computed(metric, score.claimed, score.computed, agrees=score.agrees)
    return _("{metric}: {claimed} claimed, {found} found").format(metric=metric.label, claimed=claimed, found=computed)
