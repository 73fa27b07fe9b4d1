"""From logits to answers, against a search over all spans."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.families.span_qa.answerer import Answer, Scored, candidates, merged
from engine.families.span_qa.windows import Window, cut
from tests.factories.span_qa import make_question, toy_tokenizer
from tests.factories.span_qa import settings as sizes


def _window(first: int, last: int, size: int) -> Window:
    """A window whose text tokens are the words ``w`` of a text, two characters each."""
    offsets = np.zeros((size, 2), dtype=np.int32)
    for index in range(first, last + 1):
        offsets[index] = (2 * (index - first), 2 * (index - first) + 1)
    return Window(0, np.zeros(size, np.int32), np.zeros(size, np.int8), offsets, first, last)


def _brute(window: Window, logits: NDArray[np.float32], longest: int) -> list[tuple[float, int, int]]:
    """Every allowed span with its sum, best first, the earlier first among equals."""
    spans = [
        (float(logits[i, 0] + logits[j, 1]), i, j)
        for i in range(window.first, window.last + 1)
        for j in range(i, min(i + longest, window.last + 1))
    ]
    return sorted(spans, key=lambda span: (-span[0], span[1], span[2]))


@st.composite
def _cases(draw: st.DrawFn, coarse: bool) -> tuple[Window, NDArray[np.float32], int, int]:
    before, inside, after = draw(st.integers(1, 4)), draw(st.integers(1, 12)), draw(st.integers(0, 2))
    size = before + inside + after
    values = st.integers(-2, 2).map(float) if coarse else st.floats(-20, 20, width=32)
    flat = draw(st.lists(values, min_size=2 * size, max_size=2 * size))
    window = _window(before, before + inside - 1, size)
    return window, np.array(flat, dtype=np.float32).reshape(size, 2), draw(st.integers(1, 15)), draw(st.integers(1, 90))


@settings(max_examples=300, deadline=None)
@given(st.one_of(_cases(coarse=False), _cases(coarse=True)))
def test_the_best_spans_are_those_of_a_search_over_all(case: tuple[Window, NDArray[np.float32], int, int]) -> None:
    """Only text, in order, not too long, the best first, the earlier first among equals; the mass is that of all."""
    window, logits, longest, keep = case
    result, expected = candidates(window, logits, longest=longest, keep=keep), _brute(window, logits, longest)
    assert [(float(s), int(i), int(j)) for s, i, j in zip(result.sums, result.first, result.last, strict=True)] == (
        expected[:keep]
    )
    assert result.mass == pytest.approx(np.logaddexp.reduce([total for total, _, _ in expected]), abs=1e-4)
    assert result.nothing == pytest.approx(float(logits[0, 0]) + float(logits[0, 1]))


def test_the_last_possible_span_is_found() -> None:
    """The edges of a text: its first token alone, its last token alone, and the longest span that is allowed."""
    window = _window(2, 6, 8)
    for first, last, longest in ((2, 2, 3), (6, 6, 3), (4, 6, 3), (2, 4, 3), (2, 6, 5), (2, 6, 99)):
        logits = np.zeros((8, 2), dtype=np.float32)
        logits[first, 0], logits[last, 1] = 5, 5
        logits[[0, 1, 7]] = 50  # question and separators are never part of an answer
        result = candidates(window, logits, longest=longest, keep=1)
        assert (result.first.tolist(), result.last.tolist(), result.sums.tolist()) == ([first], [last], [10.0])


def test_an_end_before_the_start_is_no_span() -> None:
    """The best start lies behind the best end: the best pair in order is taken."""
    logits = np.zeros((6, 2), dtype=np.float32)
    logits[4, 0], logits[2, 1] = 9, 9
    result = candidates(_window(1, 4, 6), logits, longest=4, keep=20)
    assert all(first <= last for first, last in zip(result.first, result.last, strict=True))
    assert result.sums.max() == 9


def test_a_window_without_text_has_no_candidates() -> None:
    """It says nothing but how sure it is of that."""
    result = candidates(_window(3, 2, 4), np.ones((4, 2), dtype=np.float32), longest=5, keep=3)
    assert (len(result.sums), result.mass, result.nothing) == (0, -np.inf, 2.0)


def test_logits_that_are_no_numbers_give_no_answer() -> None:
    """A broken model says nothing, and breaks nothing."""
    window = _window(1, 3, 5)
    scored = candidates(window, np.full((5, 2), np.nan, dtype=np.float32), longest=5, keep=2)
    assert merged("a b c", [window], [scored], keep=2) == Answer([], 1.0, 1)


def _read(context: str, seed: int = 0, keep: int = 4) -> tuple[list[Window], list[NDArray[np.float32]], list[Scored]]:
    """Small windows of a text with logits of a token's own, so that two windows see a word alike."""
    limits = sizes(max_length=20, stride=6, question_length=4)
    windows = cut(toy_tokenizer(), [make_question(context)], limits)
    own = np.random.default_rng(seed).normal(0, 2, (len(context) + 1, 2)).astype(np.float32)
    logits = []
    for window in windows:
        rows = own[window.offsets[:, 0]].copy()
        rows[: window.first] = rows[window.last + 1 :] = -30
        rows[0] = -3
        logits.append(rows)
    scored = [candidates(window, scores, longest=3, keep=keep) for window, scores in zip(windows, logits, strict=True)]
    return windows, logits, scored


