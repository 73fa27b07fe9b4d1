"""Answering the questions of a file."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from db.runs.writer import MetricValue
from db.statistics.qa_scoring import RULES, SQUAD, Rules
from engine.base.errors import DataError
from engine.data import tables
from engine.data.question import Question
from engine.families.span_qa import evaluation, questions
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.ask import check, text_of, unreadable
from engine.trainer.metrics import share


@dataclass(frozen=True)
class Summary:
    """What happened to a file.

    Attributes:
        questions: Answered.
        nothing: Questions that were given no answer.
        guessed: Questions whose answer is a guess; see ``unreadable``.
        seconds: From file to file.
        figures: Scores, where the file holds the right answers.
        answerable: Of questions with an answer alone, where others have none.
        impossible: Of questions that the text does not answer, which are right if nothing is answered.
        best: The highest F1 that any threshold gives on these questions, and that threshold; None where all have an
            answer.
    """

    questions: int
    nothing: int
    guessed: int
    seconds: float
    figures: list[MetricValue]
    answerable: list[MetricValue] = field(default_factory=list)
    impossible: list[MetricValue] = field(default_factory=list)
    best: tuple[float, float] | None = None


def ask_file(
    answerer: Answerer, source: Path, target: Path, *, threshold: float | None = None, force: bool = False
) -> Summary:
    """Answer the questions of a file and write them as ``{id: text}``, which the official scorer reads.

    Where the file holds the right answers, they are scored too, those of questions without an answer as SQuAD 2 does
    (Rajpurkar et al. 2018). The output appears whole or not at all.

    Args:
        answerer: The model.
        source: SQuAD JSON, or a table with the columns question and context; see ``questions.read``.
        target: A ``.json`` file.
        threshold: Answer nothing where the model gives "no answer" more probability than this; None always answers.
        force: Overwrite ``target``.

    Raises:
        DataError: The input cannot be read or asked, or the output is there.
    """
    started = time.monotonic()
    if target.suffix.lower() != ".json":
        raise DataError(f"{target}: the output's name must end in .json.")
    if target.exists() and source.exists() and target.samefile(source):
        raise DataError(f"{target}: input and output are the same file; it was left as it is. Name another output.")
    with tables.replacing(target, force=force) as part:
        rows = questions.read(source).questions
        check(rows)
        answers = {
            question.id: answer for question, answer in zip(rows, answerer.answer(rows, 1, source.name), strict=True)
        }
        answers_by_id = {name: text_of(answer, threshold) for name, answer in answers.items()}
        guessed = sum(unreadable(answerer, question) for question in rows)
        part.write_text(json.dumps(answers_by_id, ensure_ascii=False, indent=1), "utf-8")
    nothing = sum(not text for text in answers_by_id.values())
    summary = Summary(len(rows), nothing, guessed, time.monotonic() - started, [])
    known = [question for question in rows if question.answers or question.impossible]
    if not known:
        return summary
    rules = RULES.get(answerer.recipe.language, SQUAD)
    exact, overlap = _scores(rules, known, [answers_by_id[question.id] for question in known])
    empty = np.array([question.impossible for question in known])
    scored = replace(summary, figures=_figures(exact, overlap))
    if not empty.any():
        return scored
    _, always = _scores(rules, known, [text_of(answers[question.id], None) for question in known])
    odds = np.array([answers[question.id].nothing for question in known])
    return replace(
        scored,
        answerable=[] if empty.all() else _figures(exact[~empty], overlap[~empty]),
        impossible=_figures(exact[empty], overlap[empty]),
        best=_best_threshold(odds, always, empty),
    )


def _figures(exact: NDArray[np.bool_], overlap: NDArray[np.float64]) -> list[MetricValue]:
    return [evaluation.mean("f1", overlap), share("em", exact)]


def _scores(
    rules: Rules, known: Sequence[Question], texts: Sequence[str]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Exact match and F1 of each question; where the text holds no answer, nothing is the right one."""
    golds = [[gold.text for gold in question.answers] or [""] for question in known]
    exact, overlap = evaluation.scores(rules, texts, golds)
    empty = np.array([question.impossible for question in known])
    right = np.array([not text for text in texts])
    return np.where(empty, right, exact), np.where(empty, right, overlap)


def _best_threshold(
    odds: NDArray[np.float64], overlap: NDArray[np.float64], empty: NDArray[np.bool_]
) -> tuple[float, float]:
    """The highest mean F1 over all thresholds, and a threshold in the middle of the lowest range that gives it.

    Args:
        odds: Probability of no answer, shape (questions,).
        overlap: F1 of the span that is answered where the threshold allows it.
        empty: Where no answer is the right one.
    """
    order = np.argsort(odds, kind="stable")
    sums = empty.sum() + np.concatenate([[0.0], np.cumsum((overlap - empty)[order])])
    thresholds = np.concatenate([[0.0], odds[order]])
    last = np.append(thresholds[1:] > thresholds[:-1], True)  # of equal odds, all or none are answered
    f1 = np.where(last, sums, -1.0) / len(odds)
    best = int(f1.argmax())
    middle = (thresholds[best] + np.append(thresholds, 1.0)[best + 1]) / 2
    return float(f1[best]), float(middle)
