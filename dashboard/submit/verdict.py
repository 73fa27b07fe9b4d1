"""What the predictions say of the claim, in the visitor's language."""

import re
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from dashboard.submit import problems
from dashboard.submit.form_state import PREFIX
from dashboard.ui import cache, formatting, task_names, text
from dashboard.ui.markdown import plain
from db import submissions
from db.submissions import claim as claims
from db.submissions.claim import Claim
from db.submissions.verification import Report, Score

_KEPT = f"{PREFIX}report"

_SOURCES = {
    "corpus": r"the shipped corpus \((?P<what>.+)\)",
    "run": r"the predictions of run (?P<run>\w+)",
    "no split": r"\S+ has no single split that could be scored again",
    "nowhere": r"there is no file of (?P<what>\S+) in (?P<place>\w+), and no measured run .+",
    "withheld": r"its answers came without their texts",
    "not here": r".+ is not scored again here",
}
"""Where right answers come from or why there are none, as ``gold_answers`` and ``verification`` say it."""


def of(claim: Claim, draft: Mapping[str, object], said: pd.DataFrame | None, files: tuple[str, ...]) -> Report:
    """The report; scored once for each claim and each file, since a large split takes seconds.

    Args:
        claim: What is claimed.
        draft: As it was typed: a figure is held to the decimals that it was written with.
        said: Predictions.
        files: The uploads that they came with.
    """
    if said is None:
        return Report("no predictions", "")
    decimals = claims.decimals(draft)
    facts = (claim.task, tuple(sorted(claim.metrics.items())), tuple(sorted(decimals.items())), files)
    before = st.session_state.get(_KEPT)
    if before is None or before[0] != facts:
        with st.spinner(text.SUBMIT_SCORING):
            before = (facts, submissions.verify_claim(cache.store(), claim, said, decimals))
        st.session_state[_KEPT] = before
    found: Report = before[1]
    return found


def draw(report: Report) -> None:
    """Draw it: the verdict first, then both numbers, then what was counted."""
    told = _sentence(report)
    if report.state == "verified":
        st.markdown(f":material/verified: **{text.SUBMIT_STATES['verified']}** {told}")
    elif report.state in ("disagrees", "incomplete"):
        st.warning(f"**{text.SUBMIT_STATES[report.state]}** {told}", icon=":material/error:")
    else:
        st.markdown(f":material/info: **{text.SUBMIT_STATES[report.state]}** {told}")
    for score in report.scores:
        if score.claimed is not None:
            st.markdown(f"- {both(score)}")
    if report.split is not None and report.given and report.state != "no golds":
        counts = {
            "split": report.split,
            "matched": report.matched,
            "missing": report.missing,
            "foreign": report.foreign,
            "duplicated": report.duplicated,
        }
        st.caption(text.SUBMIT_ALIGNED.format(**{name: f"{count:,}" for name, count in counts.items()}))
    for one in report.flags:
        st.warning(plain(problems.flag(one)), icon=":material/flag:")


def _sentence(report: Report) -> str:
    if report.state == "no predictions":
        return text.SUBMIT_WHY["no predictions"]
    source = plain(_source(report.told))
    if report.state in ("no golds", "unscored"):
        return text.SUBMIT_WHY[report.state].format(why=source)
    return text.SUBMIT_WHY[report.state].format(split=f"{report.split:,}", source=source)


def _source(told: str) -> str:
    for code, pattern in _SOURCES.items():
        found = re.fullmatch(pattern, told, re.DOTALL)
        if found:
            return text.SUBMIT_SOURCES[code].format(**found.groupdict())
    return told


def both(score: Score) -> str:
    """A figure as it is claimed and as it was found."""
    metric = task_names.metric(score.name)
    claimed, found = formatting.value(metric, score.claimed), formatting.value(metric, score.found)
    if claimed == found and not score.agrees:  # the decimals of the board hide the difference
        claimed, found = (f"{one:.6g}" for one in (score.claimed or 0.0, score.found))
    return text.SUBMIT_BOTH.format(metric=metric.label, claimed=claimed, found=found)
