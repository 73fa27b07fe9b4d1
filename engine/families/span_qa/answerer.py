"""A trained span model that answers questions: windows in batches of one length, merged into answers."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.base.progress import Bar
from engine.data.batching import batches
from engine.data.question import Question
from engine.families.span_qa.windows import Window, cut, padded
from engine.recipes.loader import Recipe

BATCH = 16
"""Windows that are computed at once."""

CHUNK = 2000
"""Questions whose windows are in memory at once."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that may be the answer.

    Attributes:
        text: Cut from the text, as it is written there.
        start: Its first character.
        end: The character after its last.
        probability: Among all spans of the text that a window could give, "no answer" left out.
        window: Which window of the text it was found in, from 0.
    """

    text: str
    start: int
    end: int
    probability: float
    window: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says to one question.

    Attributes:
        best: The likeliest spans first; empty where the text is empty.
        nothing: Probability that the text does not answer the question: the model's weight on the first token of every
            window against its weight on the best span.
        windows: Windows that the text was cut into.
    """

    best: list[Span]
    nothing: float
    windows: int


@dataclass(frozen=True, slots=True)
class Scored:
    """The candidates of one window: logit sums and their tokens, likeliest first, and the logit sum of no answer.

    Attributes:
        sums: Start plus end logit, shape (candidates,).
        first: First token, shape (candidates,).
        last: Last token, shape (candidates,).
        mass: Log of the summed exponentials over every span of the window that is short enough.
        nothing: Start plus end logit of the window's first token.
    """

    sums: NDArray[np.float32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    mass: float
    nothing: float


def candidates(window: Window, logits: NDArray[np.float32], *, longest: int, keep: int) -> Scored:
    """The best spans of one window.

    Only tokens of the text count, an answer never ends before it begins, and it has at most ``longest`` tokens.

    Args:
        window: Its tokens.
        logits: Start and end logits, shape (tokens, 2).
        longest: Tokens of the longest answer.
        keep: Spans that are kept.
    """
    nothing = float(logits[0].sum())
    size = window.last - window.first + 1
    if size <= 0:
        empty = np.empty(0, dtype=np.int64)
        return Scored(np.empty(0, dtype=np.float32), empty, empty, -np.inf, nothing)
    width = min(longest, size)
    start, end = logits[window.first : window.last + 1].T
    # One row per width: end logits shifted against start logits; spans over the edge are impossible.
    padded = np.concatenate([end, np.full(width, -np.inf, dtype=np.float32)])
    table = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)[:size]
    flat = table.ravel()
    # Of equal spans at the edge the first ones are kept, whatever the partition did with them.
    least = np.partition(flat, -keep)[-keep] if keep < flat.size else -np.inf
    chosen = np.flatnonzero((flat >= least) & np.isfinite(flat))
    chosen = chosen[np.argsort(-flat[chosen], kind="stable")][:keep]
    top = float(flat.max())
    mass = top + float(np.log(np.exp(flat - top, dtype=np.float64).sum()))
    first = chosen // width
    return Scored(flat[chosen], window.first + first, window.first + first + chosen % width, mass, nothing)


def merged(context: str, windows: Sequence[Window], scored: Sequence[Scored], *, keep: int) -> Answer:
    """The answer to one question from all windows of its text.

    Logits of windows are compared as they are: each window's were made by the same network, and a window without the
    answer gives all its spans little (Clark and Gardner 2018 discuss the choice).

    Args:
        context: The text.
        windows: Its windows.
        scored: What ``candidates`` found in each.
        keep: Answers that are wanted.
    """
    rows = [
        (float(total), window_index, int(first), int(last))
        for window_index, window_scores in enumerate(scored)
        for total, first, last in zip(window_scores.sums, window_scores.first, window_scores.last, strict=True)
    ]
    rows.sort(key=lambda row: -row[0])
    if not rows:
        return Answer([], 1.0, len(windows))
    mass = float(np.logaddexp.reduce([window_scores.mass for window_scores in scored]))
    spans: dict[tuple[int, int], Span] = {}
    for total, window_index, first, last in rows:
        offsets = windows[window_index].offsets
        start, end = int(offsets[first, 0]), _whole(context, int(offsets[last, 1]))
        while start < end and context[start].isspace():  # a SentencePiece token begins with the space before its word
            start += 1
        if start < end and (start, end) not in spans:  # neighbouring windows see the same words twice
            spans[start, end] = Span(context[start:end], start, end, float(np.exp(total - mass)), window_index)
        if len(spans) == keep:
            break
    # A text gives no answer when not even its likeliest window does.
    gap = min(window.nothing - float(window.sums.max(initial=-np.inf)) for window in scored)
    return Answer(list(spans.values()), float(1 / (1 + np.exp(-np.clip(gap, -60, 60)))), len(windows))


