"""A wrong answer, kept as a labelled example."""

import hashlib
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground.answers import Model
from dashboard.playground.attribution import TRY_LABELS
from dashboard.playground.state import Asked
from dashboard.ui import cache
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.runs import feedback
from db.runs.feedback import Case

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType
    from engine.inference.schemas import QAResult, Verdict


def question(asked: Asked, model: Model, reply: "QAResult", answer: str) -> None:
    """The means to say that an answer is wrong, and which one is right."""
    name = _form("qa", asked, model)
    with st.popover(_("Report a wrong answer"), icon=":material/flag:", width="content"), st.form(name, border=False):
        right = st.text_input(
            _("The right answer, as it stands in the text"),
            key=f"{name}_right",
            help=_("Leave it empty where you do not know it."),
        )
        nothing = st.checkbox(_("The text does not answer the question"), key=f"{name}_nothing")
        comment = st.text_input(_("Remark"), key=f"{name}_comment", max_chars=2000)
        if st.form_submit_button(_("Keep the case"), icon=":material/save:"):
            best = reply.best[0] if reply.best and answer else None
            _keep(
                Case(
                    kind="qa",
                    model=model.name,
                    run_id=model.run_id,
                    checkpoint=model.sha256,
                    question=asked.texts[0],
                    context=asked.texts[1],
                    said=answer,
                    said_start=None if best is None else best.start,
                    probability=None if best is None else best.probability,
                    right_start=None if best is None or nothing or not right.strip() else best.start,
                    right_answer="" if nothing else (right.strip() or None),
                    unanswerable=nothing,
                    comment=comment,
                )
            )


def verdict(reads: "TaskType", asked: Asked, model: Model, found: "Verdict") -> None:
    """The means to say that a label is wrong, and which one is right."""
    name = _form(reads, asked, model)
    with st.popover(_("Report a wrong answer"), icon=":material/flag:", width="content"), st.form(name, border=False):
        others = [label for label in found.probabilities if label != found.label]
        right = st.radio(_("What is right"), others, format_func=lambda one: _(TRY_LABELS[one]), key=f"{name}_right")
        comment = st.text_input(_("Remark"), key=f"{name}_comment", max_chars=2000)
        if st.form_submit_button(_("Keep the case"), icon=":material/save:"):
            pair = asked.texts if reads == "nli" else (None, None)
            _keep(
                Case(
                    kind=reads,
                    model=model.name,
                    run_id=model.run_id,
                    checkpoint=model.sha256,
                    said=found.label,
                    probability=found.probabilities[found.label],
                    right_answer=right,
                    comment=comment,
                    text=asked.texts[0] if reads == "sentiment" else None,
                    premise=pair[0],
                    hypothesis=pair[1],
                )
            )


def _form(reads: str, asked: Asked, model: Model) -> str:
    """A form for each answer: what was written about another one does not go along."""
    texts = hashlib.sha256("\0".join(asked.texts).encode()).hexdigest()[:12]
    return f"pg_wrong_{reads}_{model.key}_{model.precision}_{texts}"


def _keep(case: Case) -> None:
    try:
        feedback.keep(cache.store(), case)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
    else:
        st.success(_("Kept. `featherboard export feedback` gives all cases out."), icon=":material/check:")
