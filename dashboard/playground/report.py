"""Reports of wrong answers, saved as labelled examples."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.playground import state
from dashboard.playground.answers import AnsweringModel
from dashboard.playground.state import Question
from dashboard.ui import cache
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.runs import feedback
from db.runs.feedback import Case

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType
    from engine.inference.schemas import QAResult, Verdict


def draw_answer_form(question: Question, model: AnsweringModel, result: "QAResult", answer: str) -> None:
    """Draw the form that reports a wrong answer and takes the correct one."""
    with _form("qa", question, model) as name:
        correct = st.text_input(
            _("The correct answer, as written in the text"),
            key=f"{name}_right",
            help=_("Leave it empty if you do not know it."),
        ).strip()
        unanswerable = st.checkbox(_("The text does not answer the question"), key=f"{name}_nothing")
        best = result.best[0] if result.best and answer else None
        _save_button(
            name,
            model,
            kind="qa",
            question=question.texts[0],
            context=question.texts[1],
            answer=answer,
            answer_start=best and best.start,
            probability=best and best.probability,
            right_start=best.start if best and correct and not unanswerable else None,
            right_answer="" if unanswerable else (correct or None),
            unanswerable=unanswerable,
        )


def draw_label_form(task: "TaskType", question: Question, model: AnsweringModel, verdict: "Verdict") -> None:
    """Draw the form that reports a wrong label and takes the correct one."""
    with _form(task, question, model) as name:
        others = [label for label in verdict.probabilities if label != verdict.label]
        correct = st.radio(_("Gold label"), others, format_func=state.label_name, key=f"{name}_right")
        _save_button(
            name,
            model,
            kind=task,
            answer=verdict.label,
            probability=verdict.probabilities[verdict.label],
            right_answer=correct,
            **dict(zip(feedback.READS[task], question.texts, strict=True)),
        )


@contextmanager
def _form(task: str, question: Question, model: AnsweringModel) -> Iterator[str]:
    """Open a form of its own for each answer, so that none starts with what was written about another."""
    texts = hashlib.sha256("\0".join(question.texts).encode()).hexdigest()[:12]
    name = f"pg_wrong_{task}_{model.info.key}_{model.info.precision}_{texts}"
    with st.popover(_("Report a wrong answer"), icon=":material/flag:"), st.form(name, border=False):
        yield name


def _save_button(name: str, model: AnsweringModel, **values: Any) -> None:
    comment = st.text_input(_("Comment"), key=f"{name}_comment", max_chars=2000)
    if not st.form_submit_button(_("Save the report"), icon=":material/save:"):
        return
    info = model.info
    try:
        case = Case(model=info.name, run_id=info.run_id, checkpoint=model.sha256, comment=comment, **values)
        feedback.keep(cache.store(), case)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
    else:
        st.success(_("Saved. `featherboard export feedback` exports all reports."), icon=":material/check:")
