"""Answer many questions of a file with several models, and score the answers where the file holds references."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from db.runs.writer import MetricValue
from db.statistics.qa_scoring import RULES, SQUAD
from engine.base.errors import DataError
from engine.data.question import Question
from engine.families.span_qa import ask, evaluation, questions
from engine.families.span_qa.answerer import Answer, Answerer
from engine.families.span_qa.files import FORMS
from engine.inference.answers import answerer_of
from engine.inference.model_cache import InferenceExecutor, LoadedModel

__all__ = ["MAX_BYTES", "MAX_QUESTIONS", "Batch", "Question", "answer", "column", "read"]

MAX_QUESTIONS = 2000
MAX_BYTES = 20 * 1024**2

_OWN = ("id", "question", "context", "gold")
"""Columns that belong to no model."""

_PART = 4
"""Questions of one turn of the executor."""


@dataclass(frozen=True)
class Batch:
    """Answers of several models to many questions.

    Attributes:
        rows: ``id, question, context``, ``gold`` where some are known (several are joined by " | "), and for each model
            ``NAME``, ``NAME probability`` and ``NAME no answer``.
        scores: F1 and exact match of each model over the questions with references, by its key; empty without any.
        known: Questions with references.
        guessed: Questions whose answers are guesses, by the model's key; see ``ask.unreadable``.
    """

    rows: pd.DataFrame
    scores: dict[str, list[MetricValue]]
    known: int
    guessed: dict[str, int]


def read(name: str, content: bytes) -> list[Question]:
    """Read the questions of a file: SQuAD JSON, or CSV, JSON lines or Parquet with the columns question and context.

    Args:
        name: Its suffix names the format.
        content: At most ``MAX_BYTES``.

    Raises:
        DataError: It cannot be read or used, or is too large; the message names the row or question.
    """
    shown = Path(name).name or "the file"
    suffix = Path(shown).suffix.lower()
    if len(content) > MAX_BYTES:
        raise DataError(f"{shown} has {len(content) / 1024**2:.0f} MB; at most {MAX_BYTES // 1024**2} MB are read.")
    if suffix not in FORMS:
        raise DataError(f"{shown}: {suffix or 'a file without a suffix'} is not read; use {', '.join(FORMS)}.")
    with tempfile.TemporaryDirectory(prefix="featherboard-") as scratch:
        path = Path(scratch) / f"questions{suffix}"
        path.write_bytes(content)
        try:
            items = questions.read(path).questions
        except DataError as error:
            raise DataError(str(error).replace(str(path), shown)) from None
    if len(items) > MAX_QUESTIONS:
        raise DataError(
            f"{shown} holds {len(items):,} questions; at most {MAX_QUESTIONS:,} are answered here. "
            "`featherboard ask --input` answers any number."
        )
    ask.check(items)
    return items


def answer(
    executor: InferenceExecutor,
    models: Sequence[LoadedModel],
    items: Sequence[Question],
    *,
    threshold: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Batch:
    """Answer all questions with all models.

    Args:
        executor: Where it is computed; other clients get their turn in between.
        models: That answer questions.
        items: Of ``read``.
        threshold: Answer nothing where the model gives "no answer" more probability than this; None always answers.
        progress: Called with the share that is done, in the thread of the caller.
    """
    known = [bool(item.answers) for item in items]
    rows = pd.DataFrame({name: [getattr(item, name) for item in items] for name in ("id", "question", "context")})
    if any(known):
        rows["gold"] = [" | ".join(dict.fromkeys(gold.text for gold in item.answers)) for item in items]
    scores: dict[str, list[MetricValue]] = {}
    guessed: dict[str, int] = {}
    done, total = 0, len(models) * len(items)
    for model in models:
        answerer, results, guesses = answerer_of(model), [], 0
        for begin in range(0, len(items), _PART):
            part = items[begin : begin + _PART]
            answers, unreadable = executor.do(_turn(answerer, part))
            results += answers
            guesses += unreadable
            done += len(part)
            progress(done / total)
        name = column(model, models)
        rows[name] = texts = [ask.text_of(result, threshold) for result in results]
        rows[f"{name} probability"] = [result.best[0].probability if result.best else None for result in results]
        rows[f"{name} no answer"] = [result.nothing for result in results]
        guessed[model.ref.key] = guesses
        if any(known):
            rules = RULES.get(answerer.recipe.language, SQUAD)
            references = [[gold.text for gold in item.answers] for item in items if item.answers]
            predicted = [text for text, has_reference in zip(texts, known, strict=True) if has_reference]
            scores[model.ref.key] = evaluation.official(rules, predicted, references)
    return Batch(rows, scores, sum(known), guessed)


def _turn(answerer: Answerer, part: Sequence[Question]) -> Callable[[], tuple[list[Answer], int]]:
    """Answer some questions, and count those that the model cannot read."""
    return lambda: (list(answerer.answer(part, 1)), sum(ask.unreadable(answerer, item) for item in part))


def column(model: LoadedModel, models: Sequence[LoadedModel]) -> str:
    """The column of a model's answers: its name, with a number where that is taken already."""
    same_name = [other for other in models if other.ref.name == model.ref.name]
    unique = len(same_name) == 1 and model.ref.name not in _OWN
    return model.ref.name if unique else f"{model.ref.name} ({same_name.index(model) + 1})"
