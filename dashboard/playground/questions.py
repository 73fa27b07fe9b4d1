"""The tab of questions over texts: up to four models answer side by side."""

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.playground import answers, engine_bridge, models, rendering, report, settings, state
from dashboard.playground.answers import Model
from dashboard.playground.classification import TRY_FROM_CORPUS
from dashboard.playground.state import Asked
from dashboard.ui.i18n import _, pgettext
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, Sample
    from dashboard.playground.settings import Settings
    from engine.inference.schemas import QAResult

READS: Final = "qa"
_SLOW = 12
"""Windows from which a bar shows how far a model is."""


def draw() -> None:
    """Draw the tab."""
    models.later()
    asked = state.settle(READS)
    left, right = st.columns([5, 7], gap="large")
    with left:
        _fields(asked)
        chosen = models.choose(READS)
        wished = settings.choose()
        models.add(READS)
    with right:
        if asked.empty:
            st.info(_("Write a question and a text, or take an example."), icon=":material/edit:")
        elif not chosen:
            st.info(_("Choose at least one model."), icon=":material/model_training:")
        else:
            _answers(asked, chosen, wished)
    state.write(READS, asked, [one.key for one in chosen], wished.told())


def _fields(asked: Asked) -> None:
    shelf = {one.key: one for one in engine_bridge.samples(READS)}
    st.selectbox(
        pgettext("try sample", "Examples"),
        list(shelf),
        key=state.key(READS, "sample"),
        index=None,
        placeholder=_("Take an example"),
        format_func=lambda code: _called(shelf[code]),
        on_change=_take,
    )
    with st.form("pg_qa_form", border=False):
        st.text_input(_("Question"), key=state.key(READS, "t1"), max_chars=1000, persist_state="session")
        st.text_area(
            _("Text that holds the answer"),
            key=state.key(READS, "t2"),
            height=220,
            max_chars=100_000,
            persist_state="session",
        )
        st.form_submit_button(_("Ask"), icon=":material/search:", on_click=state.ask, args=(READS,))
    found = shelf.get(asked.sample or "")
    if found is not None and found.source:
        st.caption(
            _("From {source}, where the model answered: {answer}").format(
                source=plain(found.source), answer=plain(found.gold[0])
            )
        )
    elif found is not None:
        st.caption(_(TRY_FROM_CORPUS).format(answer=plain(" | ".join(found.gold))))


def _called(one: "Sample") -> str:
    return f"{one.language.upper()}  {one.texts[0]}"


def _take() -> None:
    code = st.session_state.get(state.key(READS, "sample"))
    found = next((one for one in engine_bridge.samples(READS) if one.key == code), None)
    if found is not None:
        state.pose(READS, found.texts)
        st.session_state[state.key(READS, "sample")] = None


def _answers(asked: Asked, chosen: "list[ModelRef]", wished: "Settings") -> None:
    """A card for each model; two beside each other where there are several."""
    wide = st.columns(2, gap="medium") if len(chosen) > 1 else [st.container()]
    told: list[str] = []
    for place, choice in enumerate(chosen):
        with wide[place % len(wide)], st.container(border=len(chosen) > 1):
            answer = _card(asked, choice, wished)
            if answer is not None:
                told.append(answer)
    if len(told) > 1:
        st.caption(
            _("All models that answered give the same answer.")
            if len({one.strip().casefold() for one in told}) == 1
            else _("The models give different answers.")
        )
    models.memory()


def _card(asked: Asked, choice: "ModelRef", wished: "Settings") -> str | None:
    """One model's answer; None where it gives no answer because of an error."""
    models.heading(choice, wished.precision)
    try:
        model, reply = _reply(asked, choice, wished)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    answer = reply.text(wished.threshold)
    answers.remember(READS, asked.texts, model, _facts(reply, answer))
    rendering.mount(f"pg_qa_{choice.key}_{wished.precision}", _blocks(asked, reply, answer, wished))
    st.caption(model.told(reply.cost))
    report.question(asked, model, reply, answer)
    return answer


def _reply(asked: Asked, choice: "ModelRef", wished: "Settings") -> "tuple[Model, QAResult]":
    question, context = asked.texts

    def compute() -> "tuple[Model, QAResult]":
        place = st.empty()
        with place, st.spinner(_("The model reads …")):
            predictor = engine_bridge.predictor()
            bar = _Bar(len(context) > 1500 * _SLOW)
            held, reply = predictor.ask(
                choice.key, question, context, precision=wished.precision, keep=settings.MOST_BEST, progress=bar.move
            )
            bar.close()
        place.empty()
        return Model.of(held), reply

    found: tuple[Model, QAResult] = answers.once((READS, choice.key, wished.precision, asked.texts), compute)
    return found


class _Bar:
    """How far a model is in a long text; nothing for a short one."""

    def __init__(self, wanted: bool) -> None:
        self._bar = st.progress(0.0, _("Reading window by window")) if wanted else None

    def move(self, share: float) -> None:
        """Show a share."""
        if self._bar is not None:
            self._bar.progress(share, _("Reading window by window"))

    def close(self) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.empty()


def _blocks(asked: Asked, reply: "QAResult", answer: str, wished: "Settings") -> list[rendering.Block]:
    """What a card shows."""
    context, found = asked.texts[1], reply
    if answer:
        best = found.best[0]
        blocks = [
            rendering.headline(answer, beside=rendering.percent(best.probability)),
            rendering.marked(_("The text, with the answer marked"), context, best.start, best.end),
        ]
    else:
        blocks = [
            rendering.headline(_("No answer in this text"), quiet=True),
            rendering.unmarked(_("The text, with the answer marked"), context),
        ]
    if reply.guessed:
        blocks.insert(
            1,
            rendering.note(
                _(
                    "The model learned from another language than that of the question or the text: its answer "
                    "is a guess."
                ),
                warning=True,
            ),
        )
    blocks.append(
        rendering.bars(
            _("Probability that the text does not answer the question"), [(_("No answer"), found.no_answer)], strong=-1
        )
    )
    if len(found.windows) > 1 and found.best:
        window = reply.windows[found.best[0].window]
        blocks.append(
            rendering.note(
                _("The text was read in {n} windows; window {place} answered (characters {first} to {last}).").format(
                    place=found.best[0].window + 1,
                    n=len(found.windows),
                    first=f"{window.start + 1:,}",
                    last=f"{window.end:,}",
                )
            )
        )
    if wished.best > 1 and len(found.best) > 1:
        rows = [
            (
                span.probability,
                span.start,
                span.end,
                _("window {n}").format(n=span.window + 1) if len(found.windows) > 1 else "",
            )
            for span in found.best[: wished.best]
        ]
        blocks.append(rendering.candidates(_("Likeliest answers"), context, rows))
    return blocks


def _facts(reply: "QAResult", answer: str) -> dict[str, Any]:
    found = reply
    return {
        "answer": answer,
        "no_answer": round(found.no_answer, 6),
        "windows": len(found.windows),
        "guess": reply.guessed,
        "best": [
            {"text": one.text, "start": one.start, "end": one.end, "probability": round(one.probability, 6)}
            for one in found.best
        ],
        "cost": reply.cost.as_dict(),
    }
