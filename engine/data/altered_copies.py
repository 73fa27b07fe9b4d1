"""Copies of training examples with some words changed: texts without labels for a teacher, made from those at hand.

The rules of Tang et al. 2019 (arXiv 1903.12136) without a tagger: a word is left out or replaced by any other, drawn by
frequency, and now and then a short run of words stands for the whole text. Of a pair the second text, the first and
both change in turn.
"""

import numpy as np
from numpy.typing import NDArray

from engine.data.corpora import UNLABELLED
from engine.data.text_sets import TextSet, make_set

LEFT_OUT, REPLACED = 0.1, 0.1
"""Probability of each word."""

SHORTENED, LONGEST_RUN = 0.25, 5
"""Probability that a text is cut to a run of its words, and the words of the longest."""

SEED = 0


def altered_copies(train: TextSet, index: NDArray[np.int64], copies: int) -> TextSet:
    """Make copies of examples with changed words; the same ones for every recipe and seed.

    Args:
        train: A training split.
        index: The positions that are copied; others are not read.
        copies: Of each example.

    Returns:
        Texts without labels, each once; a copy that equals an example is left out.
    """
    generator = np.random.default_rng(SEED)
    texts = [train.texts[i] for i in index]
    words = np.array([word for text in texts for part in text for word in part.split()])
    known, made = set(texts), dict[str, tuple[str, ...]]()
    for copy in range(copies):
        for position, text in zip(index, texts, strict=True):
            changed = _turn(len(text), copy)
            new = tuple(_altered(part, words, generator) if i in changed else part for i, part in enumerate(text))
            if new not in known:
                known.add(new)
                made[f"{train.ids[position]}-altered-{copy}"] = new
    return make_set(list(made), list(made.values()), np.full(len(made), UNLABELLED, dtype=np.int64))


def _turn(parts: int, copy: int) -> tuple[int, ...]:
    """Which texts of an example change in a copy."""
    return ((1,), (0,), (0, 1))[copy % 3] if parts == 2 else tuple(range(parts))


def _altered(text: str, words: NDArray[np.str_], generator: np.random.Generator) -> str:
    own = text.split()
    draws = generator.random(len(own))
    others = words[generator.integers(0, len(words), len(own))]
    remaining = [
        str(other) if draw < LEFT_OUT + REPLACED else word
        for word, other, draw in zip(own, others, draws, strict=True)
        if draw >= LEFT_OUT
    ]
    if remaining and generator.random() < SHORTENED:
        length = int(generator.integers(1, LONGEST_RUN + 1))
        start = int(generator.integers(0, max(1, len(remaining) - length + 1)))
        remaining = remaining[start : start + length]
    return " ".join(remaining) or text
