"""Texts as windows: nothing of a text is lost, offsets cut the text itself, and targets point at the answer."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as looked
from hypothesis import strategies as st
from tokenizers import processors

from engine.base.errors import RecipeError
from engine.families.span_qa import windows
from engine.families.span_qa.questions import Gold, Question
from engine.families.span_qa.windows import Window, cut, targets, whole
from engine.recipes.schema import QAConfig
from tests.factories.span_qa import SPECIAL, make_question, settings, toy_questions, toy_tokenizer

TOKENIZER = toy_tokenizer()
QAS = settings(max_length=24, stride=4, question_length=8)
LONG = " ".join(f"The dog {number} is red." for number in range(40))

# Letters that the tokenizer knows, and everything that makes offsets hard: emoji of several characters, right-to-left,
# combining marks, Hangul in syllables and in letters, ligatures, line ends, invisible characters.
_HARD = [
    "👍🏽",
    "👩\u200d👩\u200d👧",
    "שלום",
    "مُحَمَّد",
    "e\u0301",
    "각",
    "서울",
    "ᄀ",
    "ﬁ",
    "ﷺ",
    "\u200b",
    "\x00",
    "\r\n",
    "\u2028",
    "İ",
    "ß",
]
TEXT = st.lists(st.one_of(st.sampled_from(["the ", "dog", " is red.", *_HARD]), st.text(max_size=4)), max_size=60).map(
    "".join
)


def _cut(context: str, question: str = "how?", limits: QAConfig = QAS) -> list[Window]:
    return cut(TOKENIZER, [make_question(context, question)], limits)


def _text(window: Window) -> list[tuple[int, int]]:
    return [tuple(pair) for pair in window.offsets[window.first : window.last + 1].tolist()]


def _tokens(window: Window) -> list[str]:
    return [TOKENIZER.id_to_token(int(token)) for token in window.ids]


@looked(max_examples=150, deadline=None)
@given(TEXT, st.text(max_size=30))
def test_every_token_of_a_text_is_in_a_window(context: str, question: str) -> None:
    """Windows repeat the question, overlap by the stride, fit the length, and together are the text's own tokens."""
    alone = TOKENIZER.encode(context, add_special_tokens=False)
    windows = _cut(context, question)
    heads = {tuple(window.ids[: window.first]) for window in windows if window.last >= window.first}
    assert len(heads) <= 1
    joined: list[tuple[int, int, int]] = []
    for number, window in enumerate(windows):
        assert window.question == 0
        assert len(window.ids) == len(window.types) == len(window.offsets) <= QAS.max_length
        own = [
            (int(token), *span)
            for token, span in zip(window.ids[window.first : window.last + 1], _text(window), strict=True)
        ]
        shared = QAS.stride if number else 0
        assert own[:shared] == joined[len(joined) - shared :]
        joined += own[shared:]
        assert number == 0 or len(own) > shared
    expected = [(token, *span) for token, span in zip(alone.ids, alone.offsets, strict=True)]
    assert joined == expected


@looked(max_examples=150, deadline=None)
@given(TEXT)
def test_offsets_cut_the_text_itself(context: str) -> None:
    """They rise, stay inside the text, and every letter or digit that the tokenizer keeps lies in one of them."""
    covered = np.zeros(len(context), dtype=bool)
    for window in _cut(context):
        places = _text(window)
        assert all(0 <= start < end <= len(context) for start, end in places)
        assert all(left[0] <= other[0] and left[1] <= other[1] for left, other in pairwise(places))
        for token, (start, end) in zip(_tokens(window)[window.first :], places, strict=False):
            covered[start:end] = True
            piece = token.removeprefix("##")
            if piece != SPECIAL[1] and piece.isascii() and context[start:end].isascii():
                assert context[start:end].lower() == piece
    for index, letter in enumerate(context):
        assert covered[index] or not (letter.isascii() and letter.isalnum())


def test_question_and_text_are_told_apart() -> None:
    """Types are 0 up to the question's separator and 1 behind it; first and last frame the text."""
    (window,) = _cut("the dog is red", "how?")
    assert _tokens(window) == ["[CLS]", "how", "?", "[SEP]", "the", "dog", "is", "red", "[SEP]"]
    assert window.types.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert (window.first, window.last) == (4, 7)
    assert _text(window) == [(0, 3), (4, 7), (8, 10), (11, 14)]


