"""`featherboard predict nli`: one pair, and tables of pairs in every form."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engine.checkpoints import adapters, checkpoint
from engine.networks import transformer_classifier
from engine.recipes import loader
from tests.engine.cli.predict.table_files import read, write
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.masked_lm import tiny_bert
from tests.factories.recipes import content as toy_content

LABELS = {"entailment", "neutral", "contradiction"}
ROWS = [
    {"pair": 1, "premise": "the red cat sits", "hypothesis": "a dog runs"},
    {"pair": 2, "premise": 'two birds sing, "yes"', "hypothesis": "no"},
    {"pair": 3, "premise": "the house", "hypothesis": ""},
]
Run = Callable[..., CommandResult]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny adapter over a tiny encoder, as the shipped one is over its own."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("nli")
    source = str(tiny_bert(folder / "bert", head=False))
    recipe = loader.validate(
        {
            **toy_content("tiny-nli"),
            "language": "en",
            "task": "mnli",
            "mini_task": "nli-en-mini",
            "model": {"kind": "pretrained", "source": source, "num_labels": 3, "head": "pair"},
            "tokenizer": {"max_length": 20},
            "adapter": {"rank": 2, "alpha": 4},
            "data": {"strip_stops": True},
        },
        "tiny",
    )
    torch.manual_seed(0)
    network = transformer_classifier.start(recipe.model, source, 20, pairs=True)
    adapters.inject(network.inner, recipe.adapter, adapters.CLASSIFIER)
    tokenizer = transformer_classifier.tokenizer(source, 20)
    checkpoint.save_network(folder / "saved", recipe, network, network.state_dict(), tokenizer)
    return str(folder / "saved")


@pytest.fixture
def run(command_line: CommandLine, model: str) -> Run:
    """Run ``featherboard predict nli`` in this process."""

    def call(*arguments: object, name: str = model) -> CommandResult:
        return command_line("predict", "nli", "--threads", "1", "--model", name, *arguments)

    return call


def test_a_pair_is_answered(run: Run) -> None:
    """A label and its probability; as JSON with the pair; full stops at the ends change nothing."""
    code, out, _ = run("the cat sits", "a dog runs")
    label, share = out.split()
    assert code == 0
    assert label in LABELS
    assert 33 <= float(share.rstrip("%")) <= 100
    _, output, _ = run("the cat sits.", "a dog runs.", "--json")
    row = json.loads(output)
    assert (row["premise"], row["hypothesis"], row["prediction"]) == ("the cat sits.", "a dog runs.", label)
    assert f"{row['probability']:.1%}" == share


def test_without_a_model_the_language_of_the_texts_decides(
    command_line: CommandLine, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a pair, and of the first rows of a table."""
    languages: list[str] = []

    def default(_: str, language: str) -> str:
        languages.append(language)
        return model

    monkeypatch.setattr("engine.inference.models.default", default)
    table = write(tmp_path / "pairs.csv", [{"premise": "비가 온다.", "hypothesis": "맑다."}])
    for arguments in (
        ("A man sleeps.", "No."),
        ("비가 온다.", "맑다."),
        ("--input", table, "--output", tmp_path / "a.csv"),
    ):
        assert command_line("predict", "nli", "--threads", "1", *arguments)[0] == 0
    assert languages == ["en", "ko", "ko"]


def test_the_order_of_a_pair_matters(run: Run) -> None:
    """The premise is the first text and the hypothesis the second."""
    first, other = (
        json.loads(run(*pair, "--json")[1])["probability"] for pair in (("two birds", "no"), ("no", "two birds"))
    )
    assert first != other


