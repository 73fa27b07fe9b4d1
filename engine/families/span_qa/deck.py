"""The evaluation of the slide deck (004_7d812c1ddacb6f6c.txt), done as its code does it.

Question and text go in together, cut off at the model's 512 positions, or at fewer where it has fewer; the likeliest
start and the likeliest end are taken each by itself, wherever they are; the answer is what the tokenizer joins from the
tokens between. An end before the start gives an empty answer. Its figures compare with the deck's own alone.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.families.span_qa import single_window
from engine.families.span_qa.answerer import Answerer, Read
from engine.families.span_qa.questions import Question
from engine.families.span_qa.windows import Window

POSITIONS = 512
"""Of the models of the deck."""


def answers(answerer: Answerer, questions: Sequence[Question], read: Read) -> list[str]:
    """The answers that the deck's code would give.

    Args:
        answerer: The model.
        questions: With their texts.
        read: The same questions in windows: where one window held the whole text, its logits serve again.
    """
    seen, logits = single_window.logits(answerer, questions, read, POSITIONS)
    return [_joined(answerer, window, found) for window, found in zip(seen, logits, strict=True)]


def _joined(answerer: Answerer, window: Window, logits: NDArray[np.float32]) -> str:
    start, end = logits.argmax(axis=0)
    return answerer.tokenizer.decode(window.ids[start : end + 1].tolist(), skip_special_tokens=False)
