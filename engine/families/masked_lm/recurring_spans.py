"""Spans of words that recur in a block: all but one are hidden, and the one that is left is to be pointed at.

Ram et al. 2021, "Few-Shot Question Answering by Pretraining Span Selection" (Splinter). They compare whole words.
Korean puts particles on its nouns, so here a span may also end before a particle, as "서울" in "서울은".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from engine.families.masked_lm.blocks import Blocks, Example, Starts, Tokens, Vocabulary

LONGEST = 10
"""Words of the longest span (Ram et al. 2021, section 3)."""

MAX_QUESTIONS = 30
"""Spans that are hidden in a block, at most (section 4.1)."""

FREQUENT = 200
"""A span of nothing but so many of the most frequent tokens is left out, as theirs of stop words alone (section 3)."""

PARTICLES = re.compile(
    "은|는|이|가|을|를|의|에|에서|에게|에는|에서는|에도|로|으로|로는|으로는|로서|으로서|와|과|도|만|까지|부터|보다|처럼|"
    "이나|인|이다|이며|이고|였다|이었다"
)
"""What stands behind Korean nouns and is not a part of them, as separate pieces: a span ends before it."""

NOWHERE = -1
"""Stands for the answer of a question that only fills up a row."""

Cluster = list[tuple[int, int]]
"""First token and the one after the last of each occurrence of a span, in order."""


@dataclass(frozen=True)
class Questions:
    """Hidden spans of a block.

    Attributes:
        example: The block, in which one token stands for each hidden span.
        places: Where these tokens are, rising, shape (questions,).
        answers: First and last token of the occurrence that is left of each, shape (questions, 2).
    """

    example: Example
    places: NDArray[np.int64]
    answers: NDArray[np.int64]


@dataclass(frozen=True)
class SpanTokens:
    """What the tokens of a vocabulary are to a span.

    Attributes:
        frequent: Of each token of the vocabulary, whether it is too common to make a span alone, shape (tokens,).
        outside: Of each token, whether it neither begins nor ends a span: punctuation and particles, shape (tokens,).
        metric: What the share of right answers is called.
        stream: Keeps these draws apart from those of hidden words (none), second texts (1) and each other.
    """

    metric: ClassVar[str]
    stream: ClassVar[int]
    frequent: NDArray[np.bool_]
    outside: NDArray[np.bool_]

    @staticmethod
    def count(blocks: Blocks, vocabulary: Vocabulary) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """``frequent`` and ``outside`` of a vocabulary, by the tokens of what is learned from."""
        size = vocabulary.size
        counts = np.zeros(size, dtype=np.int64)
        for block in blocks.sequences:
            counts += np.bincount(block, minlength=size)
        frequent = np.zeros(size, dtype=np.bool_)
        frequent[np.argsort(-counts, kind="stable")[: min(FREQUENT, size // 8)]] = True
        outside = np.zeros(size, dtype=np.bool_)
        for piece, token in vocabulary.tokenizer.get_vocab().items():
            inside = piece.removeprefix("##")
            outside[token] = bool(PARTICLES.fullmatch(inside)) or not any(character.isalnum() for character in inside)
        outside[list(vocabulary.special)] = True
        return frequent, outside

    def hide(self, example: Example, seed: int, epoch: int, position: int) -> Questions:
        """Hide spans of a block; the same numbers hide the same ones.

        Args:
            example: It must say where words begin.
            seed: Of the run.
            epoch: From 0.
            position: The block's position in its set.
        """
        assert example.starts is not None  # noqa: S101 - the family reads blocks with words
        numbers = np.random.SeedSequence([seed, epoch, position, self.stream])
        return self._hide(example, example.starts, np.random.default_rng(numbers))

    def _hide(self, example: Example, starts: Starts, generator: np.random.Generator) -> Questions:
        raise NotImplementedError


@dataclass(frozen=True)
class RecurringSpans(SpanTokens):
    """How spans are hidden.

    Attributes:
        mask: The token that stands for a hidden span.
    """

    metric, stream = "recurring_span_accuracy", 2
    mask: int

    @classmethod
    def of(cls, blocks: Blocks, vocabulary: Vocabulary, mask: int) -> "RecurringSpans":
        """Count the tokens of what is learned from."""
        return cls(*cls.count(blocks, vocabulary), mask)

    def clusters(self, ids: Tokens, starts: Starts) -> list[Cluster]:
        """Spans that occur more than once, the longest first; no token is in two of them.

        Args:
            ids: Shape (tokens,).
            starts: Which tokens begin a word, shape (tokens,).
        """
        free = np.ones(len(ids), dtype=np.bool_)
        by_length = self._candidates(ids, starts)
        clusters: list[Cluster] = []
        for length in sorted(by_length, reverse=True):
            for places in by_length[length].values():
                apart: Cluster = []
                for begin, end in places if len(places) > 1 else ():
                    if free[begin:end].all() and (not apart or begin >= apart[-1][1]):
                        apart.append((begin, end))
                if len(apart) > 1:
                    clusters.append(apart)
                    for begin, end in apart:
                        free[begin:end] = False
        return clusters

    def _candidates(self, ids: Tokens, starts: Starts) -> dict[int, dict[bytes, Cluster]]:
        """All spans that could be hidden, by their number of tokens and by their text."""
        outside, word = self.outside[ids], np.cumsum(starts)
        rare = np.cumsum(~self.frequent[ids] & ~outside)
        # A span ends before a word, or before a particle.
        closes = np.append(starts | outside, True)[1:] & ~outside
        made: dict[int, dict[bytes, Cluster]] = {}
        for begin in np.flatnonzero(starts & ~outside):
            behind = int(np.searchsorted(word, word[begin] + LONGEST))
            rarer = rare[begin:behind] > (rare[begin - 1] if begin else 0)
            for last in begin + np.flatnonzero(closes[begin:behind] & rarer):
                same = made.setdefault(int(last + 1 - begin), {})
                same.setdefault(ids[begin : last + 1].tobytes(), []).append((int(begin), int(last + 1)))
        return made

    def _hide(self, example: Example, starts: Starts, generator: np.random.Generator) -> Questions:
        """Hide all occurrences but one of the recurring spans of a block."""
        clusters = self.clusters(example.ids, starts)
        hidden: list[tuple[int, int, tuple[int, int]]] = []
        for number in generator.permutation(len(clusters)):
            left = int(generator.integers(len(clusters[number])))
            others = [span for i, span in enumerate(clusters[number]) if i != left]
            if len(hidden) + len(others) <= MAX_QUESTIONS:
                hidden += [(*span, clusters[number][left]) for span in others]
        hidden.sort()
        keep = np.ones(len(example.ids), dtype=np.bool_)
        ids = example.ids.copy()
        for begin, end, _ in hidden:
            ids[begin], keep[begin + 1 : end] = self.mask, False
        moved = np.cumsum(keep) - 1
        return Questions(
            replace(
                example,
                ids=ids[keep],
                starts=starts[keep],
                types=None if example.types is None else example.types[keep],
            ),
            np.array([moved[begin] for begin, _, _ in hidden], dtype=np.int64),
            np.array([(moved[first], moved[last - 1]) for *_, (first, last) in hidden], dtype=np.int64).reshape(-1, 2),
        )


def padded(questions: Sequence[Questions]) -> tuple[torch.Tensor, torch.Tensor]:
    """Places and answers of a batch, shapes (batch, questions) and (batch, questions, 2); ``NOWHERE`` fills up."""
    width = max(1, *(len(block.places) for block in questions))
    places = np.zeros((len(questions), width), dtype=np.int64)
    answers = np.full((len(questions), width, 2), NOWHERE, dtype=np.int64)
    for row, block in enumerate(questions):
        places[row, : len(block.places)] = block.places
        answers[row, : len(block.places)] = block.answers
    return torch.from_numpy(places), torch.from_numpy(answers)


def pointing_loss(logits: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """The mean of the cross-entropies of first and last token over all questions; 0 where there is none.

    Args:
        logits: Shape (batch, questions, tokens, 2).
        answers: Shape (batch, questions, 2).
    """
    ends = logits.transpose(2, 3).flatten(0, 2)
    total = functional.cross_entropy(ends, answers.flatten(), ignore_index=NOWHERE, reduction="sum")
    return total / (answers != NOWHERE).sum().clamp(min=1)


def pointed_right(logits: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Of each question whether both ends are right, shape (questions of the batch,)."""
    answered = answers[..., 0] != NOWHERE
    return (logits.detach().argmax(dim=2) == answers).all(dim=-1)[answered]
