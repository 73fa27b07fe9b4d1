"""Texts as blocks of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.families.masked_lm.corpus import Document

Tokens = NDArray[np.int32]
Starts = NDArray[np.bool_]

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
class Example:
    """One block as it is read.

    Attributes:
        ids: Shape (tokens,).
        starts: Which tokens begin a word, shape (tokens,); None where words are of no interest.
        types: 0 in the first text of a pair, 1 in the second, shape (tokens,); None where there is one text.
        follows: The second text follows the first.
    """

    ids: Tokens
    starts: Starts | None = None
    types: NDArray[np.int8] | None = None
    follows: bool | None = None


@dataclass(frozen=True)
class Blocks:
    """Blocks of tokens.

    Attributes:
        sequences: One array of token ids each, with the opening and the closing token.
        documents: Documents that they come from.
        left_out: Texts that were too short.
        starts: Of each block, which tokens begin a word; empty where words are of no interest.
    """

    sequences: list[Tokens] = field(default_factory=list)
    documents: int = 0
    left_out: int = 0
    starts: list[Starts] = field(default_factory=list)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each block, shape (blocks,)."""
        return np.fromiter((len(block) for block in self.sequences), dtype=np.int64, count=len(self.sequences))

    def example(self, position: int, seed: int, epoch: int) -> Example:
        """A block as it is read in an epoch; the same numbers give the same example."""
        return Example(self.sequences[position], self.starts[position] if self.starts else None)


def cut(
    documents: Sequence[Document],
    vocabulary: Vocabulary,
    size: int,
    *,
    packed: bool = False,
    tokens: int | None = None,
    blocks: int | None = None,
    words: bool = False,
) -> Blocks:
    """Cut documents into blocks of at most ``size`` tokens, until there are enough.

    A long text is cut into blocks of nearly one length; a block never holds two texts. Packed, all documents are cut
    one behind the other, with the closing token between them: no token of a text is lost, and only the last block is
    shorter (Liu et al. 2019, FULL-SENTENCES).

    Args:
        documents: In the order in which they are read.
        vocabulary: Its tokenizer reads them.
        size: Tokens of a block, the two around it included.
        packed: Blocks run on over texts.
        tokens: Ends with the block that reaches this many.
        blocks: Ends with this many blocks.
        words: Note where words begin.
    """
    made = GrowingBlocks(vocabulary, tokens, blocks, words)
    fill = _run_on if packed else _apart
    read, short = fill(documents, size - 2, made)
    return Blocks(made.sequences, read, short, made.starts)


def _apart(documents: Sequence[Document], width: int, made: "GrowingBlocks") -> tuple[int, int]:
    """Add each text in blocks of its own; documents that were read, and texts that were too short."""
    short, read = 0, 0
    for position, ids, starts in encoded(documents, made.vocabulary.tokenizer, words=made.words):
        if len(ids) < SHORTEST:
            short += 1
            continue
        read = position + 1
        parts = -(-len(ids) // width)
        for part, begins in zip(np.array_split(ids, parts), np.array_split(starts, parts), strict=True):
            if made.add(part, begins):
                return read, short
    return read, short


def _run_on(documents: Sequence[Document], width: int, made: "GrowingBlocks") -> tuple[int, int]:
    """Add blocks that run on over texts; documents that were read, and no text that was too short."""
    ids: list[Tokens] = []
    starts: list[Starts] = []
    waiting, before = 0, -1
    for position, text, begins in encoded(documents, made.vocabulary.tokenizer, words=made.words):
        if waiting and position != before:
            ids.append(np.array([made.vocabulary.last], dtype=np.int32))
            starts.append(np.array([True]))
            waiting += 1
        ids.append(text)
        starts.append(begins)
        waiting, before = waiting + len(text), position
        if waiting >= width:
            run, marks = np.concatenate(ids), np.concatenate(starts)
            whole = len(run) // width * width
            for begin in range(0, whole, width):
                if made.add(run[begin : begin + width], marks[begin : begin + width]):
                    return position + 1, 0
            ids, starts, waiting = [run[whole:]], [marks[whole:]], len(run) - whole
    if waiting:
        made.add(np.concatenate(ids), np.concatenate(starts))
    return before + 1, 0


@dataclass
class GrowingBlocks:
    """Blocks as they grow, until there are enough tokens or blocks."""

    vocabulary: Vocabulary
    max_tokens: int | None
    max_blocks: int | None
    words: bool
    sequences: list[Tokens] = field(default_factory=list)
    starts: list[Starts] = field(default_factory=list)
    total: int = 0

    def add(self, inside: Tokens, starts: Starts) -> bool:
        """Take the inside of a block; whether that is enough. A word that was cut apart begins anew."""
        block = np.concatenate([[self.vocabulary.first], inside, [self.vocabulary.last]]).astype(np.int32)
        self.sequences.append(block)
        if self.words:
            marks = np.concatenate([[True], starts, [True]])
            marks[1] = True
            self.starts.append(marks)
        self.total += len(block)
        return (self.max_tokens is not None and self.total >= self.max_tokens) or (
            self.max_blocks is not None and len(self.sequences) >= self.max_blocks
        )


def encoded(
    documents: Sequence[Document], tokenizer: Tokenizer, *, words: bool
) -> Iterable[tuple[int, Tokens, Starts]]:
    """Token ids of every text and which of them begin a word, with the position of its document.

    Nothing is tokenized further than it is asked for.

    Args:
        documents: In the order in which they are read.
        tokenizer: Cuts nothing.
        words: Otherwise every token counts as the beginning of a word, and none is looked for.
    """
    waiting = ((position, text) for position, document in enumerate(documents) for text in document.texts)
    while batch := list(islice(waiting, _TEXTS_AT_ONCE)):
        encodings = tokenizer.encode_batch([text for _, text in batch], add_special_tokens=False)
        for (position, _), encoding in zip(batch, encodings, strict=True):
            ids = np.asarray(encoding.ids, dtype=np.int32)
            if words:
                word = np.array([-1 if index is None else index for index in encoding.word_ids], dtype=np.int64)
                starts = np.diff(word, prepend=-2) != 0
            else:
                starts = np.ones(len(ids), dtype=np.bool_)
            yield position, ids, starts
