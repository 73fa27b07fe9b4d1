"""Answers to all questions of a split, and their scores: by the official rules, by the deck's, part by part."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from db.runs.writer import MetricValue, Slice
from db.statistics.qa_scoring import DECK, RULES, Rules, best, pack
from engine.base import device
from engine.base.progress import Bar
from engine.data.question import Question
from engine.families.span_qa.answerer import CHUNK, Answer, Answerer
from engine.families.span_qa.seed_protocols import Ends, answer_ends, deck_answers, join_ends
from engine.trainer.metrics import share

_ENGLISH = ("what", "who", "when", "where", "which", "why", "how many", "how much", "how")
_KOREAN = ("누구", "언제", "어디", "무엇", "얼마", "몇", "어느", "어떤", "왜", "무슨")
_ALONE = "왜"
"""Takes no ending, and stands inside other words, such as the name of the war 임진왜란."""
_NAMES = {"en": _ENGLISH, "ko": _KOREAN}
FEWEST = 5
"""Questions below which a part is too small to say anything, and is left out."""

_RESAMPLES = 2000


@dataclass(frozen=True)
class Evaluated:
    """Answers to questions.

    Attributes:
        questions: The questions.
        answers: The model's answers.
        by_deck: What the slide deck's code would have answered; empty where it does not apply.
        ends: How often the ends were right, as the document on Korean questions counts; None where it does not apply.
    """

    questions: Sequence[Question]
    answers: Sequence[Answer]
    by_deck: Sequence[str]
    ends: Ends | None = None

    @property
    def answer_texts(self) -> list[str]:
        """The text of each answer."""
        return [answer.best[0].text if answer.best else "" for answer in self.answers]

    @property
    def golds(self) -> list[list[str]]:
        """The answers that count as right."""
        return [[gold.text for gold in question.answers] for question in self.questions]

    def figures(self, language: str) -> list[MetricValue]:
        """F1 and exact match by the official rules of the language, and by those of its seed document."""
        figures = official(RULES[language], self.answer_texts, self.golds)
        figures += by_the_deck(self.by_deck, self.golds) if self.by_deck else []
        if self.ends is None:
            return figures
        count = len(self.questions)
        failed = MetricValue("failed", float(count - round(figures[1].value * count)), count)
        return [*figures, failed, *ends_metrics(self.ends)]

    def slices(self, language: str) -> list[Slice]:
        """F1 of parts of the questions."""
        _, overlap = scores(RULES[language], self.answer_texts, self.golds)
        return slices(language, self.questions, overlap)

    def rows(self, language: str) -> pd.DataFrame:
        """Per-question predictions with their scores, as the store has them; ``gold`` holds all right answers."""
        confidence = [entry.best[0].probability if entry.best else 0.0 for entry in self.answers]
        rows = {
            "example_id": [entry.id for entry in self.questions],
            "gold": [pack(golds) for golds in self.golds],
            "predicted": self.answer_texts,
            "score": np.asarray(confidence, dtype=np.float16).astype(np.float32),
        }
        exact, overlap = scores(RULES[language], self.answer_texts, self.golds)
        rows |= {"f1": overlap.astype(np.float32), "em": exact.astype(np.float32)}
        if self.by_deck:
            exact, overlap = scores(DECK, self.by_deck, [gold[:1] for gold in self.golds])
            rows |= {"f1_seed": overlap.astype(np.float32), "em_seed": exact.astype(np.float32)}
        return pd.DataFrame(rows)


def evaluate(
    answerer: Answerer, test_questions: Sequence[Question], label: str, tick: Callable[[], None] = lambda: None
) -> Evaluated:
    """Answer all questions, and once more as the seed document in their language does.

    Args:
        answerer: The model.
        test_questions: With their gold answers.
        label: Of the progress bar.
        tick: Called after every batch.
    """
    results: list[Answer] = []
    by_deck: list[str] = []
    by_ends: list[Ends] = []
    with Bar(label, len(test_questions)) as bar:
        for begin in range(0, len(test_questions), CHUNK):
            some = test_questions[begin : begin + CHUNK]
            read = answerer.read(some, bar, tick)
            results += answerer.answers(some, read)
            if answerer.recipe.language == "en":
                by_deck += deck_answers(answerer, some, read)
            else:
                by_ends.append(answer_ends(answerer, some, read))
    return Evaluated(test_questions, results, by_deck, join_ends(by_ends) if by_ends else None)


def timing(answerer: Answerer, questions: Sequence[Question], *, calls: int = 100, seed: int = 0) -> list[MetricValue]:
    """Latency of one question at a time, from its words to its answer, after a warm-up.

    Args:
        answerer: On the CPU.
        questions: The split whose questions are drawn.
        calls: Timed calls.
        seed: Draws the questions.
    """
    load = device.load_average()
    positions = np.random.default_rng(seed).integers(0, len(questions), calls + max(3, calls // 10))
    times = []
    for position in positions:
        started = time.perf_counter()
        next(answerer.answer([questions[position]]))
        times.append(time.perf_counter() - started)
    measured = np.asarray(times[-calls:])
    return [
        MetricValue("latency_ms_p50", float(np.median(measured)) * 1e3, calls),
        MetricValue("latency_ms_p95", float(np.quantile(measured, 0.95)) * 1e3, calls),
        MetricValue("latency_threads", float(torch.get_num_threads())),
        MetricValue("latency_load", load),
    ]


def scores(
    rules: Rules, predicted: Sequence[str], golds: Sequence[Sequence[str]]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Exact match and F1 of each question, both of shape (questions,)."""
    rows = [best(rules, text, gold) for text, gold in zip(predicted, golds, strict=True)]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def mean(name: str, values: NDArray[np.float64], seed: int = 0) -> MetricValue:
    """A mean over questions with the percentile bootstrap over them; ``name`` is the metric's key."""
    generator = np.random.default_rng(seed)
    size = len(values)
    draws = [values[generator.integers(0, size, size)].mean() for _ in range(_RESAMPLES)]
    low, high = np.quantile(draws, [0.025, 0.975])
    return MetricValue(name, float(values.mean()), size, float(low), float(high))


