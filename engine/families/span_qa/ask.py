"""Asking a trained model: one text and its questions."""

from collections.abc import Sequence

from engine.base.errors import DataError
from engine.data import readability
from engine.data.question import Question
from engine.families.span_qa.answerer import Answer, Answerer

LONGEST_CONTEXT = 100_000
"""Characters of a text that is still answered: some 200 windows."""


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


def text_of(answer: Answer, threshold: float | None) -> str:
    """The best span's text; empty where there is none, or "no answer" is likelier than ``threshold``."""
    if not answer.best or (threshold is not None and answer.nothing > threshold):
        return ""
    return answer.best[0].text
