"""Files of questions that cannot be used: one line each, with the place."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.families.span_qa.questions import Gold
from tests.engine.families.span_qa.questions.tables import QUESTION, message, row, write
from tests.factories.span_qa import as_squad, toy_questions


def _squad(change: Any) -> bytes:
    articles = as_squad(toy_questions(2))
    change(articles["data"][0])
    return json.dumps(articles).encode()


def _change(key: str, value: Any, where: str) -> Any:
    def apply(article: dict[str, Any]) -> None:
        paragraph = article["paragraphs"][0]
        level = {"article": article, "paragraph": paragraph, "question": paragraph["qas"][1]}[where]
        level[key] = value

    return apply


WRONG: dict[str, tuple[str, bytes, str]] = {
    "empty json": ("in.json", b"", "not JSON"),
    "cut off": ("in.json", _squad(lambda article: None)[:-20], "not JSON: "),
    "no data": ("in.json", b'{"version": "1.1"}', "this is no SQuAD file: there is no list 'data'"),
    "a list": ("in.json", b'[{"question": "?"}]', "this is no SQuAD file"),
    "data is a text": ("in.json", b'{"data": "x"}', "this is no SQuAD file"),
    "no articles": ("in.json", b'{"data": []}', "holds no questions"),
    "an article is a text": ("in.json", b'{"data": ["x"]}', "article 1: there is no list 'paragraphs'"),
    "paragraphs are a text": ("in.json", _squad(_change("paragraphs", "x", "article")), "article 1: there is no list"),
    "a paragraph is null": (
        "in.json",
        _squad(_change("paragraphs", [None], "article")),
        "article 1, paragraph 1: there is no list 'qas'",
    ),
    "qas are a number": ("in.json", _squad(_change("qas", 1, "paragraph")), "paragraph 1: there is no list 'qas'"),
    "qas are texts": ("in.json", _squad(_change("qas", ["x"], "paragraph")), "question 1: is no JSON object"),
    "no context": ("in.json", _squad(_change("context", None, "paragraph")), "the context is no text but null"),
    "a question is a number": (
        "in.json",
        _squad(_change("question", 5, "question")),
        "article 1, paragraph 1, question 2: the question is no text but 5",
    ),
    "answers are a text": ("in.json", _squad(_change("answers", "red", "question")), "question 2: the answers are not"),
    "an answer without a place": (
        "in.json",
        _squad(_change("answers", [{"text": "red"}], "question")),
        "question 2: answer_start is null",
    ),
    "a place is a text": (
        "in.json",
        _squad(_change("answers", [{"text": "red", "answer_start": "4"}], "question")),
        'question 2: answer_start is "4"',
    ),
    "a place is below nothing": (
        "in.json",
        _squad(_change("answers", [{"text": "T", "answer_start": -1}], "question")),
        "question 2: answer_start is -1",
    ),
    "an answer is null": (
        "in.json",
        _squad(_change("answers", [{"text": None, "answer_start": 4}], "question")),
        "question 2: the answer is no text but null",
    ),
    "too deep": ("in.json", b"[" * 200_000, "too deep"),
    "half a character": ("in.json", _squad(_change("question", "\ud800?", "question")), "half a character"),
    "not utf-8": ("in.json", '{"data": "서울"}'.encode("cp949"), "not UTF-8 (byte 11)"),
    "not utf-8 csv": ("in.csv", b"question,context\n\xff\xfe,a\n", "line 2: not UTF-8"),
    "empty csv": ("in.csv", b"", "is empty"),
    "no rows": ("in.csv", b"question,context\n", "holds no questions"),
    "no context column": ("in.csv", b"question,text\na,b\n", "the column(s) context are missing; found question, text"),
    "no question column": ("in.jsonl", b'{"context": "a"}\n', "the column(s) question are missing; found context"),
    "malformed jsonl": ("in.jsonl", b'{"question": "a", "context": "b"}\n{"quest\n', "line 2: "),
    "a number as question": ("in.jsonl", b'{"question": 5, "context": "b"}\n', "'question' holds int64, not text"),
    "a number as context": (
        "in.jsonl",
        b'{"question": "a", "context": "b"}\n{"question": "a", "context": 5}\n',
        "row 2: the context is no text but 5",
    ),
    "answers that are no json": (
        "in.jsonl",
        b'{"question": "a", "context": "b", "answers": "red"}\n',
        "row 1: the answers are not JSON",
    ),
    "answers without places": (
        "in.jsonl",
        b'{"question": "a", "context": "b", "answers": {"text": ["b"]}}\n',
        "row 1: the answers are neither",
    ),
    "fewer places than answers": (
        "in.jsonl",
        b'{"question": "a", "context": "b b", "answers": {"text": ["b", "b"], "answer_start": [0]}}\n',
        "row 1: there are 2 answers and 1 places",
    ),
    "no parquet": ("in.parquet", b"PAR1 not", "cannot be read as Parquet"),
    "another ending": ("in.txt", b"x", ".txt is not read; use .json, .csv, .jsonl, .parquet"),
    "no ending": ("questions", b"x", "a file without an ending is not read"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_cannot_be_used_is_told_with_its_place(tmp_path: Path, case: str) -> None:
    """Whatever is wrong, one line names the file, where in it, and what was found there."""
    name, whole, expected = WRONG[case]
    (tmp_path / name).write_bytes(whole)
    assert expected in message(tmp_path / name)


def test_numbers_in_parquet_are_no_questions(tmp_path: Path) -> None:
    """The column's type is told."""
    file = write(tmp_path / "in.parquet", [{"id": "a", "question": "?", "context": 5}])
    assert "the column 'context' holds int64, not text" in message(file)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Not as a damaged one."""
    for name in ("none.json", "none.csv", "none.parquet"):
        assert message(tmp_path / name) == f"There is no file {tmp_path / name}."


@pytest.mark.parametrize("keep", [0.2, 0.9, 0.999])
def test_a_truncated_parquet_file_is_told(tmp_path: Path, keep: float) -> None:
    """However much of the end is missing."""
    whole = write(tmp_path / "whole.parquet", [row(question) for question in toy_questions(50)]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: int(len(whole) * keep)])
    assert "cannot be read as Parquet" in message(tmp_path / "cut.parquet")


@pytest.mark.parametrize("start", [25, 27, 44, 1000])
def test_an_answer_must_stand_at_its_place(tmp_path: Path, start: int) -> None:
    """One character off, or beyond the end, is refused with question, answer and place."""
    wrong = replace(QUESTION, answers=(QUESTION.answers[0], Gold("Seoul", start)))
    file = write(tmp_path / "in.jsonl", [row(QUESTION), row(replace(wrong, id="q2"))])
    assert f"question 'q2': the answer 'Seoul' does not stand at character {start}" in message(file)


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_answer_is_refused(tmp_path: Path, text: str) -> None:
    """It stands everywhere, and could not be told from no answer."""
    file = write(tmp_path / "in.jsonl", [row(replace(QUESTION, answers=(Gold(text, 4 if text == "" else 3),)))])
    assert "question 'q1': an answer is empty" in message(file)


def test_an_id_stands_once(tmp_path: Path) -> None:
    """Also where the two are the same question."""
    file = write(tmp_path / "in.parquet", [row(question) for question in (*toy_questions(3), toy_questions(1)[0])])
    assert "question 't-0': the id stands there twice" in message(file)
