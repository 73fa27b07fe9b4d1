"""Questions that a training cannot use: left out and told with their number, or refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.errors import DataError
from engine.families.span_qa import questions
from engine.families.span_qa.questions import Gold, make_set
from tests.engine.families.span_qa.questions.tables import QUESTION, row, write
from tests.factories.span_qa import toy_questions

_BAD = {
    "it has no answer": replace(QUESTION, id="bad", answers=()),
    "the answer 'Seoul' does not stand at character 1": replace(QUESTION, id="bad", answers=(Gold("Seoul", 1),)),
    "an answer is empty": replace(QUESTION, id="bad", answers=(Gold("", 0),)),
    "the question is empty": replace(QUESTION, id="bad", question=" "),
    "its text is empty": replace(QUESTION, id="bad", context="  ", answers=(Gold(" ", 0),)),
    "the id stands there twice": QUESTION,
}


@pytest.mark.parametrize("why", _BAD)
def test_a_training_leaves_bad_questions_out_and_says_so(tmp_path: Path, why: str) -> None:
    """With their number, id and reason, and how many are kept; --strict refuses the first."""
    good = toy_questions(3)
    write(tmp_path / "train.parquet", [row(question) for question in (QUESTION, good[0], _BAD[why], good[1])])
    write(tmp_path / "validation.parquet", [row(good[2])])
    corpus = questions.load("squad", str(tmp_path))
    assert corpus.train.questions == [QUESTION, good[0], good[1]]
    (remark,) = corpus.remarks
    assert f"1 question(s) left out; the first is number 3, '{_BAD[why].id}': {why}" in remark
    assert remark.endswith("3 of 4 kept.")
    assert corpus.train.sha256 == make_set(corpus.train.questions).sha256
    with pytest.raises(DataError, match="without --strict it is left out") as caught:
        questions.load("squad", str(tmp_path), strict=True)
    assert why in str(caught.value)


def test_a_split_of_bad_questions_alone_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "train.parquet", [row(_BAD["it has no answer"])])
    with pytest.raises(DataError, match=r"0 of 1 kept\."):
        questions.load("squad", str(tmp_path))


def test_numbers_of_questions_without_ids_count_those_that_are_left_out(tmp_path: Path) -> None:
    """Else a later file would call its own alike."""
    rows = [{key: value for key, value in row(question).items() if key != "id"} for question in toy_questions(3)]
    rows[0]["answers"] = None
    for name in ("train-0", "train-1", "validation"):
        write(tmp_path / f"{name}.parquet", rows)
    corpus = questions.load("squad", str(tmp_path))
    assert [question.id for question in corpus.train.questions] == ["train-2", "train-3", "train-5", "train-6"]
