"""Asking a trained model: one text and its questions, or a file of them."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from db.runs.writer import MetricValue
from db.statistics.qa_scoring import RULES, SQUAD
from engine.base.errors import DataError
from engine.data import readability, tables
from engine.families.span_qa import evaluation, questions
from engine.families.span_qa.answerer import Answer, Answerer
from engine.families.span_qa.questions import Question

LONGEST_CONTEXT = 100_000
"""Characters of a text that is still answered: some 200 windows."""


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


def check(questions_asked: Sequence[Question], longest: int | None = None) -> None:
    """Refuse what cannot be asked.

    Args:
        questions_asked: Questions with their texts.
        longest: Characters of the longest question; None: any number, of which the first tokens are read.

    Raises:
        DataError: A question or a text is empty, is no Unicode, or a text is too long; the message names it.
    """
    for question in questions_asked:
        if not question.question.strip():
            raise DataError(f"The question {question.id!r} is empty. Nothing was answered.")
        if longest is not None and len(question.question) > longest:
            raise DataError(
                f"The question has {len(question.question):,} characters; {longest:,} are the "
                "most. Nothing was answered."
            )
        if not question.context.strip():
            raise DataError(f"The question {question.id!r} has an empty text. Nothing was answered.")
        if len(question.context) > LONGEST_CONTEXT:
            raise DataError(
                f"The text of the question {question.id!r} has {len(question.context):,} characters; "
                f"{LONGEST_CONTEXT:,} are the most that is answered at once. Split it; nothing was answered."
            )
        try:
            f"{question.question}{question.context}".encode()
        except UnicodeEncodeError:
            raise DataError(f"The question {question.id!r} or its text is not UTF-8. Nothing was answered.") from None


def unreadable(answerer: Answerer, question: Question) -> bool:
    """Whether the model cannot read question or text, so that its answer is a guess."""
    texts = (question.question, question.context)
    return any(readability.unreadable(text, answerer.recipe.language, answerer.tokenizer) for text in texts)


def ask(answerer: Answerer, questions_asked: Sequence[Question], keep: int = 1) -> list[Answer]:
    """Answers to a few questions; see ``check`` for what is refused."""
    check(questions_asked)
    return list(answerer.answer(questions_asked, keep))


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


def text_of(answer: Answer, threshold: float | None) -> str:
    """The best span's text; empty where there is none, or "no answer" is likelier than ``threshold``."""
    if not answer.best or (threshold is not None and answer.nothing > threshold):
        return ""
    return answer.best[0].text
