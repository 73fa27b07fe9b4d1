"""Questions and their texts as token windows that a model can see at once.

A text that is longer than a window is cut into overlapping ones; every window repeats the question. Offsets say where
in the text each token stands, so that an answer is always cut from the text itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.base.errors import RecipeError
from engine.base.progress import Bar
from engine.data.question import Question
from engine.recipes.schema import QAConfig

CHUNK = 1000
"""Questions that are tokenized at once."""


@dataclass(frozen=True, slots=True)
class Window:
    """One window.

    Attributes:
        question: Position of the question in its set.
        ids: Token ids, shape (tokens,).
        types: 0 for the question, 1 for the text, shape (tokens,).
        offsets: First character and the one after the last of each token in question or text, shape (tokens, 2).
        first: The first token of the text.
        last: The last one; below ``first`` where the text is empty.
    """

    question: int
    ids: NDArray[np.int32]
    types: NDArray[np.int8]
    offsets: NDArray[np.int32]
    first: int
    last: int


def cut(
    tokenizer: Tokenizer, questions: Sequence[Question], settings: QAConfig, label: str | None = None
) -> list[Window]:
    """Windows of all questions, in their order.

    Args:
        tokenizer: Of the model; it puts the special tokens of a pair around question and text. Left with these
            settings of its own.
        questions: With their texts.
        settings: The recipe's ``qa`` section.
        label: Shows a progress bar under this name.

    Raises:
        RecipeError: A window has no room for the question, the tokenizer's special tokens and more text than it shares
            with the next.
    """
    special = tokenizer.num_special_tokens_to_add(is_pair=True)
    if settings.max_length - settings.question_length - special <= settings.stride:
        raise RecipeError(
            f"qa.max_length = {settings.max_length}: this tokenizer adds {special} tokens, so that with qa.stride = "
            f"{settings.stride} and qa.question_length = {settings.question_length} a window would hold no new text."
        )
    tokenizer.no_padding()
    tokenizer.no_truncation()
    shortened = _shortened(tokenizer, [question.question for question in questions], settings.question_length)
    tokenizer.enable_truncation(settings.max_length, stride=settings.stride, strategy="only_second")
    windows: list[Window] = []
    bar = Bar(label, len(questions)) if label else None
    if bar:
        bar.__enter__()
    try:
        for begin in range(0, len(questions), CHUNK):
            pairs = [(shortened[i], questions[i].context) for i in range(begin, min(begin + CHUNK, len(questions)))]
            for position, encoding in enumerate(tokenizer.encode_batch(pairs), start=begin):
                windows += [_window(position, part) for part in (encoding, *encoding.overflowing)]
            if bar:
                bar.advance(len(pairs))
    finally:
        if bar:
            bar.__exit__()
        tokenizer.no_truncation()
    return windows


def whole(tokenizer: Tokenizer, questions: Sequence[Question], positions: int) -> list[Window]:
    """One window of each question and its text, cut off where the positions end, the longer of the two first."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(positions, strategy="longest_first")
    try:
        encodings = tokenizer.encode_batch([(question.question, question.context) for question in questions])
        return [_window(position, encoding) for position, encoding in enumerate(encodings)]
    finally:
        tokenizer.no_truncation()


def _shortened(tokenizer: Tokenizer, questions: Sequence[str], tokens: int) -> list[str]:
    shortened = list(questions)
    long = list(range(len(shortened)))
    # A character may be several tokens (a syllable that is taken apart into letters), and the beginning of a text may
    # be cut into other tokens than the text: what is shortened is looked at again.
    while long:
        offsets = [
            encoding.offsets
            for encoding in tokenizer.encode_batch([shortened[i] for i in long], add_special_tokens=False)
        ]
        cut = [(i, places[tokens][0]) for i, places in zip(long, offsets, strict=True) if len(places) > tokens]
        for index, end in cut:
            shortened[index] = shortened[index][:end]
        long = [index for index, _ in cut]
    return shortened


def _window(position: int, encoding: Any) -> Window:
    parts = encoding.sequence_ids
    inside = [index for index, part in enumerate(parts) if part == 1]
    first, last = (inside[0], inside[-1]) if inside else (len(parts), len(parts) - 1)
    return Window(
        position,
        np.asarray(encoding.ids, dtype=np.int32),
        np.asarray(encoding.type_ids, dtype=np.int8),
        np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2),
        first,
        last,
    )


def padded(
    windows: Sequence[Window], index: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ids, types and lengths of some windows, padded with zeros to the longest; shapes (batch, tokens), (batch,)."""
    chosen = [windows[i] for i in index]
    lengths = np.fromiter((len(window.ids) for window in chosen), dtype=np.int64, count=len(chosen))
    ids = np.zeros((len(chosen), lengths.max()), dtype=np.int64)
    types = np.zeros_like(ids)
    for row, window in enumerate(chosen):
        ids[row, : lengths[row]] = window.ids
        types[row, : lengths[row]] = window.types
    return ids, types, lengths


def targets(windows: Sequence[Window], questions: Sequence[Question]) -> NDArray[np.int64]:
    """First and last token of the first gold answer in each window, shape (windows, 2).

    A window that does not hold the whole answer points at its first token, which stands for "not here". What no token
    covers, such as a space at the answer's end, does not count.

    Args:
        windows: All windows of the questions, in order.
        questions: With their answers.
    """
    places = np.zeros((len(windows), 2), dtype=np.int64)
    for number, window in enumerate(windows):
        golds = questions[window.question].answers
        if not golds or window.last < window.first:
            continue
        start, end = golds[0].start, golds[0].start + len(golds[0].text)
        text = window.offsets[window.first : window.last + 1]
        opens = number == 0 or windows[number - 1].question != window.question
        closes = number + 1 == len(windows) or windows[number + 1].question != window.question
        if (text[0, 0] > start and not opens) or (text[-1, 1] < end and not closes):
            continue
        # The first token that reaches into the answer, and the last one that begins in it.
        first = int(np.searchsorted(text[:, 1], start, side="right"))
        last = int(np.searchsorted(text[:, 0], end, side="left")) - 1
        if first <= last:
            places[number] = window.first + first, window.first + last
    return places
