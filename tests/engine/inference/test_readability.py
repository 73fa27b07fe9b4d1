"""A label for a text that the model cannot read comes with a warning, everywhere."""

import json

import pytest

from engine.checkpoints.shipped import shipped_folder
from engine.data.readability import unreadable
from engine.families.classification import classifiers
from engine.inference import classification
from tests.factories.command_line import CommandLine

KOREAN = classifiers.load(shipped_folder("distilkobilstm-tiny"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("정말 재미있는 영화였다", False),
        ("good", False),
        ("굿 GOOD~!!", False),
        ("★★★ 10/10", False),
        ("You are an idiot and I hate you.", True),
        ("The worst film I have ever seen", True),
        ("これはひどい映画だ", True),
        ("Ужасный фильм", True),
    ],
)
def test_a_korean_vocabulary_spells_english_words(text: str, expected: bool) -> None:
    """English words that reviews hold are read; others are single letters to the model."""
    assert KOREAN.unreadable([text]) is expected


@pytest.mark.parametrize(("text", "expected"), [("A man sleeps.", False), ("남자가 잔다.", True), ("", False)])
def test_the_scripts_alone_decide_without_a_vocabulary(text: str, expected: bool) -> None:
    """N-grams and ensembles have none."""
    assert unreadable(text, "en") is expected


def test_labels_of_many_texts_count_those_that_cannot_be_read() -> None:
    """Missing texts are not counted."""
    answers = classification.answer_rows(KOREAN, [("정말 재미있다",), ("You are an idiot",), (None,), ("",)])
    assert (answers.guessed, answers.empty) == (1, 2)


def test_predict_says_that_a_label_is_a_guess(command_line: CommandLine) -> None:
    """An English insult still gets a label, and a line beside it says what it is worth."""
    code, out, err = command_line(
        "predict", "sentiment", "--threads", "1", "--json", "--model", "distilkobilstm-tiny", "You are an idiot", "좋다"
    )
    assert code == 0
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["You are an idiot", "좋다"]
    assert "1 text(s) are in a language that distilkobilstm-tiny cannot read; their labels are guesses." in err
