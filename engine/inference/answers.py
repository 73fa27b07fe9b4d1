"""Answer a question over a text by a model in memory."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.base.errors import ModelError
from engine.data.batching import batches
from engine.data.question import Question
from engine.families.span_qa import ask as span_qa
from engine.families.span_qa import windows
from engine.families.span_qa.answerer import Answerer, Read
from engine.families.span_qa.ask import LONGEST_CONTEXT, text_of
from engine.families.span_qa.windows import Window
from engine.inference import schemas
from engine.inference.model_cache import InferenceExecutor, LoadedModel
from engine.inference.schemas import Candidate, Cost, QAResult

__all__ = ["LONGEST_CONTEXT", "LONGEST_QUESTION", "answerer_of", "ask"]

LONGEST_QUESTION = 1000
"""Characters; a model keeps its first 64 tokens."""

SLICE = 8
"""Windows that are computed in one turn; then others get theirs."""


def answerer_of(model: LoadedModel) -> Answerer:
    """The model as one that answers questions.

    Raises:
        ModelError: It is a classifier.
    """
    if not isinstance(model.model, Answerer):
        raise ModelError(f"{model.ref.name} classifies texts and answers no questions.")
    return model.model


def ask(
    executor: InferenceExecutor,
    model: LoadedModel,
    question: str,
    context: str,
    *,
    keep: int = 5,
    timeout_s: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> QAResult:
    """Answer one question.

    Args:
        executor: Where it is computed.
        model: A model that answers questions.
        question: At most ``LONGEST_QUESTION`` characters.
        context: At most ``LONGEST_CONTEXT`` characters; a long one is read in windows.
        keep: Candidates of the answer.
        timeout_s: Seconds that the client waits for each turn of the executor.
        progress: Called with the share of the windows that is done, in the thread of the caller.

    Raises:
        DataError: Question or text is empty, too long, or no Unicode.
        ModelError: The model answers no questions.
        BusyError: Too many others wait.
        LateError: The time is up.
    """
    answerer = answerer_of(model)
    item = Question("question", question, context)
    span_qa.check([item], LONGEST_QUESTION)
    queued = time.perf_counter()

    def begin() -> _FirstTurn:
        started = time.perf_counter()
        cut = windows.cut(answerer.tokenizer, [item], answerer.recipe.qa)
        tokenised = time.perf_counter() - started
        guessed = span_qa.unreadable(answerer, item)
        lengths = np.fromiter((len(window.ids) for window in cut), dtype=np.int64, count=len(cut))
        order = batches(lengths, SLICE)
        return _FirstTurn(cut, guessed, started - queued, tokenised, order, _logits(answerer, cut, order[0]))

    first = executor.do(begin, timeout_s)
    cut = first.windows
    logits: list[NDArray[np.float32]] = [np.empty((0, 2), dtype=np.float32)] * len(cut)
    computed, done = 0.0, 0
    for number, index in enumerate(first.order):
        rows, seconds = first.logits if number == 0 else executor.do(partial(_logits, answerer, cut, index), timeout_s)
        for position, row in zip(index, rows, strict=True):
            logits[position] = row
        computed, done = computed + seconds, done + len(index)
        progress(done / len(cut))
    started = time.perf_counter()
    answer = answerer.answers([item], Read(cut, logits), keep)[0]
    return QAResult(
        answer=text_of(answer, None),
        no_answer=answer.nothing,
        best=[
            Candidate(text=span.text, start=span.start, end=span.end, probability=span.probability, window=span.window)
            for span in answer.best
        ],
        windows=[_extent(window) for window in cut],
        tokens=sum(len(window.ids) for window in cut),
        guessed=first.guessed,
        cost=Cost(
            waited_ms=1e3 * first.waited_s,
            tokenise_ms=1e3 * first.tokenised_s,
            model_ms=1e3 * computed,
            decode_ms=1e3 * (time.perf_counter() - started),
        ),
    )


@dataclass(frozen=True)
class _FirstTurn:
    """Windows in batches, and the logits of the first batch with their seconds: of most texts, all of them."""

    windows: list[Window]
    guessed: bool
    waited_s: float
    tokenised_s: float
    order: list[NDArray[np.int64]]
    logits: tuple[list[NDArray[np.float32]], float]


def _extent(window: Window) -> schemas.Window:
    if window.last < window.first:
        return schemas.Window(start=0, end=0)
    return schemas.Window(start=int(window.offsets[window.first, 0]), end=int(window.offsets[window.last, 1]))


def _logits(answerer: Answerer, cut: list[Window], index: NDArray[np.int64]) -> tuple[list[NDArray[np.float32]], float]:
    started = time.perf_counter()
    return answerer.logits([cut[position] for position in index]), time.perf_counter() - started
