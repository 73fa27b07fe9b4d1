"""A data set without its train file: its dev file is parted by article, another data set joins the training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax

from db.registry import tasks
from engine.base.errors import DataError
from engine.families.span_qa import evaluation, questions, seed_protocols
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.evaluation import evaluate
from tests import paths
from tests.factories.span_qa import make_question, toy_answerer, toy_questions, write_source

REAL = paths.SHARED / "data"


def _article(number: int, count: int = 2) -> dict[str, Any]:
    qas = [
        {"id": f"q{number}-{i}", "question": f"무엇 {i}", "answers": [{"text": f"답{number}", "answer_start": 0}]}
        for i in range(count)
    ]
    return {"title": f"글 {number}", "paragraphs": [{"context": f"답{number} 이다.", "qas": qas}]}


def _folder(tmp_path: Path, articles: int = 140, *, more: bool = True) -> Path:
    for name in ("korquad", "tydiqa_ko"):
        (tmp_path / name).mkdir(parents=True)
    dev = {"version": "1", "data": [_article(number) for number in range(articles)]}
    (tmp_path / "korquad" / "KorQuAD_v1.0_dev.json").write_text(json.dumps(dev), "utf-8")
    if more:
        other = {"data": [_article(number, 3) for number in range(1000, 1002)]}
        (tmp_path / "tydiqa_ko" / "tydiqa-goldp-v1.1-train.json").write_text(json.dumps(other), "utf-8")
    return tmp_path


def test_articles_are_learned_from_or_asked_about_and_never_both(tmp_path: Path) -> None:
    corpus = questions.load("korquad-articles", str(_folder(tmp_path)))
    assert [question.id for question in corpus.test.questions] == [
        f"q{n}-{i}" for n in range(112, 140) for i in range(2)
    ]
    learned = [f"q{n}-{i}" for n in range(112) for i in range(2)]
    other = [f"q{n}-{i}" for n in (1000, 1001) for i in range(3)]
    assert [question.id for question in corpus.train.questions] == learned + other


def test_every_piece_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train\*\.parquet.*no folder tydiqa_ko.*train split of korquad-articles"):
        questions.load("korquad-articles", str(_folder(tmp_path, more=False)))


def test_a_file_with_too_few_articles_is_not_parted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds 139 articles, and 140 are needed"):
        questions.load("korquad-articles", str(_folder(tmp_path, articles=139)))


def test_it_is_never_called_the_dev_split() -> None:
    articles, dev = tasks.by_id("korquad-articles"), tasks.by_id("korquad")
    assert articles.split != dev.split
    assert articles.split_size != dev.split_size
    assert "Not comparable with KorQuAD dev" in articles.scoring


@pytest.mark.skipif(not (REAL / "korquad").is_dir(), reason="the real files are not beside this checkout")
def test_the_real_file_gives_the_number_of_questions_that_the_task_names() -> None:
    corpus = questions.load("korquad-articles", str(REAL))
    assert (len(corpus.train), len(corpus.test)) == (4316 + 1605, tasks.by_id("korquad-articles").split_size)


@pytest.fixture
def answerer(tmp_path: Path) -> Answerer:
    return toy_answerer(write_source(tmp_path / "source"))


def test_both_ends_count_and_their_losses_add_up(answerer: Answerer) -> None:
    """Against the logits of each question, one by one."""
    some = toy_questions(12)
    ends = seed_protocols.answer_ends(answerer, some, answerer.read(some))
    for index, question in enumerate(some):
        read = answerer.read([question])
        scores, offsets, gold = read.logits[0], read.windows[0].offsets, question.answers[0]
        text = range(read.windows[0].first, read.windows[0].last + 1)
        start = next(i for i in text if offsets[i, 0] == gold.start)
        end = next(i for i in text if offsets[i, 1] == gold.start + len(gold.text))
        right = (int(scores[:, 0].argmax() == start) + int(scores[:, 1].argmax() == end)) / 2
        assert ends.right[index] == right
        probabilities = log_softmax(scores.astype(np.float64), axis=0)
        assert ends.loss[index] == pytest.approx(-probabilities[start, 0] - probabilities[end, 1], rel=1e-5)


def test_an_answer_behind_the_cut_is_left_out(answerer: Answerer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed_protocols, "ENDS_POSITIONS", 24)
    text = " ".join(f"The {word} is red." for word in ("dog", "cup", "hat", "pen", "map", "key"))
    near, far = make_question(text, answer="red"), make_question(f"{text} The sea is blue.", answer="blue")
    ends = seed_protocols.answer_ends(answerer, [near, far], answerer.read([near, far]))
    assert len(ends.right) == len(ends.loss) == 1
    assert evaluation.ends_metrics(seed_protocols.join_ends([])) == []


def test_korean_runs_say_how_many_answers_failed(answerer: Answerer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answerer, "recipe", answerer.recipe.model_copy(update={"language": "ko"}))
    some = toy_questions(10)
    result = evaluate(answerer, some, "toy")
    figures = {figure.name: figure for figure in result.figures("ko")}
    exact = sum(answer == question.answers[0].text for answer, question in zip(result.answer_texts, some, strict=True))
    assert figures["failed"].value == len(some) - exact
    assert {"span_accuracy", "eval_loss"} <= figures.keys()
    assert "f1_seed" not in figures