def test_neighbouring_windows_share_the_stride() -> None:
    """A window is full but for the last, and each begins with the stride's tokens of the one before."""
    windows = _cut(LONG)
    assert len(windows) > 5
    assert {len(window.ids) for window in windows[:-1]} == {QAS.max_length}
    for left, other in pairwise(windows):
        assert _text(left)[-QAS.stride :] == _text(other)[: QAS.stride]
        assert _text(left)[-QAS.stride - 1] not in _text(other)


@pytest.mark.parametrize(
    "question",
    [
        "how " * 30,
        "how " * 9,
        "x" * 30,
        "how? " + "서울 각 " * 20,
        "각" * 8,
        "가각" * 3,
        "ﷺ" * 8,
        "🙂" * 64,
        "dog " * 7 + "dogdogdog",
    ],
)
def test_a_long_question_is_shortened(question: str) -> None:
    """To the tokens that the recipe keeps, though it may have fewer characters than tokens; the text keeps its room."""
    whole_question = TOKENIZER.encode(question, add_special_tokens=False).tokens
    for window in _cut(LONG, question):
        tokens = _tokens(window)[1 : window.first - 1]
        assert len(tokens) <= QAS.question_length
        assert tokens == whole_question[: len(tokens)]
        assert window.last - window.first + 1 > QAS.stride
    assert len(tokens) >= min(len(whole_question), QAS.question_length) - 2  # a character is never cut in two


@pytest.mark.parametrize("context", ["", " ", "\n\t", "\x00"])
def test_an_empty_text_is_one_window_without_a_text(context: str) -> None:
    """It holds the question alone."""
    (window,) = _cut(context)
    assert window.last < window.first
    assert targets([window], [make_question(context)]).tolist() == [[0, 0]]
    assert _tokens(window) == ["[CLS]", "how", "?", "[SEP]", "[SEP]"]


def test_many_questions_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows name their question, whatever is tokenized together, and do not depend on each other."""
    some = [*toy_questions(5), make_question(LONG), *toy_questions(4, 1)]
    together = cut(TOKENIZER, some, QAS)
    monkeypatch.setattr(windows, "CHUNK", 3)
    parts = cut(TOKENIZER, some, QAS, "in parts")
    alone = [_cut(question.context, question.question) for question in some]
    assert [window.question for window in together] == [i for i, windows in enumerate(alone) for _ in windows]
    flat = [window for windows in alone for window in windows]
    for joined, other, third in zip(together, parts, flat, strict=True):
        assert joined.ids.tolist() == other.ids.tolist() == third.ids.tolist()
        assert joined.question == other.question
        assert joined.offsets.tolist() == third.offsets.tolist()
    assert cut(TOKENIZER, [], QAS) == []


def test_settings_of_the_tokenizers_file_change_nothing() -> None:
    """A tokenizer that was saved with padding and cutting of its own gives the same windows."""
    other = toy_tokenizer()
    other.enable_padding(length=50)
    other.enable_truncation(7)
    for window, expected in zip(cut(other, [make_question(LONG)], QAS), _cut(LONG), strict=True):
        assert window.ids.tolist() == expected.ids.tolist()


def test_a_tokenizer_that_needs_more_room_is_told() -> None:
    """Four special tokens, as RoBERTa puts them, may leave no room for new text: a line, and no endless windows."""
    other = toy_tokenizer()
    other.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tight = settings(max_length=20, stride=8, question_length=8)
    assert cut(toy_tokenizer(), [make_question(LONG, "how " * 9)], tight)
    with pytest.raises(RecipeError, match=r"qa\.max_length = 20: this tokenizer adds 4 tokens"):
        cut(other, [make_question(LONG, "how " * 9)], tight)


def _answer(context: str, answer: str, start: int | None = None) -> list[str | None]:
    """What the target of each window cuts from the text; None where it says "not here"."""
    question = make_question(context, answer=answer, start=start)
    windows = cut(TOKENIZER, [question], QAS)
    cuts: list[str | None] = []
    for window, (first, last) in zip(windows, targets(windows, [question]), strict=True):
        if first == last == 0:
            cuts.append(None)
            continue
        assert window.first <= first <= last <= window.last
        cuts.append(context[window.offsets[first, 0] : window.offsets[last, 1]])
    return cuts


@pytest.mark.parametrize("answer", ["the dog 0 is", "39 is red", "dog 17", "red.", "20", "The dog 0", "is red."])
def test_targets_cut_the_answer(answer: str) -> None:
    """In every window that holds it whole, at the text's very start and end too; elsewhere it is not there."""
    context = LONG.replace("The dog 0", "the dog 0") if answer.startswith("the") else LONG
    answers = _answer(context, answer)
    assert answer in answers
    assert set(answers) <= {answer, None}
    question = make_question(context, answer=answer)
    start, end = question.answers[0].start, question.answers[0].start + len(answer)
    for part, window in zip(answers, cut(TOKENIZER, [question], QAS), strict=True):
        holds = _text(window)[0][0] <= start and _text(window)[-1][1] >= end
        assert (part == answer) == holds


