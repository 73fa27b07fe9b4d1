"""Evaluate question answering as the two seed documents do, so that a run compares with the rows that they print.

The slide deck (004_7d812c1ddacb6f6c.txt): question and text go in together, cut off at the model's 512 positions, or at
fewer where it has fewer; the likeliest start and the likeliest end are taken each by itself; the answer is what the
tokenizer joins from the tokens between. An end before the start gives an empty answer.

The small BERT (002_f123daafd2f5ddb9.txt): cut off at 384 positions. It counts both ends together: its accuracy is read
here as the mean of the start's and the end's, its loss as the sum of theirs. What it did with answers behind the cut is
not written; they are left out here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from engine.data.question import Question
from engine.families.span_qa.answerer import Answerer, Read
from engine.families.span_qa.windows import Window, targets, whole

DECK_POSITIONS = 512
"""Of the models of the deck."""


ENDS_POSITIONS = 384
"""Of the models of the document (n_seq)."""


def deck_answers(answerer: Answerer, questions: Sequence[Question], read: Read) -> list[str]:
    """Answer questions as the deck's code does.

    Args:
        answerer: The model.
        questions: With their texts.
        read: The same questions in windows: where one window held the whole text, its logits serve again.
    """
    seen, logits = _single_windows(answerer, questions, read, DECK_POSITIONS)
    return [_joined(answerer, window, window_logits) for window, window_logits in zip(seen, logits, strict=True)]


def _joined(answerer: Answerer, window: Window, logits: NDArray[np.float32]) -> str:
    start, end = logits.argmax(axis=0)
    return answerer.tokenizer.decode(window.ids[start : end + 1].tolist(), skip_special_tokens=False)


@dataclass(frozen=True)
class Ends:
    """How well the ends of some questions' answers were found.

    Attributes:
        right: Share of the two ends that is right, 0, 0.5 or 1, shape (questions,).
        loss: Sum of both cross-entropies, shape (questions,).
    """

    right: NDArray[np.float64]
    loss: NDArray[np.float64]


def answer_ends(answerer: Answerer, questions: Sequence[Question], read: Read) -> Ends:
    """Score the ends of the answers that lie before the cut.

    Args:
        answerer: The model.
        questions: With their gold answers.
        read: The same questions in windows.
    """
    seen, logits = _single_windows(answerer, questions, read, ENDS_POSITIONS)
    right, loss = [], []
    for window, scores, (start, end) in zip(seen, logits, targets(seen, questions), strict=True):
        cut_off = questions[window.question].answers[0].start + len(questions[window.question].answers[0].text)
        if end < window.first or window.offsets[window.last, 1] < cut_off:
            continue
        places = np.array([start, end])
        right.append((scores.argmax(axis=0) == places).mean())
        loss.append(-log_softmax(scores.astype(np.float64), axis=0)[places, [0, 1]].sum())
    return Ends(np.array(right), np.array(loss))


def join_ends(parts: Sequence[Ends]) -> Ends:
    """Join the parts of one split."""
    empty = np.empty(0)
    return Ends(
        np.concatenate([empty, *(part.right for part in parts)]),
        np.concatenate([empty, *(part.loss for part in parts)]),
    )


def _single_windows(
    answerer: Answerer, questions: Sequence[Question], read: Read, positions: int
) -> tuple[list[Window], list[NDArray[np.float32]]]:
    """Read questions as one window each, cut off where the positions end; the logits of each have shape (tokens, 2).

    Args:
        answerer: The model.
        questions: With their texts.
        read: The same questions in overlapping windows: where one of them held the whole text, its logits serve again.
        positions: Tokens of a window, or fewer where the model has fewer.
    """
    seen = whole(answerer.tokenizer, questions, min(positions, answerer.model.positions or positions))
    parts = read.of(len(questions))
    again = [
        position
        for position, (window, (windows, _)) in enumerate(zip(seen, parts, strict=True))
        if len(windows) != 1 or not np.array_equal(windows[0].ids, window.ids)
    ]
    fresh = dict(zip(again, answerer.logits([seen[position] for position in again]), strict=True))
    return seen, [fresh[position] if position in fresh else known[0] for position, (_, known) in enumerate(parts)]
