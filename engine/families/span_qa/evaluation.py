"""Answers to all questions of a split, and their scores: by the official rules, by the deck's, part by part."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from db.runs.writer import MetricValue, Slice
from db.statistics.qa_scoring import RULES, pack
from engine.base import device
from engine.base.progress import Bar
from engine.families.span_qa import breakdown, deck, ends, metrics
from engine.families.span_qa.answerer import CHUNK, Answerer
from engine.families.span_qa.decoding import Answer
from engine.families.span_qa.ends import Ends
from engine.families.span_qa.questions import Question


@dataclass(frozen=True)
class Evaluated:
    """Answers to questions.

    Attributes:
        asked: The questions.
        found: The model's answers.
        by_deck: What the slide deck's code would have answered; empty where it does not apply.
        ends: How often the ends were right, as the document on Korean questions counts; None where it does not apply.
    """

    asked: Sequence[Question]
    found: Sequence[Answer]
    by_deck: Sequence[str]
    ends: Ends | None = None

    @property
    def said(self) -> list[str]:
        """The text of each answer."""
        return [one.best[0].text if one.best else "" for one in self.found]

    @property
    def golds(self) -> list[list[str]]:
        """The answers that count as right."""
        return [[gold.text for gold in one.answers] for one in self.asked]

    def figures(self, language: str) -> list[MetricValue]:
        """F1 and exact match by the official rules of the language, and by those of its seed document."""
        figures = metrics.official(RULES[language], self.said, self.golds)
        figures += metrics.by_the_deck(self.by_deck, self.golds) if self.by_deck else []
        if self.ends is None:
            return figures
        count = len(self.asked)
        failed = MetricValue("failed", float(count - round(figures[1].value * count)), count)
        return [*figures, failed, *self.ends.figures()]

    def slices(self, language: str) -> list[Slice]:
        """F1 of parts of the questions."""
        _, overlap = metrics.scores(RULES[language], self.said, self.golds)
        return breakdown.slices(language, self.asked, overlap)

    def rows(self) -> pd.DataFrame:
        """Per-question predictions as the store keeps them; ``gold`` holds every answer that counts as right."""
        scores = [one.best[0].probability if one.best else 0.0 for one in self.found]
        return pd.DataFrame(
            {
                "example_id": [one.id for one in self.asked],
                "gold": [pack(golds) for golds in self.golds],
                "predicted": self.said,
                "score": np.asarray(scores, dtype=np.float16).astype(np.float32),
            }
        )


def evaluate(
    answerer: Answerer, asked: Sequence[Question], label: str, tick: Callable[[], None] = lambda: None
) -> Evaluated:
    """Answer all questions, and once more as the seed document in their language does.

    Args:
        answerer: The model.
        asked: With their gold answers.
        label: Of the progress bar.
        tick: Called after every batch.
    """
    found: list[Answer] = []
    by_deck: list[str] = []
    by_ends: list[Ends] = []
    with Bar(label, len(asked)) as bar:
        for begin in range(0, len(asked), CHUNK):
            some = asked[begin : begin + CHUNK]
            read = answerer.read(some, bar, tick)
            found += answerer.answers(some, read)
            if answerer.recipe.language == "en":
                by_deck += deck.answers(answerer, some, read)
            else:
                by_ends.append(ends.found(answerer, some, read))
    return Evaluated(asked, found, by_deck, ends.together(by_ends) if by_ends else None)


def timing(answerer: Answerer, asked: Sequence[Question], *, calls: int = 100, seed: int = 0) -> list[MetricValue]:
    """Latency of one question at a time, from its words to its answer, after a warm-up.

    Args:
        answerer: On the CPU.
        asked: The split whose questions are drawn.
        calls: Timed calls.
        seed: Draws the questions.
    """
    load = device.load_average()
    drawn = np.random.default_rng(seed).integers(0, len(asked), calls + max(3, calls // 10))
    times = []
    for place in drawn:
        started = time.perf_counter()
        next(answerer.answer([asked[place]]))
        times.append(time.perf_counter() - started)
    kept = np.asarray(times[-calls:])
    return [
        MetricValue("latency_ms_p50", float(np.median(kept)) * 1e3, calls),
        MetricValue("latency_ms_p95", float(np.quantile(kept, 0.95)) * 1e3, calls),
        MetricValue("latency_threads", float(torch.get_num_threads())),
        MetricValue("latency_load", load),
    ]
