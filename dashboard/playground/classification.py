"""The tabs of classification: a text, or a premise and a hypothesis, classified by up to four models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.playground import answers, attribution, engine_bridge, models, rendering, report, settings, state
from dashboard.playground.answers import AnsweringModel
from dashboard.playground.state import Question
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain, two_a_row
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, TaskType
    from engine.inference.schemas import Attribution, Verdict

FIELDS = {"sentiment": (N_("Review"),), "nli": (N_("Premise"), N_("Hypothesis")), "text": (N_("Text"),)}
GOLD = N_("Gold label: {label}; {n} of {all} models predict it.")

MAX_PARTS_AT_ONCE: Final = 40
"""Parts of texts that are weighted without a click; more take a moment."""

MAX_LABELS: Final = 10
"""Labels whose probabilities are drawn."""

_MAX_CHARS = 10_000  # of a text; see ``engine.inference.classification``
_HEIGHTS = {"sentiment": (160,), "nli": (120, 80), "text": (120,)}
_WHY = "why"


@dataclass
class _Card:
    """A model's verdict, and the containers of its explanation and of its last lines."""

    ref: "ModelRef"
    model: AnsweringModel
    verdict: "Verdict"
    explanation: DeltaGenerator
    foot: DeltaGenerator


def draw(task: "TaskType") -> None:
    """Draw the tab of reviews, of pairs, or of texts with the labels of their models' tasks, such as topics."""
    models.choose_fetched()
    is_new = state.is_new_link(task)
    question = state.current(task)
    if is_new and st.query_params.get(_WHY) == "1":
        _explain(task, question)
    left, right = st.columns([5, 7], gap="large")
    with left:
        state.draw_examples(task)
        chosen = models.choose(task)
        draw_fields(task, question)
        precision = settings.draw_precision()
        models.draw_other(task)
    explained = False
    with right:
        if question.empty:
            st.info(_(state.MISSING[task]), icon=":material/edit:")
        elif not chosen:
            models.draw_none_chosen()
        else:
            state.draw_edited(task, question)
            explained = _draw_verdicts(task, question, chosen, precision)
    values = {**settings.Settings(precision).as_link(), _WHY: "1" if explained else None}
    state.write(task, question, [ref.key for ref in chosen], values)


def _explain(task: "TaskType", question: Question) -> None:
    st.session_state[state.key(task, _WHY)] = question.texts


def draw_fields(task: "TaskType", question: Question) -> None:
    """Draw the fields of the texts, with the button that asks."""
    for number, (label, height) in enumerate(zip(FIELDS[task], _HEIGHTS[task], strict=True), start=1):
        key = state.key(task, f"t{number}")
        st.text_area(_(label), key=key, height=height, max_chars=_MAX_CHARS, persist_state="session")
    state.ask_button(task)
    sample = engine_bridge.sample(task, question.sample)
    if sample is not None:
        st.caption(_(state.FROM_CORPUS).format(answer=" | ".join(state.label_name(label) for label in sample.gold)))


def _draw_verdicts(task: "TaskType", question: Question, chosen: "list[ModelRef]", precision: str) -> bool:
    """Draw all verdicts, then their explanations, which take longer; return whether these were asked for."""
    top = st.container()
    cards: list[_Card] = []
    for column, ref in two_a_row(chosen, whole=True):
        with column, st.container(border=len(chosen) > 1):
            card = _draw_card(task, question, ref, precision)
            cards += [card] if card else []
    if not cards:
        return False
    requested = st.session_state.get(state.key(task, _WHY)) == question.texts
    count = len(engine_bridge.inference("attribution").parts_of(question.texts))
    with top:
        if len(cards) > 1:
            sample = engine_bridge.sample(task, question.sample)
            gold = sample.gold[0] if sample is not None and sample.gold else None
            if not all(gold in card.verdict.probabilities for card in cards):
                gold = None  # it belongs to another task than a model's
            st.markdown(agreement([(card.ref.name, card.verdict.label) for card in cards], gold))
        if count > MAX_PARTS_AT_ONCE and not requested:
            st.button(
                _("Word importance, leave one out ({n} parts)").format(n=count),
                icon=":material/vital_signs:",
                key=state.key(task, "weigh"),
                on_click=_explain,
                args=(task, question),
            )
        legend = st.empty()
    if count <= MAX_PARTS_AT_ONCE or requested:
        parts = [part for card in cards for part in _draw_explanation(task, question, card, precision)]
        with cards[0].foot if len(chosen) == 1 else legend:
            rendering.mount(state.key(task, "legend"), attribution.legend(parts))
    for card in cards:
        with card.foot:
            st.caption(plain(card.model.summary(card.verdict.cost)))
            report.draw_label_form(task, question, card.model, card.verdict)
    models.draw_memory()
    return requested and count > MAX_PARTS_AT_ONCE


