"""Many questions from a file: read, answered, scored."""

import io
import json
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from db.statistics.qa_scoring import SQUAD
from db.storage.store import Store
from engine.base.errors import DataError
from engine.families.span_qa import ask as asking
from engine.families.span_qa import evaluation
from engine.inference import batch
from engine.inference.predictor import Predictor
from tests.factories.models import open_predictor, span_folder
from tests.factories.span_qa import as_squad, toy_questions


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    folder = tmp_path_factory.mktemp("batch")
    span_folder(folder / "one")
    span_folder(folder / "two", seed=1)
    return open_predictor(Store(folder / "no.duckdb"))


def _held(predictor: Predictor, *names: str) -> list:
    return [predictor.load(f"folder:{predictor.store.path.parent / name}") for name in names]


def _squad(count: int = 10) -> bytes:
    return json.dumps(as_squad(toy_questions(count))).encode()


def test_answers_and_scores_are_those_of_the_engine(predictor: Predictor) -> None:
    questions = batch.read("toy.json", _squad())
    first, two = _held(predictor, "one", "two")
    shares: list[float] = []
    result = batch.answer(predictor.executor, [first, two], questions, progress=shares.append)
    assert list(result.rows["id"]) == [question.id for question in questions]
    texts = [answer.best[0].text for answer in asking.ask(first.model, questions)]
    assert list(result.rows["one"]) == texts
    golds = [[gold.text for gold in question.answers] for question in questions]
    assert result.scores[first.ref.key] == evaluation.official(SQUAD, texts, golds)
    assert set(result.scores) == {first.ref.key, two.ref.key}
    assert result.known == 10
    assert shares[-1] == 1
    assert (result.rows["one probability"] > 0).all()


def test_a_threshold_says_nothing(predictor: Predictor) -> None:
    result = batch.answer(predictor.executor, _held(predictor, "one"), batch.read("toy.json", _squad()), threshold=0.0)
    assert set(result.rows["one"]) == {""}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_tables_are_read_too(predictor: Predictor, kind: str) -> None:
    """One plain answer a row counts; a row without one is answered and not scored."""
    frame = pd.DataFrame(
        {
            "question": ["How is the box?", "How is the cup?"],
            "answer": ["red", None],
            "context": ["The box is red.", "The cup is blue."],
        }
    )
    held = io.BytesIO()
    if kind == "csv":
        frame.to_csv(held, index=False)
    elif kind == "jsonl":
        held.write(frame.to_json(orient="records", lines=True).encode())
    else:
        frame.to_parquet(held)
    questions = batch.read(f"table.{kind}", held.getvalue())
    assert [[(gold.text, gold.start) for gold in question.answers] for question in questions] == [[("red", 11)], []]
    result = batch.answer(predictor.executor, _held(predictor, "one"), questions)
    assert result.known == 1
    assert list(result.rows["gold"]) == ["red", ""]
    assert next(iter(result.scores.values()))[0].n == 1


def test_without_answers_there_is_no_score(predictor: Predictor) -> None:
    result = batch.answer(
        predictor.executor, _held(predictor, "one"), batch.read("q.csv", b"question,context\nHow?,The box is red.\n")
    )
    assert result.scores == {}
    assert "gold" not in result.rows


def test_models_of_one_name_are_told_apart(predictor: Predictor, tmp_path: Path) -> None:
    span_folder(tmp_path / "one")
    both = [*_held(predictor, "one"), predictor.load(f"folder:{tmp_path / 'one'}")]
    assert len({batch.column(held, both) for held in both}) == 2
    span_folder(tmp_path / "context")
    named = predictor.load(f"folder:{tmp_path / 'context'}")
    result = batch.answer(predictor.executor, [named], batch.read("toy.json", _squad(2)))
    assert list(result.rows["context"]) == [question.context for question in toy_questions(2)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.txt", b"x", r"\.txt is not read"),
        ("q", b"x", "without a suffix"),
        ("../../q.csv", b"question\nHow?\n", r"^q\.csv: the column\(s\) context are missing"),
        ("q.csv", b"", "empty"),
        ("q.csv", b"question,context\nHow?,caf\xe9", "UTF-8"),
        ("q.json", b"{", "not JSON"),
        ("q.json", b"[" * 100_000, "too deep|not JSON"),
        ("q.json", b'{"data": []}', "no questions"),
        ("q.csv", b"question,context\n,The box\n", "question"),
        ("q.csv", b"question,context,id\nHow?,The box,1\nHow?,The box,1\n", "1"),
        ("q.parquet", b"PAR1", "Parquet"),
        ("q.csv", b"question,context\n" + b"How?,The box is red.\n" * 2001, "2,001 questions"),
    ],
)
def test_what_cannot_be_read_is_told_under_its_own_name(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        batch.read(name, content)
    assert tempfile.gettempdir() not in str(error.value)


def test_a_file_that_is_too_large_is_told() -> None:
    with pytest.raises(DataError, match="at most 20 MB are read"):
        batch.read("q.csv", b"x" * (20 * 1024**2 + 1))
