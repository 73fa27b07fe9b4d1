"""The tabs of texts that are put into classes: a review, or a premise and a hypothesis, read by up to four models."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.playground import (
    agreement,
    answers,
    attribution,
    engine_bridge,
    models,
    rendering,
    report,
    settings,
    state,
)
from dashboard.playground.answers import Model
from dashboard.playground.attribution import TRY_LABELS
from dashboard.playground.state import Asked
from dashboard.ui.i18n import N_, _, pgettext, translated
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError

TRY_FROM_CORPUS = N_(
    "From the mini corpus, written for Featherboard; no shipped model learned from it. Right: {answer}"
)
PAIR_FIELDS = {"sentiment": (N_("Review"),), "nli": (N_("Premise"), N_("Hypothesis"))}
PAIR_MISSING = {
    "sentiment": N_("Write a review, or take an example."),
    "nli": N_("Write a premise and a hypothesis, or take an example."),
}

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, TaskType
    from engine.inference.schemas import Attribution, Verdict

AT_ONCE: Final = 40
"""Parts of texts that are weighed without being asked to; more take a moment."""

_LONGEST = 10_000
"""Characters of a text; see ``engine.inference.classification``."""

_HEIGHTS = {"sentiment": (160,), "nli": (120, 80)}
_WHY = "why"


@dataclass
class _Card:
    """A model's verdict, and where its reasons go."""

    choice: "ModelRef"
    model: Model
    verdict: "Verdict"
    place: DeltaGenerator
    foot: DeltaGenerator


def sentiment() -> None:
    """Draw the tab of reviews."""
    _draw("sentiment")


def inference() -> None:
    """Draw the tab of pairs."""
    _draw("nli")


def _draw(reads: "TaskType") -> None:
    models.later()
    asked = _settled(reads)
    left, right = st.columns([5, 7], gap="large")
    with left:
        _fields(reads, asked)
        chosen = models.choose(reads)
        precision = settings.precision()
        models.add(reads)
    why = False
    with right:
        if asked.empty:
            st.info(_(PAIR_MISSING[reads]), icon=":material/edit:")
        elif not chosen:
            st.info(_("Choose at least one model."), icon=":material/model_training:")
        else:
            why = _verdicts(reads, asked, chosen, precision)
    told = {**settings.Settings(precision).told(), _WHY: "1" if why else None}
    state.write(reads, asked, [one.key for one in chosen], told)


def _settled(reads: "TaskType") -> Asked:
    """What was asked; a link may say that it was weighed too."""
    new = state.fresh(reads)
    asked = state.settle(reads)
    if new and st.query_params.get(_WHY) == "1":
        _wish(reads, asked)
    return asked


def _wish(reads: "TaskType", asked: Asked) -> None:
    st.session_state[state.key(reads, _WHY)] = asked.texts


def _fields(reads: "TaskType", asked: Asked) -> None:
    shelf = {one.key: one for one in engine_bridge.samples(reads)}
    st.selectbox(
        pgettext("try sample", "Examples"),
        list(shelf),
        key=state.key(reads, "sample"),
        index=None,
        placeholder=_("Take an example"),
        format_func=lambda code: f"{shelf[code].language.upper()}  {shelf[code].texts[0][:80]}",
        on_change=_take,
        args=(reads,),
    )
    with st.form(state.key(reads, "form"), border=False):
        for place, height in enumerate(_HEIGHTS[reads], start=1):
            st.text_area(
                translated(PAIR_FIELDS)[reads][place - 1],
                key=state.key(reads, f"t{place}"),
                height=height,
                max_chars=_LONGEST,
                persist_state="session",
            )
        st.form_submit_button(_("Ask"), icon=":material/search:", on_click=state.ask, args=(reads,))
    found = shelf.get(asked.sample or "")
    if found is not None:
        st.caption(_(TRY_FROM_CORPUS).format(answer=" | ".join(_(TRY_LABELS[one]) for one in found.gold)))


def _take(reads: "TaskType") -> None:
    code = st.session_state.get(state.key(reads, "sample"))
    found = next((one for one in engine_bridge.samples(reads) if one.key == code), None)
    if found is not None:
        state.pose(reads, found.texts)
        st.session_state[state.key(reads, "sample")] = None


