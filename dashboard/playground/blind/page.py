"""The tab of blind comparison, with the ratings that its votes make."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.markup import templates
from dashboard.playground import classification, engine_bridge, models, questions, rendering, settings, state
from dashboard.playground.answers import AnsweringModel
from dashboard.playground.blind import ballot as ballots
from dashboard.playground.blind import ratings
from dashboard.playground.blind.ballot import Ballot
from dashboard.playground.state import Question
from dashboard.ui import url_state
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError, LimitError
from db.votes import Verdict, VoteError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, TaskType

VERDICTS: dict[Verdict, str] = {
    "left": N_("A is better"),
    "right": N_("B is better"),
    "tie": N_("Equally good"),
    "neither": N_("Both wrong"),
}
_KIND = "kind"


def draw() -> None:
    """Draw the tab."""
    templates.leave()
    offered = {kind: _offered(kind) for kind in state.TEXTS}
    kinds = [kind for kind, refs in offered.items() if len(refs) > 1]
    if not kinds:
        st.info(_("Two models of one kind are needed, and this installation has fewer."), icon=":material/search_off:")
        return
    kind = _choose_kind(kinds)
    question = state.current(kind)
    left, right = st.columns([5, 7], gap="large")
    with left:
        state.draw_examples(kind)
        if kind == "qa":
            questions.draw_fields(question)
        else:
            classification.draw_fields(kind, question)
    with right:
        if question.empty:
            st.info(_(state.MISSING[kind]), icon=":material/edit:")
        else:
            state.draw_edited(kind, question)
            _draw_ballot(kind, question, offered[kind])
    ratings.draw(kind, offered[kind])
    state.write(
        kind, question, engine_bridge.defaults(kind), {state.TAB: "blind", _KIND: None if kind == kinds[0] else kind}
    )


def _offered(kind: "TaskType") -> "list[ModelRef]":
    """Return the models of a kind, those of the mini corpora aside; of several with one name, the first."""
    by_name: dict[str, ModelRef] = {}
    for ref in engine_bridge.listed(kind):
        if not ref.mini:
            by_name.setdefault(ref.name, ref)
    return list(by_name.values())


def _choose_kind(kinds: "list[TaskType]") -> "TaskType":
    url_state.follow(_KIND, url_state.one_of(kinds), kinds[0])
    kind: TaskType | None = st.segmented_control(
        _("What the models do"),
        kinds,
        key=_KIND,
        required=True,
        label_visibility="collapsed",
        format_func=lambda code: _(state.TABS[code]),
    )
    return kind or kinds[0]


def _draw_ballot(kind: "TaskType", question: Question, offered: "list[ModelRef]") -> None:
    ballot = ballots.current(kind, question, offered)
    if ballot is None:
        st.info(
            _("You have voted on all pairs of models for this text. Load an example, or write another one."),
            icon=":material/done_all:",
        )
        return
    if ballot.verdict is None:
        st.markdown(_("Two models answer. Their names are shown once you have voted."))
    shown = []
    for column, letter, ref in zip(st.columns(2, gap="medium"), "AB", (ballot.left, ballot.right), strict=True):
        with column, st.container(border=True):
            shown.append(_draw_card(kind, question, letter, ref, named=ballot.verdict is not None))
    if None in shown:
        _draw_next()
    elif ballot.verdict is None:
        _draw_buttons(same=kind == "qa" and shown[0] == shown[1])
    else:
        _draw_result(ballot)


def _draw_card(kind: "TaskType", question: Question, letter: str, ref: "ModelRef", *, named: bool) -> str | None:
    """Draw an answer under its letter, with its model after the vote; None where an error stands in its place."""
    # Nothing that the browser gets before the vote may name the model: no key, no message of an error.
    st.markdown(f"**{_('Model {letter}').format(letter=letter)}**")
    if named:
        models.draw_name(ref, settings.FLOAT32)
    try:
        cost, blocks, text = _answer(kind, question, ref)
    except FeatherboardError as error:
        message = plain(error) if named else _("This model cannot answer just now. Try another pair.")
        st.error(message, icon=":material/error:")
        return None
    rendering.mount(f"pg_blind_{letter}", blocks)
    if named:
        st.caption(cost)
    return text


def _answer(kind: "TaskType", question: Question, ref: "ModelRef") -> tuple[str, list[rendering.Block], str]:
    """Return the model's size and cost in words, its answer as blocks, and as text."""
    model: AnsweringModel
    if kind == "qa":
        model, result = questions.answer_of(question, ref, settings.FLOAT32)
        text = result.text()
        return model.summary(result.cost), questions.marked_answer(question.texts[1], result, text), text
    model, verdict = classification.verdict_of(kind, question, ref, settings.FLOAT32)
    return model.summary(verdict.cost), classification.verdict_blocks(verdict), verdict.label


def _draw_buttons(*, same: bool) -> None:
    if same:
        st.caption(_("Both give the same answer."))
    with st.container(horizontal=True, key="pg_votes"):
        for verdict, label in VERDICTS.items():
            st.button(
                _(label),
                key=f"pg_vote_{verdict}",
                disabled=same and verdict in {"left", "right"},
                on_click=ballots.vote,
                args=(verdict,),
            )
    _draw_problem()


def _draw_result(ballot: Ballot) -> None:
    if not _draw_problem() and ballot.verdict is not None:
        st.success(
            _("Your vote was counted: {verdict}.").format(verdict=_(VERDICTS[ballot.verdict])), icon=":material/check:"
        )
    _draw_next()


def _draw_next() -> None:
    st.button(_("Another pair"), key="pg_vote_next", type="primary", icon=":material/shuffle:", on_click=ballots.close)


def _draw_problem() -> bool:
    """Say why the last vote was not counted; return whether it was not."""
    error = ballots.problem()
    if error is None:
        return False
    if isinstance(error, VoteError):
        message = _("You have already voted on these two answers. The first vote counts.")
    elif isinstance(error, LimitError):
        message = _("You have voted very often within an hour. This vote was not counted; try again later.")
    else:
        message = _("The database is in use for a moment. The vote was not counted: try again.")
    st.warning(message, icon=":material/info:")
    return True
