"""A question over a text, answered by a model in memory: where the answer stands, what else it may be, what it cost."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.base.errors import ModelError
from engine.data.batching import batches
from engine.families.span_qa import ask as asking
from engine.families.span_qa import windows
from engine.families.span_qa.answerer import Answer, Answerer, Read
from engine.families.span_qa.ask import LONGEST_CONTEXT, text_of
from engine.families.span_qa.files import Question
from engine.families.span_qa.windows import Window
from engine.inference.costs import Cost
from engine.inference.executor import Desk
from engine.inference.model_cache import Held

__all__ = ["LONGEST_CONTEXT", "LONGEST_QUESTION", "Reply", "answerer_of", "ask", "text_of"]

LONGEST_QUESTION = 1000
"""Characters; a model keeps its first 64 tokens."""

SLICE = 8
"""Windows that are computed in one turn; then others get theirs."""


@dataclass(frozen=True)
class Reply:
    """What a model says to one question.

    Attributes:
        found: Its answers; see ``engine.families.span_qa.answerer``.
        windows: First character and the one after the last that each window of the text shows.
        tokens: Of all windows, question included.
        guessed: The model cannot read question or text; see ``engine.families.span_qa.ask.unreadable``.
        cost: Milliseconds.
    """

    found: Answer
    windows: tuple[tuple[int, int], ...]
    tokens: int
    guessed: bool
    cost: Cost

    def text(self, threshold: float | None = None) -> str:
        """The answer; empty where "no answer" is likelier than ``threshold``."""
        return text_of(self.found, threshold)


def answerer_of(held: Held) -> Answerer:
    """The model as one that answers questions.

    Raises:
        ModelError: It does not.
    """
    if not isinstance(held.model, Answerer):
        raise ModelError(f"{held.choice.name} puts texts into classes and answers no questions.")
    return held.model


def ask(
    desk: Desk,
    held: Held,
    question: str,
    context: str,
    *,
    keep: int = 5,
    timeout_s: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Reply:
    """Answer one question.

    Args:
        desk: Where it is computed.
        held: A model that answers questions.
        question: At most ``LONGEST_QUESTION`` characters.
        context: At most ``LONGEST_CONTEXT`` characters; a long one is read in windows.
        keep: Candidates of the answer.
        timeout_s: Seconds that somebody waits for each turn at the desk.
        progress: Called with the share of the windows that is done, in the thread of the caller.

    Raises:
        DataError: Question or text is empty, too long, or no Unicode.
        ModelError: The model answers no questions.
        BusyError: Too many others wait.
        LateError: The time is up.
    """
    answerer = answerer_of(held)
    one = Question("question", question, context)
    asking.check([one], LONGEST_QUESTION)
    came = time.perf_counter()

    def begin() -> _Begun:
        """Tokens and, in the same turn, the first windows: of most texts, all of them."""
        started = time.perf_counter()
        cut = windows.cut(answerer.tokenizer, [one], answerer.recipe.qa)
        taken = time.perf_counter() - started
        guessed = asking.unreadable(answerer, one)
        lengths = np.fromiter((len(window.ids) for window in cut), dtype=np.int64, count=len(cut))
        order = batches(lengths, SLICE)
        return _Begun(cut, guessed, started - came, taken, order, _timed(answerer, cut, order[0]))

    begun = desk.do(begin, timeout_s)
    cut = begun.cut
    logits: list[NDArray[np.float32]] = [np.empty((0, 2), dtype=np.float32)] * len(cut)
    computed, done = 0.0, 0
    for number, index in enumerate(begun.order):
        found, taken = begun.first if number == 0 else desk.do(partial(_timed, answerer, cut, index), timeout_s)
        for place, row in zip(index, found, strict=True):
            logits[place] = row
        computed, done = computed + taken, done + len(index)
        progress(done / len(cut))
    started = time.perf_counter()
    answer = answerer.answers([one], Read(cut, logits), keep)[0]
    decoded = time.perf_counter() - started
    shown = tuple(
        (int(window.offsets[window.first, 0]), int(window.offsets[window.last, 1]))
        if window.last >= window.first
        else (0, 0)
        for window in cut
    )
    cost = Cost(1e3 * begun.waited_s, 1e3 * begun.tokenised_s, 1e3 * computed, 1e3 * decoded)
    return Reply(answer, shown, sum(len(window.ids) for window in cut), begun.guessed, cost)


@dataclass(frozen=True)
class _Begun:
    """What a first turn brings: windows in batches, and the logits of the first batch with the seconds they took."""

    cut: list[Window]
    guessed: bool
    waited_s: float
    tokenised_s: float
    order: list[NDArray[np.int64]]
    first: tuple[list[NDArray[np.float32]], float]


def _timed(answerer: Answerer, cut: list[Window], index: NDArray[np.int64]) -> tuple[list[NDArray[np.float32]], float]:
    started = time.perf_counter()
    return answerer.logits([cut[place] for place in index]), time.perf_counter() - started
