"""A trained span model that answers questions: windows in batches of one length, merged into answers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.base.progress import Bar
from engine.data.batching import batches
from engine.families.span_qa import decoding
from engine.families.span_qa.decoding import Answer
from engine.families.span_qa.model import SpanModel, SpanNetwork, batch
from engine.families.span_qa.questions import Question
from engine.families.span_qa.windows import Window, cut
from engine.networks import count_parameters, quantization
from engine.recipes.loader import Recipe

BATCH = 16
"""Windows that are computed at once."""

CHUNK = 2000
"""Questions whose windows are in memory at once."""


@dataclass(frozen=True)
class Read:
    """Questions as the model saw them: their windows, and the logits of each, shape (tokens, 2)."""

    windows: list[Window]
    logits: list[NDArray[np.float32]]

    def of(self, count: int) -> list[tuple[list[Window], list[NDArray[np.float32]]]]:
        """Windows and logits of each of ``count`` questions."""
        parts: list[tuple[list[Window], list[NDArray[np.float32]]]] = [([], []) for _ in range(count)]
        for window, logits in zip(self.windows, self.logits, strict=True):
            parts[window.question][0].append(window)
            parts[window.question][1].append(logits)
        return parts


class Answerer:
    """A span model with its tokenizer and the recipe that made it.

    Attributes:
        params: Parameters of the network.
    """

    def __init__(self, recipe: Recipe, sha256: str, model: SpanModel, tokenizer: Tokenizer) -> None:
        """Take a trained model."""
        self.recipe, self.sha256, self.tokenizer = recipe, sha256, tokenizer
        self.model: SpanNetwork = model.eval()
        self.params = count_parameters(model)

    def at(self, wanted: str) -> "Answerer":
        """The same, computing in another number format; the model itself changes.

        Raises:
            PrecisionError: It is unknown or cannot be had here.
        """
        quantization.apply(self.model, wanted)
        return self

    def read(
        self, questions: Sequence[Question], bar: Bar | None = None, tick: Callable[[], None] = lambda: None
    ) -> Read:
        """Windows of the questions and their logits.

        Args:
            questions: With their texts.
            bar: Moves on by the questions that are done.
            tick: Called after every batch; a long pass must not look like a dead run.
        """
        windows = cut(self.tokenizer, questions, self.recipe.qa)
        done = 0

        def moved(count: int) -> None:
            nonlocal done
            before, done = done, done + count
            if bar:  # in whole questions, which are all done when all windows are
                bar.advance(done * len(questions) // len(windows) - before * len(questions) // len(windows))
            tick()

        return Read(windows, self.logits(windows, moved))

    @torch.inference_mode()
    def logits(
        self, windows: Sequence[Window], moved: Callable[[int], None] = lambda count: None
    ) -> list[NDArray[np.float32]]:
        """Start and end logits of each window, shape (tokens, 2), computed in batches of equal length.

        Args:
            windows: Any number of them.
            moved: Called after every batch with the number of its windows.
        """
        lengths = np.fromiter((len(window.ids) for window in windows), dtype=np.int64, count=len(windows))
        logits: list[NDArray[np.float32]] = [np.empty((0, 2), dtype=np.float32)] * len(windows)
        where = self.model.device
        for index in batches(lengths, BATCH):
            ids, types, true = batch(windows, index)
            found = self.model(ids.to(where), types.to(where), true).float().cpu().numpy()
            for row, place in zip(found, index, strict=True):
                logits[place] = row[: lengths[place]]
            moved(len(index))
        return logits

    def answers(self, questions: Sequence[Question], read: Read, keep: int = 1) -> list[Answer]:
        """Answers from what was read, in the order of the questions; each with up to ``keep`` candidates."""
        longest = self.recipe.qa.answer_length
        found = []
        for question, (windows, logits) in zip(questions, read.of(len(questions)), strict=True):
            scored = [
                decoding.candidates(window, one, longest=longest, keep=max(keep, 4))
                for window, one in zip(windows, logits, strict=True)
            ]
            found.append(decoding.answer(question.context, windows, scored, keep=keep))
        return found

    def answer(
        self,
        questions: Sequence[Question],
        keep: int = 1,
        label: str | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[Answer]:
        """Answers one after the other; any number of questions in bounded memory.

        Args:
            questions: With their texts.
            keep: Candidates of each answer.
            label: Shows a progress bar under this name.
            tick: See ``read``.
        """
        with Bar(label, len(questions)) if label else nullcontext() as bar:
            for begin in range(0, len(questions), CHUNK):
                some = questions[begin : begin + CHUNK]
                yield from self.answers(some, self.read(some, bar, tick), keep)
