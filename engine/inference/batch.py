"""Many questions from somebody's file, answered by several models, and scored where the file tells the answers."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from db.runs.writer import MetricValue
from db.statistics.qa_scoring import RULES, SQUAD
from engine.base.errors import DataError
from engine.families.span_qa import ask as plain
from engine.families.span_qa import evaluation, questions
from engine.families.span_qa.files import FORMS, Question
from engine.inference import answers as asking
from engine.inference.executor import Desk
from engine.inference.model_cache import Held

__all__ = ["MOST_BYTES", "MOST_QUESTIONS", "Batch", "Question", "answer", "column", "read"]

MOST_QUESTIONS = 2000
MOST_BYTES = 20 * 1024**2

_OWN = ("id", "question", "context", "gold")
"""Columns that are no model's."""

_PART = 4
"""Questions of one turn at the desk."""


@dataclass(frozen=True)
class Batch:
    """What models say to many questions.

    Attributes:
        rows: ``id, question, context``, ``gold`` where some are known (several are joined by " | "), and for each model
            ``NAME``, ``NAME probability`` and ``NAME no answer``.
        scores: F1 and exact match of each model over the questions whose answers are known, by its key; empty where
            none is known.
        known: Questions whose answers are known.
        guessed: Questions whose answers are guesses, by the model's key; see ``ask.unreadable``.
    """

    rows: pd.DataFrame
    scores: dict[str, list[MetricValue]]
    known: int
    guessed: dict[str, int]


def read(name: str, content: bytes) -> list[Question]:
    """The questions of a file: SQuAD JSON, or CSV, JSON lines or Parquet with the columns question and context.

    Args:
        name: Its ending says what it is.
        content: At most ``MOST_BYTES``.

    Raises:
        DataError: It cannot be read or used, or is too large; the message names the row or question.
    """
    shown = Path(name).name or "the file"
    suffix = Path(shown).suffix.lower()
    if len(content) > MOST_BYTES:
        raise DataError(f"{shown} has {len(content) / 1024**2:.0f} MB; {MOST_BYTES // 1024**2} are the most.")
    if suffix not in FORMS:
        raise DataError(f"{shown}: {suffix or 'a file without an ending'} is not read; use {', '.join(FORMS)}.")
    with tempfile.TemporaryDirectory(prefix="featherboard-") as scratch:
        place = Path(scratch) / f"questions{suffix}"
        place.write_bytes(content)
        try:
            found = questions.read(place).questions
        except DataError as error:
            raise DataError(str(error).replace(str(place), shown)) from None
    if len(found) > MOST_QUESTIONS:
        raise DataError(
            f"{shown} holds {len(found):,} questions; {MOST_QUESTIONS:,} are the most here. `featherboard ask --input` "
            "answers any number."
        )
    plain.check(found)
    return found


def answer(
    desk: Desk,
    models: Sequence[Held],
    asked: Sequence[Question],
    *,
    threshold: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Batch:
    """Answer all questions with all models.

    Args:
        desk: Where it is computed; others get their turn in between.
        models: That answer questions.
        asked: Of ``read``.
        threshold: Answer nothing where the model gives "no answer" more probability than this; None always answers.
        progress: Called with the share that is done, in the thread of the caller.
    """
    known = [one for one in asked if one.answers]
    rows = pd.DataFrame(
        {
            "id": [one.id for one in asked],
            "question": [one.question for one in asked],
            "context": [one.context for one in asked],
        }
    )
    if known:
        rows["gold"] = [" | ".join(dict.fromkeys(gold.text for gold in one.answers)) for one in asked]
    scores: dict[str, list[MetricValue]] = {}
    guessed: dict[str, int] = {}
    done, total = 0, len(models) * len(asked)
    for held in models:
        answerer = asking.answerer_of(held)
        said: list[str] = []
        shares: list[tuple[float | None, float]] = []
        count = 0
        for begin in range(0, len(asked), _PART):
            part = asked[begin : begin + _PART]
            found = desk.do(lambda part=part, one=answerer: list(one.answer(part, 1)))  # type: ignore[misc]
            count += desk.do(lambda part=part, one=answerer: sum(plain.unreadable(one, it) for it in part))  # type: ignore[misc]
            said += [plain.text_of(one, threshold) for one in found]
            shares += [(one.best[0].probability if one.best else None, one.nothing) for one in found]
            done += len(part)
            progress(done / total)
        name = column(held, models)
        rows[name] = said
        rows[f"{name} probability"] = [share for share, _ in shares]
        rows[f"{name} no answer"] = [nothing for _, nothing in shares]
        guessed[held.choice.key] = count
        if known:
            rules = RULES.get(answerer.recipe.language, SQUAD)
            golds = [[gold.text for gold in one.answers] for one in known]
            right = [text for text, one in zip(said, asked, strict=True) if one.answers]
            scores[held.choice.key] = evaluation.official(rules, right, golds)
    return Batch(rows, scores, len(known), guessed)


def column(held: Held, models: Sequence[Held]) -> str:
    """What a model's answers are called in the table: its name, with a number where that is taken already."""
    alike = [one for one in models if one.choice.name == held.choice.name]
    own = len(alike) == 1 and held.choice.name not in _OWN
    return held.choice.name if own else f"{held.choice.name} ({alike.index(held) + 1})"
