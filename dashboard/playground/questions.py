"""The tab of questions over texts: up to four models answer side by side."""

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.playground import answers, engine_bridge, models, rendering, report, settings, state
from dashboard.playground.answers import AnsweringModel
from dashboard.playground.state import Question
from dashboard.ui.i18n import _
from dashboard.ui.markdown import cited, plain, two_a_row
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef
    from dashboard.playground.settings import Settings
    from engine.inference.schemas import QAResult

TASK: Final = "qa"
_MIN_PROGRESS_CHARS = 18_000
"""Characters of a text from which a bar shows how much of it was read."""


def draw() -> None:
    """Draw the tab."""
    models.choose_fetched()
    question = state.current(TASK)
    left, right = st.columns([5, 7], gap="large")
    with left:
        state.draw_examples(TASK, limit=None)
        chosen = models.choose(TASK)
        draw_fields(question)
        options = settings.draw()
        models.draw_other(TASK)
    with right:
        if question.empty:
            st.info(_(state.MISSING[TASK]), icon=":material/edit:")
        elif not chosen:
            models.draw_none_chosen()
        else:
            state.draw_edited(TASK, question)
            _draw_answers(question, chosen, options)
    state.write(TASK, question, [ref.key for ref in chosen], options.as_link())


def draw_fields(question: Question) -> None:
    """Draw the fields of question and context, with the button that asks."""
    # A form takes Enter in the question for its button, and keeps both texts in the browser until then. While the
    # context was outside, Streamlit sent its edit after the click on the button, and dropped the run of the click where
    # the machine was busy.
    with st.form(state.key(TASK, "form"), border=False):
        st.text_area(_("Context"), key=state.key(TASK, "t2"), height=220, max_chars=100_000, persist_state="session")
        st.text_input(_("Question"), key=state.key(TASK, "t1"), max_chars=1000, persist_state="session")
        state.ask_button(TASK, st.form_submit_button)
    sample = engine_bridge.sample(TASK, question.sample)
    if sample is not None and sample.source:
        origin = _("From {source}, where the model answered: {answer}")
        st.caption(origin.format(source=cited(sample.source), answer=plain(sample.gold[0])))
    elif sample is not None:
        st.caption(_(state.FROM_CORPUS).format(answer=plain(" | ".join(sample.gold))))


def _draw_answers(question: Question, chosen: "list[ModelRef]", options: "Settings") -> None:
    """Draw a card for each model, two a row where there are several."""
    texts: list[str] = []
    for column, ref in two_a_row(chosen, whole=True):
        with column, st.container(border=len(chosen) > 1):
            answer = _draw_card(question, ref, options)
            if answer is not None:
                texts.append(answer)
    if len(texts) > 1:
        st.caption(
            _("All models that answered give the same answer.")
            if len({text.strip().casefold() for text in texts}) == 1
            else _("The models give different answers.")
        )
    models.draw_memory()


def _draw_card(question: Question, ref: "ModelRef", options: "Settings") -> str | None:
    """Draw one model's answer; None where there is none because of an error."""
    models.draw_name(ref, options.precision)
    try:
        model, result = answer_of(question, ref, options.precision)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    answer = result.text(options.threshold)
    answers.remember(TASK, question.texts, model, _facts(result, answer))
    rendering.mount(f"pg_qa_{ref.key}_{options.precision}", _blocks(question.texts[1], result, answer, options))
    st.caption(model.summary(result.cost))
    report.draw_answer_form(question, model, result, answer)
    return answer


def answer_of(question: Question, ref: "ModelRef", precision: str) -> "tuple[AnsweringModel, QAResult]":
    """Return a model's answer, computed once a session."""
    text, context = question.texts

    def compute() -> "tuple[AnsweringModel, QAResult]":
        container = st.empty()
        with container, st.spinner(models.waiting(ref, precision)):
            title = _("Reading window by window")
            bar = st.progress(0.0, title) if len(context) > _MIN_PROGRESS_CHARS else None

            def show(share: float) -> None:
                if bar is not None:
                    bar.progress(share, title)

            model, result = engine_bridge.predictor().ask(
                ref.key, text, context, precision=precision, keep=settings.MAX_CANDIDATES, progress=show
            )
        container.empty()
        return AnsweringModel.of(model), result

    answered: tuple[AnsweringModel, QAResult] = answers.once((TASK, ref.key, precision, question.texts), compute)
    return answered


def marked_answer(context: str, result: "QAResult", answer: str, detail: str = "") -> list[rendering.Block]:
    """Return the answer in large, and the text with the answer marked."""
    title = _("The text, with the answer marked")
    if not answer:
        return [rendering.headline(_("No answer in this text"), quiet=True), rendering.unmarked(title, context)]
    best = result.best[0]
    return [rendering.headline(answer, detail=detail), rendering.marked(title, context, best.start, best.end)]


def _blocks(context: str, result: "QAResult", answer: str, options: "Settings") -> list[rendering.Block]:
    share = rendering.percent(result.best[0].probability) if answer else ""
    headline, text = marked_answer(context, result, answer, share)
    blocks = [headline]
    if result.guessed:
        warning = _("The model was not trained on the language of this question or text: its answer is a guess.")
        blocks.append(rendering.note(warning, warning=True))
    probability = _("Probability that the text does not answer the question")
    blocks += [text, rendering.bars(probability, [(_("No answer"), result.no_answer)], strong=-1)]
    if len(result.windows) > 1 and result.best:
        window = result.windows[result.best[0].window]
        blocks.append(
            rendering.note(
                _("The text was read in {n} windows; window {place} answered (characters {first} to {last}).").format(
                    place=result.best[0].window + 1,
                    n=len(result.windows),
                    first=f"{window.start + 1:,}",
                    last=f"{window.end:,}",
                )
            )
        )
    if options.candidates > 1 and len(result.best) > 1:
        rows = [
            (
                span.probability,
                span.start,
                span.end,
                _("window {n}").format(n=span.window + 1) if len(result.windows) > 1 else "",
            )
            for span in result.best[: options.candidates]
        ]
        blocks.append(rendering.candidates(_("Top answers"), context, rows))
    return blocks


def _facts(result: "QAResult", answer: str) -> dict[str, Any]:
    return {
        "answer": answer,
        "no_answer": round(result.no_answer, 6),
        "windows": len(result.windows),
        "guess": result.guessed,
        "best": [span.model_dump(mode="json", exclude={"window"}) for span in result.best],
        "cost": result.cost.as_dict(),
    }
