"""Answering the questions of a file."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from db.runs.writer import MetricValue
from db.statistics.qa_scoring import RULES, SQUAD
from engine.base.errors import DataError
from engine.data import tables
from engine.families.span_qa import evaluation, questions
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.ask import check, text_of, unreadable


@dataclass(frozen=True)
class Summary:
    """What happened to a file.

    Attributes:
        questions: Answered.
        nothing: Questions that were given no answer.
        guessed: Questions whose answer is a guess; see ``unreadable``.
        seconds: From file to file.
        figures: Scores, where the file holds the right answers.
    """

    questions: int
    nothing: int
    guessed: int
    seconds: float
    figures: list[MetricValue]


def ask_file(
    answerer: Answerer, source: Path, target: Path, *, threshold: float | None = None, force: bool = False
) -> Summary:
    """Answer the questions of a file and write them as ``{id: text}``, which the official scorer reads.

    Where the file holds the right answers, they are scored too. The output appears whole or not at all.

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
        answers_by_id = {
            question.id: text_of(answer, threshold)
            for question, answer in zip(rows, answerer.answer(rows, 1, source.name), strict=True)
        }
        guessed = sum(unreadable(answerer, question) for question in rows)
        part.write_text(json.dumps(answers_by_id, ensure_ascii=False, indent=1), "utf-8")
    known = [question for question in rows if question.answers]
    figures = []
    if known:
        rules = RULES.get(answerer.recipe.language, SQUAD)
        golds = [[gold.text for gold in question.answers] for question in known]
        figures = evaluation.official(rules, [answers_by_id[question.id] for question in known], golds)
    nothing = sum(not text for text in answers_by_id.values())
    return Summary(len(rows), nothing, guessed, time.monotonic() - started, figures)