def _whole(context: str, end: int) -> int:
    """The end of a span, moved behind the marks that belong to its last letter: some tokenizers drop accents."""
    while end < len(context) and unicodedata.category(context[end]).startswith("M"):
        end += 1
    return end


@dataclass(frozen=True)
class Read:
    """Questions as the model saw them: their windows, and the logits of each, shape (tokens, 2)."""

    windows: list[Window]
    logits: list[NDArray[np.float32]]

    def of(self, count: int) -> list[tuple[list[Window], list[NDArray[np.float32]]]]:
        """Windows and logits of each of ``count`` questions."""
        parts: list[tuple[list[Window], list[NDArray[np.float32]]]] = [([], []) for _ in range(count)]
        for window, logits in zip(self.windows, self.logits, strict=True):
            parts[window.question][0].append(window)
            parts[window.question][1].append(logits)
        return parts


class SpanNetwork(Protocol):
    """What gives the logits of a batch of windows, whoever computes it."""

    @property
    def positions(self) -> int | None:
        """Tokens that it can see at once; None where there is no limit."""

    @property
    def params(self) -> int:
        """Number of its parameters."""

    @property
    def bytes(self) -> int:
        """Of its weights in memory."""

    @property
    def threads(self) -> int:
        """Processor threads that it computes with."""

    @property
    def runtime(self) -> str:
        """What computes it: ``torch`` or ``onnx``."""

    def compute(
        self, ids: NDArray[np.int64], types: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Start and end logits, shape (batch, tokens, 2); those of padding mean nothing.

        Args:
            ids: Token ids, shape (batch, tokens).
            types: 0 in the question, 1 in the text, shape (batch, tokens).
            lengths: True lengths, shape (batch,).
        """


class Answerer:
    """A span model with its tokenizer and the recipe that made it.

    Attributes:
        params: Parameters of the network.
    """

    def __init__(self, recipe: Recipe, sha256: str, model: SpanNetwork, tokenizer: Tokenizer) -> None:
        """Take a trained model."""
        self.recipe, self.sha256, self.model, self.tokenizer = recipe, sha256, model, tokenizer
        self.params = model.params  # now: what is quantized later has weights that are no parameters

    @property
    def bytes(self) -> int:
        """See ``SpanNetwork``."""
        return self.model.bytes

    @property
    def runtime(self) -> str:
        """See ``SpanNetwork``."""
        return self.model.runtime

    def read(
        self, questions: Sequence[Question], bar: Bar | None = None, tick: Callable[[], None] = lambda: None
    ) -> Read:
        """Windows of the questions and their logits.

        Args:
            questions: With their texts.
            bar: Moves on by the questions that are done.
            tick: Called after every batch; a long pass must not look like a dead run.
        """
        windows = cut(self.tokenizer, questions, self.recipe.qa)
        done = 0

        def moved(count: int) -> None:
            nonlocal done
            before, done = done, done + count
            if bar:  # in whole questions, which are all done when all windows are
                bar.advance(done * len(questions) // len(windows) - before * len(questions) // len(windows))
            tick()

        return Read(windows, self.logits(windows, moved))

    def logits(
        self, windows: Sequence[Window], moved: Callable[[int], None] = lambda count: None
    ) -> list[NDArray[np.float32]]:
        """Start and end logits of each window, shape (tokens, 2), computed in batches of equal length.

        Args:
            windows: Any number of them.
            moved: Called after every batch with the number of its windows.
        """
        lengths = np.fromiter((len(window.ids) for window in windows), dtype=np.int64, count=len(windows))
        logits: list[NDArray[np.float32]] = [np.empty((0, 2), dtype=np.float32)] * len(windows)
        for index in batches(lengths, BATCH):
            outputs = self.model.compute(*padded(windows, index))
            for row, position in zip(outputs, index, strict=True):
                logits[position] = row[: lengths[position]]
            moved(len(index))
        return logits

    def answers(self, questions: Sequence[Question], read: Read, keep: int = 1) -> list[Answer]:
        """Answers from what was read, in the order of the questions; each with up to ``keep`` candidates."""
        longest = self.recipe.qa.answer_length
        best = []
        for question, (windows, logits) in zip(questions, read.of(len(questions)), strict=True):
            scored = [
                candidates(window, window_logits, longest=longest, keep=max(keep, 4))
                for window, window_logits in zip(windows, logits, strict=True)
            ]
            best.append(merged(question.context, windows, scored, keep=keep))
        return best

    def answer(
        self,
        questions: Sequence[Question],
        keep: int = 1,
        label: str | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[Answer]:
        """Answers one after the other; any number of questions in bounded memory.

        Args:
            questions: With their texts.
            keep: Candidates of each answer.
            label: Shows a progress bar under this name.
            tick: See ``read``.
        """
        with Bar(label, len(questions)) if label else nullcontext() as bar:
            for begin in range(0, len(questions), CHUNK):
                some = questions[begin : begin + CHUNK]
                yield from self.answers(some, self.read(some, bar, tick), keep)