CONTEXT = " ".join(f"{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789")


@pytest.mark.parametrize("seed", range(8))
def test_overlapping_windows_give_each_span_once(seed: int) -> None:
    """The best distinct spans of the whole text, cut from it, falling in probability, which sums to 1 at most."""
    windows, logits, scored = _read(CONTEXT, seed, keep=6)
    assert len(windows) > 2
    answer = merged(CONTEXT, windows, scored, keep=6)
    spans: dict[tuple[int, int], float] = {}
    for window, values in zip(windows, logits, strict=True):
        for total, first, last in _brute(window, values, 3):
            covered = int(window.offsets[first, 0]), int(window.offsets[last, 1])
            spans[covered] = max(total, spans.get(covered, -np.inf))
    expected = sorted(spans, key=lambda covered: (-spans[covered], covered))[:6]
    assert [(span.start, span.end) for span in answer.best] == expected
    assert all(span.text == CONTEXT[span.start : span.end] for span in answer.best)
    assert all(better.probability >= other.probability for better, other in pairwise(answer.best))
    everything = [
        total for window, scores in zip(windows, logits, strict=True) for total, _, _ in _brute(window, scores, 3)
    ]
    for span in answer.best:
        share = np.exp(spans[span.start, span.end]) / np.exp(everything).sum()
        assert span.probability == pytest.approx(share, rel=1e-4)
    assert sum(span.probability for span in answer.best) <= 1
    assert answer.windows == len(windows)
    for span in answer.best:
        window = windows[span.window]
        assert window.offsets[window.first, 0] <= span.start < span.end <= window.offsets[window.last, 1]


def test_all_spans_of_one_window_share_one_probability() -> None:
    """Without overlap nothing is counted twice: what is left of 1 is what was not kept."""
    window = _window(1, 4, 6)
    logits = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    scored = candidates(window, logits, longest=9, keep=99)
    assert sum(span.probability for span in merged("a b c d", [window], [scored], keep=99).best) == pytest.approx(1)


def test_no_answer_is_weighed_against_the_best_span() -> None:
    """The sigmoid of the first token's sum minus the best span's, of the window that is surest of an answer."""
    window = _window(1, 3, 5)
    logits = np.zeros((5, 2), dtype=np.float32)
    logits[0] = (1, 2)
    logits[2] = (0.5, 1.5)
    answers = candidates(window, logits, longest=3, keep=2)
    assert merged("a b c", [window], [answers], keep=1).nothing == pytest.approx(1 / (1 + np.exp(-(3 - 2))))
    logits[0] = (-4, -4)
    other = candidates(window, logits, longest=3, keep=2)
    both = merged("a b c", [window, window], [answers, other], keep=1)
    assert both.nothing == pytest.approx(1 / (1 + np.exp(8 + 2)))
    assert both == merged("a b c", [window, window], [answers, other], keep=1)
    logits[0] = 1e6
    assert merged("a b c", [window], [candidates(window, logits, longest=3, keep=1)], keep=1).nothing == pytest.approx(
        1
    )


def test_equal_spans_keep_the_order_of_the_text() -> None:
    """Whatever number is kept, ties are broken by place."""
    window, logits = _window(1, 6, 8), np.zeros((8, 2), dtype=np.float32)
    everything = [(i, j) for i in range(1, 7) for j in range(i, min(i + 2, 7))]
    for keep in range(1, len(everything) + 2):
        result = candidates(window, logits, longest=2, keep=keep)
        assert list(zip(result.first.tolist(), result.last.tolist(), strict=True)) == everything[:keep]


@pytest.mark.parametrize(
    ("context", "expected"),
    [("is cafe\u0301 old", "cafe\u0301"), ("is caf\u00e9", "caf\u00e9"), ("is e\u0323\u0301", "e\u0323\u0301")],
)
def test_an_answer_keeps_the_marks_of_its_last_letter(context: str, expected: str) -> None:
    """A tokenizer that drops accents does not take them from the answer."""
    (window,) = cut(toy_tokenizer(), [make_question(context)], sizes())
    logits = np.full((len(window.ids), 2), -9, dtype=np.float32)
    inside = np.flatnonzero(window.offsets[window.first :, 0] >= 3) + window.first
    ends = [index for index in inside if index <= window.last and context[window.offsets[index, 0]] in "e\u00e9"]
    logits[inside[0], 0], logits[ends[0], 1] = 9, 9
    best = merged(context, [window], [candidates(window, logits, longest=9, keep=1)], keep=1)
    assert best.best[0].text == expected == context[best.best[0].start : best.best[0].end]


def test_an_empty_text_has_no_answer() -> None:
    """No span, certainly."""
    window = _window(3, 2, 4)
    scored = candidates(window, np.zeros((4, 2), dtype=np.float32), longest=5, keep=3)
    assert merged("", [window], [scored], keep=3) == Answer([], 1.0, 1)
