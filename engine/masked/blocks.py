"""Texts as blocks of tokens, and the tokens in them that are hidden."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.batching import collate
from engine.config import TextConfig
from engine.masked.text import Document

Tokens = NDArray[np.int32]

SHORTEST = 8
"""Tokens below which a text is left out: a heading says little of the words that are hidden in it."""

_TEXTS_AT_ONCE = 256


@dataclass(frozen=True)
class Vocabulary:
    """Which tokens a tokenizer puts around texts and over hidden words.

    Attributes:
        tokenizer: Cuts nothing and pads nothing.
        first: Opens a block.
        last: Closes it.
        mask: Hides a token.
        special: All tokens that stand for no text.
        size: Tokens in all, as many as the network has rows.
    """

    tokenizer: Tokenizer
    first: int
    last: int
    mask: int
    special: frozenset[int]
    size: int

    @property
    def ordinary(self) -> Tokens:
        """The tokens that stand for text, shape (tokens,)."""
        known = range(min(self.size, self.tokenizer.get_vocab_size()))
        return np.array([token for token in known if token not in self.special], dtype=np.int32)


@dataclass(frozen=True)
class Blocks:
    """Blocks of tokens.

    Attributes:
        sequences: One array of token ids each, with the opening and the closing token.
        documents: Documents that they come from.
        left_out: Texts that were too short.
    """

    sequences: list[Tokens] = field(default_factory=list)
    documents: int = 0
    left_out: int = 0

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each block, shape (blocks,)."""
        return np.fromiter((len(block) for block in self.sequences), dtype=np.int64, count=len(self.sequences))


def cut(
    documents: Sequence[Document], vocabulary: Vocabulary, size: int, *,
    tokens: int | None = None, blocks: int | None = None,
) -> Blocks:  # fmt: skip
    """Cut documents into blocks of at most ``size`` tokens, until there are enough.

    A long text is cut into blocks of nearly one length; a block never holds two texts.

    Args:
        documents: In the order in which they are read.
        vocabulary: Its tokenizer reads them.
        size: Tokens of a block, the two around it included.
        tokens: Ends with the block that reaches this many.
        blocks: Ends with this many blocks.
    """
    made: list[Tokens] = []
    total, short, read = 0, 0, 0
    for position, ids in _encoded(documents, vocabulary.tokenizer):
        if len(ids) < SHORTEST:
            short += 1
            continue
        read = position + 1
        for part in np.array_split(ids, -(-len(ids) // (size - 2))):
            made.append(np.concatenate([[vocabulary.first], part, [vocabulary.last]]).astype(np.int32))
            total += len(made[-1])
            if (tokens is not None and total >= tokens) or (blocks is not None and len(made) >= blocks):
                return Blocks(made, read, short)
    return Blocks(made, read, short)


def _encoded(documents: Sequence[Document], tokenizer: Tokenizer) -> Iterable[tuple[int, Tokens]]:
    """Token ids of every text with the position of its document, tokenized no further than they are asked for."""
    waiting = ((position, text) for position, document in enumerate(documents) for text in document.texts)
    while batch := list(islice(waiting, _TEXTS_AT_ONCE)):
        found = tokenizer.encode_batch([text for _, text in batch], add_special_tokens=False)
        for (position, _), encoding in zip(batch, found, strict=True):
            yield position, np.asarray(encoding.ids, dtype=np.int32)


@dataclass(frozen=True)
class Masking:
    """How tokens are hidden: the shares of a recipe, over a vocabulary."""

    rate: float
    masked: float
    random: float
    vocabulary: Vocabulary
    ordinary: Tokens

    @classmethod
    def of(cls, settings: TextConfig, vocabulary: Vocabulary) -> "Masking":
        """The masking of a recipe's text section."""
        shares = settings.mask_rate, settings.mask_token, settings.mask_random
        return cls(*shares, vocabulary, vocabulary.ordinary)

    def hide(self, block: Tokens, seed: int, epoch: int, example: int) -> tuple[Tokens, NDArray[np.bool_]]:
        """A block with some of its tokens hidden; the same numbers hide the same tokens.

        Each token that stands for text is chosen with probability ``rate``, and one where chance chose none. Of the
        chosen ones a part becomes [MASK], a part any token, and the rest stays (Devlin et al. 2019).

        Args:
            block: Shape (tokens,).
            seed: Of the run.
            epoch: From 0.
            example: The block's position in its set.

        Returns:
            What the network sees and which tokens it has to name, both of shape (tokens,).
        """
        generator = np.random.default_rng(np.random.SeedSequence([seed, epoch, example]))
        free = ~np.isin(block, list(self.vocabulary.special))
        chosen = free & (generator.random(len(block)) < self.rate)
        if not chosen.any() and free.any():
            chosen[generator.choice(np.flatnonzero(free))] = True
        fate = generator.random(len(block))
        seen = block.copy()
        seen[chosen & (fate < self.masked)] = self.vocabulary.mask
        replaced = chosen & (fate >= self.masked) & (fate < self.masked + self.random)
        seen[replaced] = generator.choice(self.ordinary, int(replaced.sum()))
        return seen, chosen


@dataclass(frozen=True)
class Batch:
    """Hidden blocks, padded to the longest.

    Attributes:
        ids: What the network sees, shape (blocks, tokens).
        lengths: True lengths on the CPU, shape (blocks,).
        chosen: Tokens to be named, shape (blocks, tokens); padding never is.
        gold: Their true ids, shape (chosen,), row by row.
    """

    ids: torch.Tensor
    lengths: torch.Tensor
    chosen: torch.Tensor
    gold: torch.Tensor


def batch(blocks: Sequence[Tokens], index: NDArray[np.int64], masking: Masking, seed: int, epoch: int) -> Batch:
    """Hide and pad some blocks of a set."""
    hidden = [masking.hide(blocks[i], seed, epoch, int(i)) for i in index]
    ids, lengths = collate([seen for seen, _ in hidden], np.arange(len(index)))
    chosen = torch.zeros(ids.shape, dtype=torch.bool)
    for row, (_, mask) in zip(chosen, hidden, strict=True):
        row[: len(mask)] = torch.from_numpy(mask)
    gold = np.concatenate([blocks[i][mask] for i, (_, mask) in zip(index, hidden, strict=True)])
    return Batch(ids, lengths, chosen, torch.from_numpy(gold.astype(np.int64)))
