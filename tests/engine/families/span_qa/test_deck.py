"""The slide deck's own way to answer: one window, both ends by themselves, tokens joined again."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.families.span_qa import seed_protocols
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.evaluation import evaluate
from engine.families.span_qa.model import SpanModel
from engine.families.span_qa.questions import Question
from engine.families.span_qa.windows import whole
from tests.factories.span_qa import (
    make_question,
    span_recipe,
    started,
    toy_answerer,
    toy_questions,
    toy_tokenizer,
    write_source,
)

LONG = " ".join(f"The dog {number} is red." for number in range(100))


class _Chosen(SpanModel):
    """A model that wants two places, whatever it reads; keeps the lengths that it saw."""

    def __init__(self, source: Path, start: int, end: int) -> None:
        """Wrap a real one, for its configuration."""
        super().__init__(started(span_recipe(source)).inner)
        self.start, self.end = start, end
        self.seen: list[int] = []

    def forward(self, ids: torch.Tensor, types: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """One at the wanted places, nothing elsewhere."""
        self.seen += lengths.tolist()
        logits = torch.zeros(*ids.shape, 2)
        logits[:, self.start, 0], logits[:, self.end, 1] = 1, 1
        return logits


def _answer(source: Path, start: int, end: int, question: Question) -> str:
    answerer = Answerer(span_recipe(source), "", _Chosen(source, start, end), toy_tokenizer())
    (answer,) = seed_protocols.deck_answers(answerer, [question], answerer.read([question]))
    return answer


CONTEXT = "The Dog's hat is RED, 20-odd."
"""Tokens: [CLS] how ? [SEP] the dog ' s hat is red , 2 ##0 - o ##d ##d . [SEP]."""


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (4, 5, "the dog"),  # joined tokens are lower-cased
        (10, 10, "red"),
        (12, 13, "20"),  # pieces of one word are joined
        (10, 11, "red,"),  # and spaces before punctuation taken away,
        (5, 8, "dog ' s hat"),  # but not behind it
        (11, 10, ""),  # an end before the start
        (9, 4, ""),
        (1, 2, "how?"),  # wherever they are: in the question
        (3, 4, "[SEP] the"),  # and on special tokens, which stay
        (0, 0, "[CLS]"),
    ],
)
def test_the_likeliest_ends_are_taken_each_by_itself(source: Path, start: int, end: int, expected: str) -> None:
    """Argmax of start and of end over all tokens; what lies between is joined by the tokenizer."""
    assert _answer(source, start, end, make_question(CONTEXT)) == expected


def test_the_first_of_equal_places_is_taken(source: Path) -> None:
    """As argmax does: without any preference both ends are the first token."""
    answerer = Answerer(span_recipe(source), "", _Chosen(source, 0, 0), toy_tokenizer())
    question = make_question("dog")
    read = answerer.read([question])
    read.logits[0][:] = 0
    assert seed_protocols.deck_answers(answerer, [question], read) == ["[CLS]"]


@pytest.mark.parametrize("positions", [64, 40, 700])
def test_a_long_text_is_cut_at_the_models_positions(tmp_path: Path, positions: int) -> None:
    """At 512, as the deck's models have them, and at fewer where the model has fewer; nothing breaks."""
    source = write_source(tmp_path / "encoder", positions=positions)
    model = _Chosen(source, 1, 2)
    answerer = Answerer(span_recipe(source), "", model, toy_tokenizer())
    some = [make_question(LONG), make_question("the dog")]
    read = answerer.read(some)
    model.seen.clear()
    assert seed_protocols.deck_answers(answerer, some, read) == ["how?", "how?"]
    assert model.seen == [min(positions, 512)]  # the short one was read already
    real = toy_answerer(source)
    assert len(seed_protocols.deck_answers(real, some, real.read(some))) == 2


def test_a_text_that_fits_is_not_read_twice(source: Path) -> None:
    """Where one window holds the whole text its logits serve again, and give what reading again gives."""
    answerer, some = toy_answerer(source), [*toy_questions(8), make_question("red")]
    read = answerer.read(some)
    again = seed_protocols.deck_answers(answerer, some, read)
    read.logits[0][:] = 0  # what is stored is what is used
    assert seed_protocols.deck_answers(answerer, some, read)[0] == "[CLS]"
    alone = [seed_protocols.deck_answers(answerer, [question], answerer.read([question]))[0] for question in some]
    assert again == alone


def test_a_text_in_several_windows_is_read_once_more_as_one(source: Path) -> None:
    """The deck's answer comes from the cut text as a whole, and not from a window of it."""
    answerer = toy_answerer(source)
    question = make_question(
        " ".join(f"The {word} is red." for word in ("dog", "cup", "hat", "pen", "map", "key", "sea", "sun"))
    )
    read = answerer.read([question])
    assert len(read.windows) > 1
    ids = toy_tokenizer().encode(question.question, question.context).ids
    assert len(ids) < 64
    logits = answerer.logits(whole(answerer.tokenizer, [question], 64))[0]
    start, end = logits.argmax(axis=0)
    expected = toy_tokenizer().decode(ids[start : end + 1], skip_special_tokens=False)
    assert seed_protocols.deck_answers(answerer, [question], read) == [expected]


def test_a_shortened_question_is_whole_for_the_deck(source: Path) -> None:
    """The deck knows no limit for questions: its window holds all of the question."""
    question = make_question("The dog is red.", "how is the dog and " * 4)
    model = _Chosen(source, 1, 2)
    answerer = Answerer(span_recipe(source), "", model, toy_tokenizer())
    read = answerer.read([question])
    model.seen.clear()
    seed_protocols.deck_answers(answerer, [question], read)
    assert model.seen == [len(toy_tokenizer().encode(question.question, question.context).ids)]


def test_only_english_models_are_scored_by_it(source: Path) -> None:
    """The deck asks in English; a Korean model has no figures of its rule."""
    some = toy_questions(6)
    for language, names in (
        ("en", ["f1", "em", "f1_seed", "em_seed"]),
        ("ko", ["f1", "em", "failed", "span_accuracy", "eval_loss"]),
    ):
        answerer = toy_answerer(source, language=language)
        result = evaluate(answerer, some, "toy")
        assert [figure.name for figure in result.figures(language)] == names
        assert len(result.by_deck) == (6 if language == "en" else 0)
        assert all(figure.n == 6 for figure in result.figures(language))


def test_its_score_knows_the_first_answer_alone(source: Path) -> None:
    """The official rules take the best of all gold answers, the deck's code compares with one."""
    (question,) = toy_questions(1)
    both = Question(
        "q",
        question.question,
        question.context,
        (question.answers[0], make_question(question.context, answer="The").answers[0]),
    )
    answerer = Answerer(span_recipe(source), "", _Chosen(source, 7, 7), toy_tokenizer())
    result = evaluate(answerer, [both], "toy")
    assert toy_tokenizer().encode(both.question, both.context).tokens[7] == "the"
    assert result.by_deck == ["the"]
    assert result.answer_texts == ["The"]
    figures = {figure.name: figure.value for figure in result.figures("en")}
    assert figures["em"] == 1
    assert (figures["em_seed"], figures["f1_seed"]) == (0, 0)
    assert np.isfinite([figure.low for figure in result.figures("en")]).all()
