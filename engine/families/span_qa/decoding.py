"""From logits to answers: the best spans over all windows of a text, cut from it by their offsets."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.families.span_qa.windows import Window


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


def answer(context: str, windows: Sequence[Window], scored: Sequence[Scored], *, keep: int) -> Answer:
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
        (float(total), place, int(first), int(last))
        for place, one in enumerate(scored)
        for total, first, last in zip(one.sums, one.first, one.last, strict=True)
    ]
    rows.sort(key=lambda row: -row[0])
    if not rows:
        return Answer([], 1.0, len(windows))
    mass = float(np.logaddexp.reduce([one.mass for one in scored]))
    found: dict[tuple[int, int], Span] = {}
    for total, place, first, last in rows:
        offsets = windows[place].offsets
        start, end = int(offsets[first, 0]), _whole(context, int(offsets[last, 1]))
        if (start, end) not in found:  # neighbouring windows see the same words twice
            found[start, end] = Span(context[start:end], start, end, float(np.exp(total - mass)), place)
        if len(found) == keep:
            break
    # A text gives no answer when not even its likeliest window does.
    gap = min(one.nothing - (float(one.sums[0]) if len(one.sums) else -np.inf) for one in scored)
    return Answer(list(found.values()), float(1 / (1 + np.exp(-np.clip(gap, -60, 60)))), len(windows))


def _whole(context: str, end: int) -> int:
    """The end of a span, moved behind the marks that belong to its last letter: some tokenizers drop accents."""
    while end < len(context) and unicodedata.category(context[end]).startswith("M"):
        end += 1
    return end