@pytest.mark.parametrize("form", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("target", [".csv", ".parquet"])
def test_a_file_is_answered(run: Run, tmp_path: Path, form: str, target: str) -> None:
    """All columns stay, two come behind them; a pair without a hypothesis gets no answer."""
    path = tmp_path / f"answers{target}"
    code, _, err = run("--input", write(tmp_path / f"pairs{form}", ROWS), "--output", path)
    assert code == 0, err
    rows = read(path)
    assert list(rows[0]) == ["pair", "premise", "hypothesis", "prediction", "probability"]
    assert [row["premise"] for row in rows] == [row["premise"] for row in ROWS]
    assert {row["prediction"] for row in rows[:2]} <= LABELS
    assert [not row["prediction"] for row in rows] == [False, False, True]
    assert "texts from the column premise and hypothesis" in " ".join(err.split())
    assert "1 row(s) hold no text" in err


def test_a_file_says_what_a_pair_says(run: Run, tmp_path: Path) -> None:
    """The same probability, whatever stands beside it in the batch."""
    run("--input", write(tmp_path / "pairs.csv", ROWS), "--output", tmp_path / "a.jsonl")
    alone = json.loads(run(ROWS[0]["premise"], ROWS[0]["hypothesis"], "--json")[1])
    together = json.loads((tmp_path / "a.jsonl").read_text("utf-8").splitlines()[0])
    assert together["prediction"] == alone["prediction"]
    assert together["probability"] == pytest.approx(alone["probability"], abs=1e-5)


def test_columns_may_have_other_names(run: Run, tmp_path: Path) -> None:
    """Named by two options; without them the message lists what is there."""
    rows = [{"first": row["premise"], "second": row["hypothesis"]} for row in ROWS]
    file = write(tmp_path / "pairs.csv", rows)
    code, _, err = run("--input", file, "--output", tmp_path / "a.csv")
    assert code == 1
    assert "there is no column 'premise'" in err
    assert "'first', 'second'" in err
    named = ("--premise", "first", "--hypothesis", "second")
    assert run("--input", file, "--output", tmp_path / "a.csv", *named)[0] == 0
    code, _, err = run("--input", file, "--output", tmp_path / "b.csv", *named[:3], "first")
    assert code == 1
    assert "cannot both be the column 'first'" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"premise,hypothesis\nthe cat,a dog\ncaf\xe9,no\n", "line 3: not UTF-8"),
        (b"premise,hypothesis\nthe cat\n", "line 2: 1 values, but the header names 2"),
        (b"", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_line(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    """With the line; nothing is written."""
    (tmp_path / "pairs.csv").write_bytes(content)
    code, _, err = run("--input", tmp_path / "pairs.csv", "--output", tmp_path / "a.csv")
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "a.csv").exists()


def test_a_column_of_numbers_is_refused(run: Run, tmp_path: Path) -> None:
    """Parquet knows the types of its columns."""
    file = write(tmp_path / "pairs.parquet", [{"premise": 1, "hypothesis": "a"}])
    code, _, err = run("--input", file, "--output", tmp_path / "a.csv")
    assert code == 1
    assert "the column 'premise' holds int64, not text; name another by --premise or --hypothesis" in " ".join(
        err.split()
    )


@pytest.mark.parametrize(
    "arguments", [(), ("only one",), ("a", "b", "--input", "x.csv", "--output", "y.csv"), ("--input", "x.csv")]
)
def test_half_a_question_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    """Two texts, or two files."""
    code, _, err = run(*arguments)
    assert code == 2
    assert "Invalid value" in err


def test_a_model_of_another_question_is_refused(run: Run) -> None:
    """A sentiment model does not know what entailment is, and an unknown name is told with what was tried."""
    code, _, err = run("a", "b", name="distilkobilstm-tiny")
    assert code == 1
    assert "one with the labels entailment, neutral, contradiction is needed" in " ".join(err.split())
    assert "There is no model 'nothing-here'" in run("a", "b", name="nothing-here")[2]


def test_an_empty_text_gets_no_answer(run: Run) -> None:
    """Told in words, and as a null in JSON."""
    assert run("a", " ")[1].strip() == "(no text)"
    assert json.loads(run("a", " ", "--json")[1])["prediction"] is None