def agreement(votes: Sequence[tuple[str, str]], gold: str | None = None) -> str:
    """Say in Markdown which models predict which label, the most frequent label first."""
    count = len(votes)
    names: dict[str, list[str]] = {}
    for name, label in votes:
        names.setdefault(label, []).append(plain(name))
    if len(names) == 1:
        label = plain(state.label_name(votes[0][1]))
        sentence = _("The models agree: **{label}** ({n} of {n}).").format(label=label, n=count)
    else:
        parts = [
            _("**{label}** {n} of {all} ({names})").format(
                label=plain(state.label_name(label)), n=len(names[label]), all=count, names=", ".join(names[label])
            )
            for label in sorted(names, key=lambda label: -len(names[label]))
        ]
        sentence = _("The models disagree: {voices}.").format(voices="; ".join(parts))
    if gold is None:
        return sentence
    return f"{sentence} " + _(GOLD).format(label=state.label_name(gold), n=len(names.get(gold, ())), all=count)


def _draw_card(task: "TaskType", question: Question, ref: "ModelRef", precision: str) -> _Card | None:
    """Draw one model's verdict; None where there is none because of an error."""
    models.draw_name(ref, precision)
    try:
        model, verdict = verdict_of(task, question, ref, precision)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    answers.remember(task, question.texts, model, _facts(verdict))
    rendering.mount(f"pg_{task}_{ref.key}_{precision}", verdict_blocks(verdict))
    return _Card(ref, model, verdict, st.container(), st.container())


def verdict_of(
    task: "TaskType", question: Question, ref: "ModelRef", precision: str
) -> "tuple[AnsweringModel, Verdict]":
    """Return a model's verdict, computed once a session."""

    def compute() -> "tuple[AnsweringModel, Verdict]":
        with st.spinner(models.waiting(ref, precision)):
            model, verdict = engine_bridge.predictor().classify(ref.key, question.texts, precision=precision)
        return AnsweringModel.of(model), verdict

    result: tuple[AnsweringModel, Verdict] = answers.once((task, ref.key, precision, question.texts), compute)
    return result


def verdict_blocks(verdict: "Verdict") -> list[rendering.Block]:
    """Return the label in large, and the probability of each; of many labels, of the likeliest ones."""
    shares = verdict.probabilities
    likeliest = set(sorted(shares, key=lambda label: -shares[label])[:MAX_LABELS])
    shown = [label for label in shares if label in likeliest]
    title = _("Probability of each label")
    if len(shares) > len(shown):
        title = _("Probability of the {n} likeliest of {all} labels").format(n=len(shown), all=len(shares))
    rows = [(state.label_name(label), shares[label]) for label in shown]
    blocks = [
        rendering.headline(state.label_name(verdict.label), detail=rendering.percent(shares[verdict.label])),
        rendering.bars(title, rows, strong=shown.index(verdict.label)),
    ]
    if verdict.guessed:
        warning = _("The model was not trained on the language of this text: its label is a guess.")
        blocks.append(rendering.note(warning, warning=True))
    if verdict.cut:
        warning = _("The text is longer than this model's input; only the beginning was read.")
        blocks.append(rendering.note(warning, warning=True))
    return blocks


def _draw_explanation(task: "TaskType", question: Question, card: _Card, precision: str) -> "list[Attribution]":
    """Draw into its card which parts a verdict depends on; nothing where that cannot be computed."""

    def compute() -> "list[Attribution]":
        title = _("Leaving out one part at a time")
        bar = st.progress(0.0, title)

        def show(share: float) -> None:
            bar.progress(share, title)

        try:
            predictor = engine_bridge.predictor()
            model = predictor.load(card.ref.key, precision)
            attribute = engine_bridge.inference("attribution").attribute
            parts: list[Attribution] = attribute(predictor.executor, model, question.texts, card.verdict, progress=show)
            return parts
        finally:
            bar.empty()

    with card.explanation:
        try:
            parts: list[Attribution] = answers.once((_WHY, task, card.ref.key, precision, question.texts), compute)
        except FeatherboardError as error:
            st.error(plain(error), icon=":material/error:")
            return []
        facts = _facts(card.verdict, attribution.as_facts(question.texts, parts))
        answers.remember(task, question.texts, card.model, facts)
        labels = [_(label) for label in FIELDS[task]]
        rendering.mount(
            f"pg_{task}_why_{card.ref.key}_{precision}", attribution.blocks(labels, question.texts, card.verdict, parts)
        )
    return parts


def _facts(verdict: "Verdict", importance: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {**verdict.model_dump(mode="json"), "importance": importance}