def official(rules: Rules, predicted: Sequence[str], golds: Sequence[Sequence[str]]) -> list[MetricValue]:
    """F1 and exact match by the data set's own rules."""
    exact, overlap = scores(rules, predicted, golds)
    return [mean("f1", overlap), share("em", exact)]


def by_the_deck(predicted: Sequence[str], golds: Sequence[Sequence[str]]) -> list[MetricValue]:
    """F1 and exact match as the slide deck scores: against the first gold answer alone."""
    exact, overlap = scores(DECK, predicted, [gold[:1] for gold in golds])
    return [mean("f1_seed", overlap), share("em_seed", exact)]


def ends_metrics(ends: Ends) -> list[MetricValue]:
    """Accuracy and loss of the ends of answers; none where no answer lies before the cut."""
    if not len(ends.right):
        return []
    return [mean("span_accuracy", ends.right), mean("eval_loss", ends.loss)]


def slices(language: str, questions: Sequence[Question], overlap: NDArray[np.float64]) -> list[Slice]:
    """F1 of parts of the questions.

    Args:
        language: Of the task; it decides the question words.
        questions: The questions.
        overlap: F1 of each, shape (questions,).
    """
    facets: dict[str, Callable[[Question], str]] = {
        "question word": lambda question: question_word(question.question, language),
        "answer length": lambda question: _range(len(question.answers[0].text.split()), (1, 2, 3, 5, 10), "word"),
        "text length": lambda question: _range(len(question.context.split()), (75, 100, 150, 200, 300), "word"),
    }
    parts_found = []
    for facet, name in facets.items():
        parts: dict[str, list[int]] = {}
        for position, question in enumerate(questions):
            parts.setdefault(name(question), []).append(position)
        for bucket, places in parts.items():
            if len(places) >= FEWEST:
                value = mean("f1", overlap[places])
                parts_found.append(Slice(facet, bucket, value))
    return parts_found


def question_word(question: str, language: str) -> str:
    """The first question word that stands in a question, by its place; "other" where there is none."""
    text = question.lower()
    names = _NAMES.get(language, _ENGLISH)
    # A Korean question word carries endings; an English one is a word of its own. Longer ones go first.
    whole = [rf"\b{name}\b" if names is _ENGLISH or name == _ALONE else name for name in names]
    match = re.search("|".join(whole), text)
    return match.group() if match else "other"


def _range(count: int, steps: tuple[int, ...], unit: str) -> str:
    """The step that a count belongs to: ``1 word``, ``4 to 5 words``, ``over 300 words``."""
    below = 0
    for step in steps:
        if count <= step:
            low = below + 1
            return f"{low} {unit}{'s' if low > 1 else ''}" if low == step else f"{low} to {step} {unit}s"
        below = step
    return f"over {steps[-1]} {unit}s"
