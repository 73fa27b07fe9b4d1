"""Questions that the text does not answer, in files: scored by the rules of SQuAD 2."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engine.data.question import Question
from engine.families.span_qa import ask_file
from engine.families.span_qa.answerer import Answer, Span

TEXT = "The red box is on the table."
ENTRIES = [
    ("box", [{"text": "on the table", "answer_start": 15}], False, "on the table", 0.1),
    ("colour", [{"text": "red", "answer_start": 4}], False, "red box", 0.6),
    ("moon", [], True, "box", 0.5),
    ("sun", [], True, "table", 0.9),
    ("open", [], False, "box", 0.2),
]
"""Id, answers, whether there is none, the model's span, and its probability of no answer; the last is not scored."""


class _Answerer:
    """A model whose answers are known."""

    recipe = SimpleNamespace(language="en")
    tokenizer = None

    def answer(self, questions: Sequence[Question], keep: int, name: str) -> list[Answer]:
        known = {entry[0]: entry[3:] for entry in ENTRIES}
        return [Answer([Span(known[q.id][0], 0, 1, 1.0, 0)], known[q.id][1], 1) for q in questions]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of SQuAD 2."""
    monkeypatch.setattr(ask_file, "unreadable", lambda *_: False)
    entries = [
        {"id": name, "question": f"{name}?", "answers": answers, "is_impossible": impossible}
        for name, answers, impossible, *_ in ENTRIES
    ]
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({"data": [{"paragraphs": [{"context": TEXT, "qas": entries}]}]}), "utf-8")
    return file


@pytest.mark.parametrize(
    ("threshold", "answered", "nothing"), [(None, (1 + 2 / 3) / 2, 0.0), (0.5, 1 / 2, 1 / 2), (0.4, 1 / 2, 1.0)]
)
def test_no_answer_is_right_where_there_is_none(
    source: Path, tmp_path: Path, threshold: float | None, answered: float, nothing: float
) -> None:
    """F1 of both kinds and of all; a question of which nothing is known is not scored."""
    done = ask_file.ask_file(_Answerer(), source, tmp_path / "out.json", threshold=threshold)  # type: ignore[arg-type]
    assert done.answerable[0].value == pytest.approx(answered)
    assert done.impossible[0].value == done.impossible[1].value == nothing
    assert done.figures[0].value == pytest.approx((answered + nothing) / 2)
    assert [figure.n for figure in (*done.figures, *done.answerable, *done.impossible)] == [4, 4, 2, 2, 2, 2]


def test_the_best_threshold_gives_its_f1(source: Path, tmp_path: Path) -> None:
    """Asked with it, the file scores as was said; no other threshold scores higher."""
    done = ask_file.ask_file(_Answerer(), source, tmp_path / "out.json")  # type: ignore[arg-type]
    assert done.best is not None
    best, threshold = done.best
    scores = {
        value: ask_file.ask_file(_Answerer(), source, tmp_path / "out.json", threshold=value, force=True)  # type: ignore[arg-type]
        .figures[0]
        .value
        for value in (threshold, *np.linspace(0, 1, 21))
    }
    assert scores[threshold] == pytest.approx(best)
    assert max(scores.values()) == pytest.approx(best)


def test_of_equal_probabilities_all_or_none_are_answered() -> None:
    """A threshold cannot part them."""
    odds, overlap, empty = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([False, True])
    assert ask_file._best_threshold(odds, overlap, empty) == (0.5, 0.25)
