"""Pairs of texts: the second follows the first in its document, or was drawn from another (Devlin et al. 2019)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.families.masked_lm.blocks import (
    SHORTEST,
    Blocks,
    Example,
    GrowingBlocks,
    Starts,
    Tokens,
    Vocabulary,
    encoded,
)
from engine.families.masked_lm.corpus import Document

_OWN_STREAM = 1
"""Keeps the draw of a second text apart from that of the hidden words of the same block."""


@dataclass(frozen=True)
class Pairs(Blocks):
    """True pairs; which of them are read with a foreign second text is drawn anew in each epoch.

    Attributes:
        middles: Where each second text begins in its block, shape (blocks,).
        origins: The document of each block, rising, shape (blocks,).
    """

    middles: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    origins: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def example(self, position: int, seed: int, epoch: int) -> Example:
        """See ``Blocks.example``: half of the pairs are made up, with a foreign text no longer than the true one."""
        generator = np.random.default_rng(np.random.SeedSequence([seed, epoch, position, _OWN_STREAM]))
        own, middle = self.sequences[position], int(self.middles[position])
        marks = self.starts[position]
        first, behind = np.searchsorted(self.origins, self.origins[position] + np.arange(2))
        others = len(self.sequences) - int(behind - first)
        follows = bool(generator.random() < 0.5) or not others
        if not follows:
            second = int(generator.integers(others))
            second += int(behind - first) if second >= first else 0
            begin = int(self.middles[second])
            end = min(begin + len(own) - middle, len(self.sequences[second])) - 1  # without the closing token
            own = np.concatenate([own[:middle], self.sequences[second][begin:end], own[-1:]])
            marks = np.concatenate([marks[:middle], self.starts[second][begin:end], marks[-1:]])
        types = np.zeros(len(own), dtype=np.int8)
        types[middle:] = 1
        return Example(own, marks, types, follows)


def pairs(
    documents: Sequence[Document],
    vocabulary: Vocabulary,
    size: int,
    *,
    tokens: int | None = None,
    blocks: int | None = None,
) -> Pairs:
    """Cut each document into runs of nearly one length, and each run in two near its middle.

    It is cut where a text ends, if one does, else between two words.

    Args:
        documents: In the order in which they are read; the texts of one follow each other.
        vocabulary: Its tokenizer reads them.
        size: Tokens of a pair, the three around its texts included.
        tokens: Ends with the pair that reaches this many.
        blocks: Ends with this many pairs.
    """
    made = GrowingBlocks(vocabulary, tokens, blocks, words=True)
    middles: list[int] = []
    origins: list[int] = []
    short = 0
    for position, ids, begins, ends in _whole(documents, vocabulary):
        if len(ids) < 2 * SHORTEST:
            short += 1
            continue
        for part in np.array_split(np.arange(len(ids)), -(-len(ids) // (size - 3))):
            low, high = int(part[0]), int(part[-1]) + 1
            middle = _middle(begins[low:high], ends[(ends > low) & (ends < high)] - low)
            marks = np.insert(begins[low:high], middle, True)
            marks[middle + 1] = True  # the second text begins a word
            middles.append(middle + 2)
            origins.append(position)
            if made.add(np.insert(ids[low:high], middle, vocabulary.last), marks):
                break
        else:
            continue
        break
    where = np.array(origins, dtype=np.int64)
    return Pairs(made.sequences, len(np.unique(where)), short, made.starts, np.array(middles, dtype=np.int64), where)


def _whole(
    documents: Sequence[Document], vocabulary: Vocabulary
) -> Iterator[tuple[int, Tokens, Starts, NDArray[np.int64]]]:
    """Each document's position, tokens and beginnings of words, and where in them a text ends."""
    texts = encoded(documents, vocabulary.tokenizer, words=True)
    for position, parts in groupby(texts, key=lambda text: text[0]):
        ids, starts = zip(*((text, begins) for _, text, begins in parts), strict=True)
        yield position, np.concatenate(ids), np.concatenate(starts), np.cumsum([len(text) for text in ids])


def _middle(begins: Starts, ends: NDArray[np.int64]) -> int:
    """Where a run of tokens is cut in two, at least four tokens from both of its ends."""
    size = len(begins)
    least = min(4, size // 2)
    for places in (ends, np.flatnonzero(begins)):
        inside = places[(places >= least) & (places <= size - least)]
        if len(inside):
            return int(inside[np.abs(inside - size // 2).argmin()])
    return size // 2
