"""The effect of each part of a text on a classifier's verdict, by leaving it out (occlusion)."""

from collections.abc import Callable

import numpy as np
import regex
from numpy.typing import NDArray

from engine.inference.classification import classifier_of, labels_of
from engine.inference.model_cache import InferenceExecutor, LoadedModel
from engine.inference.schemas import Attribution, Verdict
from engine.networks.classifier import Classifier, probabilities_of

MAX_PARTS = 96
"""Parts that a text is cut into, each left out once; of a longer text, neighbouring words go together."""

SLICE = 32
"""Texts that are computed in one turn; then others get theirs."""

_LONG_WORD = 8
"""Graphemes from which a word without spaces is taken apart, where its script sets no spaces between words."""

_PIECE = 2
"""Graphemes of such a part."""

_GRAPHEME = regex.compile(r"\X")
_PICTURE = regex.compile(r"\p{Extended_Pictographic}")
_SPACED = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{M}\d\p{P}\p{S}]+")


def attribute(
    executor: InferenceExecutor,
    model: LoadedModel,
    texts: tuple[str, ...],
    verdict: Verdict,
    *,
    timeout_s: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Attribution]:
    """Leave out each part of the texts in turn, and classify the rest again.

    Args:
        executor: Where it is computed.
        model: The classifier.
        texts: Those of the verdict.
        verdict: Of ``classification.classify``.
        timeout_s: Seconds that the client waits for each turn.
        progress: Called with the share of the parts that is done, in the thread of the caller.
    """
    classifier = classifier_of(model)
    labels = labels_of(classifier)
    parts = parts_of(texts)
    results: list[Attribution] = []
    for begin in range(0, len(parts), SLICE):
        chunk = parts[begin : begin + SLICE]
        rest = [
            tuple(text[:start] + text[end:] if number == part else text for number, text in enumerate(texts))
            for part, start, end in chunk
        ]
        for (part, start, end), row in zip(chunk, executor.do(_classify(classifier, rest), timeout_s), strict=True):
            label = labels[int(row.argmax())]
            results.append(
                Attribution(
                    part=part,
                    start=start,
                    end=end,
                    weight=verdict.probabilities[verdict.label] - float(row[labels.index(verdict.label)]),
                    turns=None if label == verdict.label else label,
                )
            )
        progress(len(results) / len(parts))
    return results


def _classify(classifier: Classifier, texts: list[tuple[str, ...]]) -> Callable[[], NDArray[np.float64]]:
    return lambda: probabilities_of(classifier.prepare(texts))


def parts_of(texts: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """The parts that are left out one by one: number of the text, start and end."""
    limit = MAX_PARTS // len(texts)
    return [(part, start, end) for part, text in enumerate(texts) for start, end in units(text, limit)]


def units(text: str, limit: int = MAX_PARTS) -> list[tuple[int, int]]:
    """Cut one text into parts, as (start, end).

    Words between spaces; pictures (emoji) for themselves; a long word of a script that sets few spaces, such as Korean
    in a hurry, in parts of two graphemes. A grapheme is never cut.
    """
    parts: list[tuple[int, int]] = []
    for word in regex.finditer(r"\S+", text):
        parts += _split(word.group(), word.start())
    if len(parts) <= limit:
        return parts
    step = -(-len(parts) // limit)
    groups = [parts[begin : begin + step] for begin in range(0, len(parts), step)]
    return [(group[0][0], group[-1][1]) for group in groups]


def _split(word: str, begin: int) -> list[tuple[int, int]]:
    graphemes = [(begin + match.start(), begin + match.end(), match.group()) for match in _GRAPHEME.finditer(word)]
    split = len(graphemes) > _LONG_WORD and not _SPACED.fullmatch(word)
    parts: list[tuple[int, int]] = []
    size = 0  # graphemes of the part that is open
    for start, end, grapheme in graphemes:
        picture = bool(_PICTURE.search(grapheme)) and not grapheme.isdigit()
        if picture or size == 0 or (split and size == _PIECE):
            parts.append((start, end))
            size = 0 if picture else 1
        else:
            parts[-1] = (parts[-1][0], end)
            size += 1
    return parts