@looked(max_examples=150, deadline=None)
@given(st.data())
def test_any_whole_words_are_found_again(data: st.DataObject) -> None:
    """Any span that begins and ends with a token is the target of a window that holds it, if it is short enough."""
    context = data.draw(TEXT.filter(lambda text: any(_text(window) for window in _cut(text))))
    places = TOKENIZER.encode(context, add_special_tokens=False).offsets
    first = data.draw(st.integers(0, len(places) - 1))
    last = data.draw(st.integers(first, min(first + QAS.stride - 1, len(places) - 1)))
    answer = context[places[first][0] : places[last][1]]
    answers = _answer(context, answer, places[first][0])
    expected = {answer}
    if any(span[0] < places[last][1] <= span[1] for span in places[last + 1 :]):
        return  # the next token shares the last character: which windows hold the whole is another question
    assert set(answers) - {None} == expected


@pytest.mark.parametrize(
    ("context", "start", "answer", "expected"),
    [
        ("the dog is red", 3, " dog ", "dog"),  # spaces at its ends are no token
        ("the red ", 4, "red ", "red"),  # nor at the end of the text
        (" red dog", 0, " red", "red"),
        ("the cafe\u0301 is", 4, "cafe\u0301", "cafe"),  # a mark that the tokenizer drops
        ("is cafe\u0301", 3, "cafe\u0301", "cafe"),
        ("the reddish dog", 4, "red", "red"),  # part of a word that is cut into letters
        ("the dogs", 4, "dog", "dog"),
        ("the [dog]", 5, "dog", "dog"),
    ],
)
def test_an_answer_that_tokens_cannot_cut_exactly(context: str, start: int, answer: str, expected: str) -> None:
    """The target is what lies in it, and never a neighbouring word."""
    assert _answer(context, answer, start) == [expected]


def test_part_of_an_unknown_word_is_the_whole_word() -> None:
    """A token is not cut."""
    assert _answer("the 한국어 is", "한국", 4) == ["한국어"]
    assert _answer("the \u200b dog", "\u200b", 4) == [None]  # no token at all


def test_the_first_answer_is_learned() -> None:
    """Of several the first one; a question without an answer is not there in any window."""
    question = Question("q", "how?", "red dog red", (Gold("dog", 4), Gold("red", 0)))
    windows = cut(TOKENIZER, [question, make_question("red dog")], QAS)
    first = windows[0].first
    assert targets(windows, [question, make_question("red dog")]).tolist() == [[first + 1, first + 1], [0, 0]]


def test_the_deck_sees_one_window() -> None:
    """Cut off where the positions end, and whole where it fits; the tokenizer is left as it was."""
    long, short = make_question(LONG), make_question("the dog")
    first, second = whole(TOKENIZER, [long, short], 30)
    assert len(first.ids) == 30
    assert first.ids[:-1].tolist() == _cut(LONG, limits=settings(max_length=400, stride=6))[0].ids[:29].tolist()
    assert second.ids.tolist() == _cut("the dog")[0].ids.tolist()
    assert TOKENIZER.truncation is None