def _verdicts(reads: "TaskType", asked: Asked, chosen: "list[ModelRef]", precision: str) -> bool:
    """All verdicts first, then what they hang on, which takes longer; whether the latter was asked for."""
    top = st.container()
    cards: list[_Card] = []
    for begin in range(0, len(chosen), 2):
        row = st.columns(2, gap="medium") if len(chosen) > 1 else [st.container()]
        for place, choice in zip(row, chosen[begin : begin + 2], strict=False):
            with place, st.container(border=len(chosen) > 1):
                card = _card(reads, asked, choice, precision)
                cards += [card] if card else []
    if not cards:
        return False
    wished = st.session_state.get(state.key(reads, _WHY)) == asked.texts
    count = engine_bridge.parts(asked.texts)
    with top:
        if len(cards) > 1:
            st.markdown(agreement.told([(one.choice.name, one.verdict.label) for one in cards], _gold(reads, asked)))
        if count > AT_ONCE and not wished:
            st.button(
                _("Show what the verdict hangs on ({n} parts)").format(n=count),
                icon=":material/vital_signs:",
                key=state.key(reads, "weigh"),
                on_click=_wish,
                args=(reads, asked),
            )
        legend = st.empty()
    if count <= AT_ONCE or wished:
        known = [_weighed(reads, asked, card, precision) for card in cards]
        with cards[0].foot if len(chosen) == 1 else legend:
            rendering.mount(
                state.key(reads, "legend"), attribution.legend([one for units in known for one in units or ()])
            )
    for card in cards:
        with card.foot:
            st.caption(plain(card.model.told(card.verdict.cost)))
            report.verdict(reads, asked, card.model, card.verdict)
    models.memory()
    return wished and count > AT_ONCE


def _gold(reads: "TaskType", asked: Asked) -> str | None:
    found = next((one for one in engine_bridge.samples(reads) if one.key == asked.sample), None)
    return found.gold[0] if found is not None and found.gold else None


def _card(reads: "TaskType", asked: Asked, choice: "ModelRef", precision: str) -> _Card | None:
    """One model's verdict; None where it gives none because of an error."""
    models.heading(choice, precision)

    def compute() -> "tuple[Model, Verdict]":
        with st.spinner(_("The model reads …")):
            held, found = engine_bridge.predictor().classify(choice.key, asked.texts, precision=precision)
        return Model.of(held), found

    try:
        model, verdict = answers.once((reads, choice.key, precision, asked.texts), compute)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    answers.remember(reads, asked.texts, model, _facts(verdict))
    rendering.mount(f"pg_{reads}_{choice.key}_{precision}", _blocks(verdict))
    return _Card(choice, model, verdict, st.container(), st.container())


def _blocks(verdict: "Verdict") -> list[rendering.Block]:
    """What a model says, and how sure it is."""
    rows = [(_(TRY_LABELS[label]), share) for label, share in verdict.probabilities.items()]
    blocks = [
        rendering.headline(
            _(TRY_LABELS[verdict.label]), beside=rendering.percent(verdict.probabilities[verdict.label])
        ),
        rendering.bars(_("Probability of each label"), rows, strong=list(verdict.probabilities).index(verdict.label)),
    ]
    if verdict.cut:
        blocks.append(
            rendering.note(_("The text is longer than this model reads. It saw the beginning only."), warning=True)
        )
    return blocks


def _weighed(reads: "TaskType", asked: Asked, card: _Card, precision: str) -> "list[Attribution] | None":
    """What a verdict hangs on, drawn into its card; None where that cannot be computed."""

    def compute() -> "list[Attribution]":
        bar = st.progress(0.0, _("Leaving out one part after another"))

        def move(share: float) -> None:
            bar.progress(share, _("Leaving out one part after another"))

        try:
            predictor = engine_bridge.predictor()
            held = predictor.load(card.choice.key, precision)
            return predictor.importance(held, asked.texts, card.verdict, progress=move)
        finally:
            bar.empty()

    with card.place:
        try:
            units: list[Attribution] = answers.once((_WHY, reads, card.choice.key, precision, asked.texts), compute)
        except FeatherboardError as error:
            st.error(plain(error), icon=":material/error:")
            return None
        answers.remember(reads, asked.texts, card.model, _facts(card.verdict, attribution.facts(asked.texts, units)))
        rendering.mount(
            f"pg_{reads}_why_{card.choice.key}_{precision}",
            attribution.blocks(translated(PAIR_FIELDS)[reads], asked.texts, card.verdict, units),
        )
    return units


def _facts(verdict: "Verdict", importance: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "label": verdict.label,
        "probabilities": {one: round(share, 6) for one, share in verdict.probabilities.items()},
        "cut": verdict.cut,
        "cost": verdict.cost.as_dict(),
        "importance": importance,
    }
