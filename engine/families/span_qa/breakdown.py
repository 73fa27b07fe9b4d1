"""Where a model fails: F1 by the question word, by the answer's length and by the text's."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from db.runs.writer import Slice
from engine.families.span_qa import metrics
from engine.families.span_qa.questions import Question

_ENGLISH = ("what", "who", "when", "where", "which", "why", "how many", "how much", "how")
_KOREAN = ("누구", "언제", "어디", "무엇", "얼마", "몇", "어느", "어떤", "왜", "무슨")
_ALONE = "왜"
"""Takes no ending, and stands inside other words, such as the name of the war 임진왜란."""
_NAMES = {"en": _ENGLISH, "ko": _KOREAN}
FEWEST = 5
"""Questions below which a part is too small to say anything, and is left out."""


def slices(language: str, asked: Sequence[Question], overlap: NDArray[np.float64]) -> list[Slice]:
    """F1 of parts of the questions.

    Args:
        language: Of the task; it decides the question words.
        asked: The questions.
        overlap: F1 of each, shape (questions,).
    """
    facets: dict[str, Callable[[Question], str]] = {
        "question word": lambda one: question_word(one.question, language),
        "answer length": lambda one: _range(len(one.answers[0].text.split()), (1, 2, 3, 5, 10), "word"),
        "text length": lambda one: _range(len(one.context.split()), (75, 100, 150, 200, 300), "word"),
    }
    found = []
    for facet, name in facets.items():
        parts: dict[str, list[int]] = {}
        for place, one in enumerate(asked):
            parts.setdefault(name(one), []).append(place)
        for bucket, places in parts.items():
            if len(places) >= FEWEST:
                value = metrics.mean("f1", overlap[places])
                found.append(Slice(facet, bucket, value))
    return found


def question_word(question: str, language: str) -> str:
    """The first question word that stands in a question, by its place; "other" where there is none."""
    text = question.lower()
    names = _NAMES.get(language, _ENGLISH)
    # A Korean question word carries endings; an English one is a word of its own. Longer ones go first.
    whole = [rf"\b{name}\b" if names is _ENGLISH or name == _ALONE else name for name in names]
    found = re.search("|".join(whole), text)
    return found.group() if found else "other"


def _range(count: int, steps: tuple[int, ...], unit: str) -> str:
    """The step that a count belongs to: ``1 word``, ``4 to 5 words``, ``over 300 words``."""
    below = 0
    for step in steps:
        if count <= step:
            low = below + 1
            return f"{low} {unit}{'s' if low > 1 else ''}" if low == step else f"{low} to {step} {unit}s"
        below = step
    return f"over {steps[-1]} {unit}s"
