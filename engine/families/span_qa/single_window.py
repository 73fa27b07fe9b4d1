"""Questions as one window each, cut off where a model's positions end: how both seed documents read them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.families.span_qa.answerer import Answerer, Read
from engine.families.span_qa.questions import Question
from engine.families.span_qa.windows import Window, whole


def logits(
    answerer: Answerer, questions: Sequence[Question], read: Read, positions: int
) -> tuple[list[Window], list[NDArray[np.float32]]]:
    """The windows of some questions and the logits of each, shape (tokens, 2).

    Args:
        answerer: The model.
        questions: With their texts.
        read: The same questions in overlapping windows: where one of them held the whole text, its logits serve again.
        positions: Tokens of a window, or fewer where the model has fewer.
    """
    seen = whole(answerer.tokenizer, questions, min(positions, answerer.model.positions or positions))
    parts = read.of(len(questions))
    again = [
        place
        for place, (window, (windows, _)) in enumerate(zip(seen, parts, strict=True))
        if len(windows) != 1 or not np.array_equal(windows[0].ids, window.ids)
    ]
    fresh = dict(zip(again, answerer.logits([seen[place] for place in again]), strict=True))
    return seen, [fresh[place] if place in fresh else found[0] for place, (_, found) in enumerate(parts)]
