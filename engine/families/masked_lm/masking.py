"""Blocks with hidden tokens: which ones, and what stands in their place."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from engine.data.batching import collate
from engine.families.masked_lm.blocks import Blocks, Starts, Tokens, Vocabulary
from engine.families.masked_lm.recurring_spans import SpanTokens, padded
from engine.recipes.schema import TextConfig


@dataclass(frozen=True)
class Masking:
    """How tokens are hidden: the shares of a recipe, over a vocabulary."""

    rate: float
    masked: float
    random: float
    vocabulary: Vocabulary
    ordinary: Tokens
    whole_words: bool = False

    @classmethod
    def of(cls, settings: TextConfig, vocabulary: Vocabulary) -> "Masking":
        """The masking of a recipe's text section."""
        shares = settings.mask_rate, settings.mask_token, settings.mask_random
        return cls(*shares, vocabulary, vocabulary.ordinary, settings.whole_words)

    def hide(
        self, block: Tokens, seed: int, epoch: int, example: int, starts: Starts | None = None
    ) -> tuple[Tokens, NDArray[np.bool_]]:
        """A block with some of its tokens hidden; the same numbers hide the same tokens.

        Each token that stands for text is chosen with probability ``rate``, and one where chance chose none; with
        whole words, each word is, with all of its tokens (as the later models of Devlin et al. 2019). Of the chosen
        tokens a part becomes [MASK], a part any token, and the rest stays.

        Args:
            block: Shape (tokens,).
            seed: Of the run.
            epoch: From 0.
            example: The block's position in its set.
            starts: Which tokens begin a word, shape (tokens,); with whole words it must be given.

        Returns:
            What the network sees and which tokens it has to name, both of shape (tokens,).
        """
        generator = np.random.default_rng(np.random.SeedSequence([seed, epoch, example]))
        free = ~np.isin(block, list(self.vocabulary.special))
        # Without whole words every token is a unit of its own.
        unit = np.arange(len(block)) if not self.whole_words or starts is None else np.cumsum(starts) - 1
        chosen = free & (generator.random(int(unit[-1]) + 1) < self.rate)[unit]
        if not chosen.any() and free.any():
            chosen = free & (unit == unit[generator.choice(np.flatnonzero(free))])
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
        types: 0 in the first text of a pair, 1 in the second, shape (blocks, tokens); None where there are no pairs.
        foreign: 0 where the second text follows the first, 1 where it was drawn from another document, as the
            transformers library counts, shape (blocks,); None where there are no pairs.
        questions: Tokens that stand for hidden spans, shape (blocks, questions); None where no spans are hidden.
        answers: First and last token of the span that each points at, shape (blocks, questions, 2); see
            ``recurring_spans.padded``.
    """

    ids: torch.Tensor
    lengths: torch.Tensor
    chosen: torch.Tensor
    gold: torch.Tensor
    types: torch.Tensor | None = None
    foreign: torch.Tensor | None = None
    questions: torch.Tensor | None = None
    answers: torch.Tensor | None = None

    @property
    def inputs(self) -> tuple[torch.Tensor | None, ...]:
        """What a network is called with."""
        words = (self.ids, self.lengths, self.chosen)
        if self.questions is not None:
            return (*words, self.types, self.questions)
        return words if self.types is None else (*words, self.types)

    def to(self, where: torch.device) -> "Batch":
        """The same on a processor, the lengths excepted."""
        moved = {name: None if tensor is None else tensor.to(where) for name, tensor in vars(self).items()}
        return Batch(**{**moved, "lengths": self.lengths})  # type: ignore[arg-type]


def batch(
    blocks: Blocks,
    index: NDArray[np.int64],
    masking: Masking,
    seed: int,
    epoch: int,
    *,
    spans: SpanTokens | None = None,
    words: bool = True,
) -> Batch:
    """Hide and pad some blocks of a set.

    Args:
        blocks: The set.
        index: Positions of the blocks in it.
        masking: How words are hidden.
        seed: Of the run.
        epoch: From 0.
        spans: How recurring spans are hidden, before the words; None: they are not.
        words: Hide words.
    """
    read = [blocks.example(int(i), seed, epoch) for i in index]
    questions = answers = None
    if spans is not None:
        hidden_spans = [spans.hide(example, seed, epoch, int(i)) for i, example in zip(index, read, strict=True)]
        read = [block.example for block in hidden_spans]
        questions, answers = padded(hidden_spans)
    hidden = [
        masking.hide(example.ids, seed, epoch, int(i), example.starts)
        if words
        else (example.ids, np.zeros(len(example.ids), dtype=np.bool_))
        for i, example in zip(index, read, strict=True)
    ]
    ids, lengths = collate([seen for seen, _ in hidden], np.arange(len(index)))
    chosen = np.zeros(ids.shape, dtype=np.bool_)
    for row, (_, mask) in zip(chosen, hidden, strict=True):
        row[: len(mask)] = mask
    gold = np.concatenate([example.ids[mask] for example, (_, mask) in zip(read, hidden, strict=True)])
    types = foreign = None
    if read and read[0].types is not None:
        marks = np.zeros(ids.shape, dtype=np.int64)
        for row, example in zip(marks, read, strict=True):
            row[: len(example.ids)] = example.types
        types = torch.from_numpy(marks)
        foreign = torch.tensor([int(not example.follows) for example in read])
    to_name = torch.from_numpy(chosen), torch.from_numpy(gold.astype(np.int64))
    return Batch(ids, lengths, *to_name, types, foreign, questions, answers)
