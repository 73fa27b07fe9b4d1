"""A question over a text, and its right answers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gold:
    """An answer that counts as right, and the character at which it stands in the text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        id: Unique within its set.
        question: What is asked.
        context: The text that holds the answer.
        answers: None where the question has no known answer.
        guessed: The place of the answer is a guess; see ``QAConfig.exact_offsets``.
        impossible: The text is known to hold no answer, as SQuAD 2 marks it.
    """

    id: str
    question: str
    context: str
    answers: tuple[Gold, ...] = ()
    guessed: bool = False
    impossible: bool = False
