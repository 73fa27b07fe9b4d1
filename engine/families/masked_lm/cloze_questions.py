"""Questions that a text answers itself: a sentence without a run of its words, which is pointed at in the block.

After Lewis et al. 2019, "Unsupervised Question Answering by Cloze Translation": the sentence stays in the block, and
the question keeps only some of its words, since people ask in other words than the text's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.families.masked_lm.blocks import Blocks, Example, Starts, Vocabulary
from engine.families.masked_lm.recurring_spans import Questions, SpanTokens

FEWEST_WORDS = 5
"""Words of a sentence that is asked about, at least."""

MOST_WORDS = 3
"""Words of an answer, at most."""

AROUND = 10
"""Words on each side of the answer that a question may take."""

QUESTION_TOKENS = 40
"""Tokens of a question, at most."""

LONGEST_PREFIX = QUESTION_TOKENS + 1
"""Tokens before a block, at most: the question and the one behind it."""

FEWEST_KEPT = 0.4
"""Part of those words that is kept, at least; how many is drawn for each question."""

_ENDS = ".?!。"


@dataclass(frozen=True)
class ClozeQuestions(SpanTokens):
    """How questions are made.

    Attributes:
        ends: Of each token of the vocabulary, whether a sentence ends with it, shape (tokens,).
        between: The token between question and text.
    """

    ends: NDArray[np.bool_]
    between: int

    metric, stream = "cloze_accuracy", 3

    @classmethod
    def of(cls, blocks: Blocks, vocabulary: Vocabulary) -> "ClozeQuestions":
        """Count the tokens of what is learned from."""
        ends = np.zeros(vocabulary.size, dtype=np.bool_)
        for piece, token in vocabulary.tokenizer.get_vocab().items():
            ends[token] = piece[-1] in _ENDS
        ends[vocabulary.last] = True
        return cls(*cls.count(blocks, vocabulary), ends, vocabulary.last)

    def _hide(self, example: Example, starts: Starts, generator: np.random.Generator) -> Questions:
        """Ask one question of a block, which stands before it."""
        ids = example.ids[1:-1]
        begins = np.flatnonzero(starts[1:-1])
        words = [(int(begin), int(end)) for begin, end in zip(begins, [*begins[1:], len(ids)], strict=True)]
        for sentence in generator.permutation(np.array(self._sentences(ids, words)).reshape(-1, 2)):
            cloze = self._ask(ids, words[sentence[0] : sentence[1]], generator)
            if cloze is not None:
                question, (first, last) = cloze
                return self._behind(example, starts, question, first, last)
        return self._behind(example, starts, [], 0, -1)

    def _sentences(self, ids: NDArray[np.int32], words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """First word and the one after the last of each sentence that is long enough."""
        last = [number + 1 for number, (_, end) in enumerate(words) if self.ends[ids[end - 1]]]
        return [
            (begin, end)
            for begin, end in zip([0, *last], [*last, len(words)], strict=True)
            if end - begin >= FEWEST_WORDS
        ]

    def _ask(
        self, ids: NDArray[np.int32], words: Sequence[tuple[int, int]], generator: np.random.Generator
    ) -> tuple[list[int], tuple[int, int]] | None:
        """A question about words of a sentence, and the first and last token of these; None where it is too short."""
        length = int(generator.integers(1, MOST_WORDS + 1))
        begin = int(generator.integers(len(words) - length + 1))
        answer = self._trimmed(ids, words[begin][0], words[begin + length - 1][1])
        if answer is None:
            return None
        around = [*words[max(0, begin - AROUND) : begin], *words[begin + length : begin + length + AROUND]]
        keeps = generator.random(len(around)) < generator.uniform(FEWEST_KEPT, 1)
        question: list[int] = []
        for (first, end), keep, bare in zip(around, keeps, generator.random(len(around)) < 0.5, strict=True):
            word = ids[first:end].tolist() if keep else []
            while len(word) > 1 and self.outside[word[-1]] and (bare or self.ends[word[-1]]):
                word.pop()
            question += word
        return (question[:QUESTION_TOKENS], answer) if len(question) > 1 else None

    def _trimmed(self, ids: NDArray[np.int32], first: int, end: int) -> tuple[int, int] | None:
        """First and last token without punctuation and particles at the ends; None where no rare token is left."""
        inside = first + np.flatnonzero(~self.outside[ids[first:end]])
        if not len(inside) or self.frequent[ids[inside]].all():
            return None
        return int(inside[0]), int(inside[-1])

    def _behind(self, example: Example, starts: Starts, question: Sequence[int], first: int, last: int) -> Questions:
        """The block behind its question; without an answer where there is none."""
        before = np.array([example.ids[0], *question, self.between], dtype=np.int32)
        types = np.repeat(np.array([0, 1], dtype=np.int8), [len(before), len(example.ids) - 1])
        read = replace(
            example,
            ids=np.concatenate([before, example.ids[1:]]),
            starts=np.concatenate([np.ones(len(before), dtype=np.bool_), starts[1:]]),
            types=types,
        )
        places = [0] if last >= first else []  # the first token stands for the question
        answers = [(len(before) + first, len(before) + last)] if last >= first else []
        return Questions(read, np.array(places, dtype=np.int64), np.array(answers, dtype=np.int64).reshape(-1, 2))
