"""Files as people write them: units, numbers, splits and names, each with the values that must come out.

Every file here was made for the tests.
"""

import json
import unicodedata
from typing import Any

import pytest

from db.base.errors import SubmissionError
from db.base.problems import ValueProblemError
from db.importers import spelling, values
from db.importers.detect import read
from db.registry import tasks
from db.submissions import claim
from tests.db.importers.result_kinds import card

FILES: dict[str, tuple[str | bytes, list[dict[str, Any]]]] = {
    # The unit belongs to the column, not to the cell.
    "percent in the header.csv": ("model,Accuracy (%)\nA,0.9\nB,85\n", [{"accuracy": 0.009}, {"accuracy": 0.85}]),
    "percent by a word.csv": ("model,accuracy_percent\nA,0.9\n", [{"accuracy": 0.009}]),
    "percent before the name.csv": ("model,% accuracy\nA,0.9\n", [{"accuracy": 0.009}]),
    "percent in LaTeX.csv": ("model,Accuracy (\\%)\nA,0.9\n", [{"accuracy": 0.009}]),
    "percent, bold.csv": ("model,**Accuracy (%)**\nA,0.9\n", [{"accuracy": 0.009}]),
    "percent with an arrow.csv": ("model,test acc (%) ↑\nA,0.9\n", [{"accuracy": 0.009}]),
    "percent, Korean unit.csv": ("모델,정확도(단위: %)\n가,0.9\n", [{"accuracy": 0.009}]),
    "times 100.csv": ("model,accuracy (×100)\nA,0.9\n", [{"accuracy": 0.009}]),
    "a correlation times 100.csv": (
        "model,MCC,Spearman (%)\nA,55.1,0.9\nB,-3.0,80\nC,0.4,70\n",
        [{"mcc": 0.551, "spearman": 0.009}, {"mcc": -0.03, "spearman": 0.8}, {"mcc": "0.4 %?", "spearman": 0.7}],
    ),
    "an impossible value.csv": (
        "model,accuracy\nA,87.8\nB,150\nC,0.5\n",
        [{"accuracy": 0.878}, {"accuracy": 150}, {"accuracy": "0.5 %?"}],
    ),
    "a column of spreads.csv": ("model,accuracy (±),accuracy\nA,0.2,88\n", [{"accuracy": 0.88}]),
    "percent, Korean.csv": ("모델,정확도(%)\n가,87.84\n", [{"accuracy": 0.8784}]),
    "all percentages.csv": ("model,accuracy\nA,87.84\nB,50\n", [{"accuracy": 0.8784}, {"accuracy": 0.5}]),
    "all shares.csv": ("model,accuracy\nA,0.8784\nB,1\n", [{"accuracy": 0.8784}, {"accuracy": 1}]),
    "a failed run.csv": ("model,accuracy\nA,0\nB,87.3\n", [{"accuracy": 0.0}, {"accuracy": 0.873}]),
    "shares beside percentages.csv": (
        "model,accuracy\nA,0.87\nB,87.3\n",
        [{"accuracy": "0.87 %?"}, {"accuracy": 0.873}],
    ),
    "mlflow, one run collapsed.csv": (
        "run_id,metrics.accuracy\n1,87.3\n2,0.9\n",
        [{"accuracy": 0.873}, {"accuracy": "0.9 %?"}],
    ),
    "mlflow, percent in the name.csv": ("run_id,metrics.accuracy %\n1,0.9\n", [{"accuracy": 0.009}]),
    "exact match below one percent.csv": (
        "model,exact_match,f1\nA,0.8,10.2\nB,12.5,20.1\n",
        [{"em": 0.008, "f1": 0.102}, {"em": 0.125, "f1": 0.201}],
    ),
    "exact match below one percent.json": ({"exact_match": 0.8, "f1": 10.2}, [{"em": 0.008, "f1": 0.102}]),
    # Numbers as people write them.
    "a spread.csv": (
        "model,accuracy\nA,87.3 ± 0.2\nB,85.0 +/- 0.4\nC,86.1 (0.3)\n",
        [{"accuracy": 0.873}, {"accuracy": 0.85}, {"accuracy": 0.861}],
    ),
    "decimal commas.csv": ("model;accuracy\nA;0,345\nB;0,5\n", [{"accuracy": 0.345}, {"accuracy": 0.5}]),
    "percent sign and comma.csv": ("model;accuracy\nA;87,84 %\n", [{"accuracy": "87.84%"}]),
    "full-width digits.csv": ("모델,정확도\n가,０．８７\n", [{"accuracy": 0.87}]),
    "decomposed Hangul.csv": (unicodedata.normalize("NFD", "모델,정확도\n가,0.87\n"), [{"accuracy": 0.87}]),
    "Korean Windows.csv": ("모델,정확도\n가나다,0.9\n".encode("cp949"), [{"accuracy": 0.9}]),
    "missing cells.csv": ("model,accuracy,f1\nA,0.9,N/A\nB,0.8,해당 없음\n", [{"accuracy": 0.9}, {"accuracy": 0.8}]),
    "rows that sum up.csv": (
        "model,accuracy\nA,0.9\nB,0.8\nMean,0.85\nStandard deviation,0.05\n평균,0.85\n",
        [{"accuracy": 0.9}, {"accuracy": 0.8}],
    ),
    "rows of describe.csv": ("model,accuracy\nA,0.9\ncount,1\n25%,0.8\n50%,0.85\nmax,0.9\n", [{"accuracy": 0.9}]),
    "rows that sum up seeds.csv": (
        "model,seed,accuracy\nA,0,0.8\nA,1,0.82\nA,mean,0.81\nA,std,0.01\n",
        [{"accuracy": 0.8}, {"accuracy": 0.82}],
    ),
    "no value in a spreadsheet.csv": ("model,accuracy,f1\nA,0.9,#N/A\n", [{"accuracy": 0.9}]),
    "numbers as texts.json": ({"accuracy": "0,345"}, [{"accuracy": 0.345}]),
    "percentages as texts.json": ({"exact_match": "81,1", "f1": "88.5"}, [{"em": 0.811, "f1": 0.885}]),
    # Which split.
    "a column names the split.csv": (
        "model,split,accuracy\nA,train,0.99\nA,validation,0.9\nA,test,0.88\n",
        [{"accuracy": 0.88}],
    ),
    "validation of a task that has a test.csv": (
        "task,model,split,accuracy\nnsmc,A,dev,0.9\nmnli,A,validation,0.8\n",
        [{"accuracy": 0.8}],
    ),
    "objects name the split.json": (
        '[{"model": "A", "split": "dev", "accuracy": 0.9}, {"model": "A", "split": "test", "accuracy": 0.88}]',
        [{"accuracy": 0.88}],
    ),
    "a heading and a split.md": (
        "## NSMC\n\n|model|split|acc|\n|-|-|-|\n|A|dev|90|\n|A|test|88|\n",
        [{"accuracy": 0.88}],
    ),
    "a column for each task and split.csv": (
        "model,NSMC (dev acc),NSMC (test acc),mean acc\nA,90,88,89\n",
        [{"accuracy": 0.88}],
    ),
    "a column for each task, plainly.csv": (
        "model,nsmc_accuracy,KorQuAD EM (%),korquad/f1,accuracy\nA,87.8,0.9,2.5,50\n",
        [{"accuracy": 0.878}, {"em": 0.009, "f1": 0.025}],
    ),
    "mlflow, one run with validation alone.csv": (
        "run_id,metrics.eval_accuracy,metrics.test_accuracy\n1,0.9,\n2,0.91,0.89\n",
        [{"accuracy": 0.89}],
    ),
    "test of another metric.json": (
        {"eval_accuracy": 0.91, "test_f1": 0.88, "test_em": 0.8},
        [{"em": 0.8, "f1": 0.88}],
    ),
    "test beside eval.json": ({"eval_accuracy": 0.91, "test_accuracy": 0.88, "epoch": 3}, [{"accuracy": 0.88}]),
    "predict beside eval.json": ({"eval_accuracy": 0.91, "predict_accuracy": 0.88}, [{"accuracy": 0.88}]),
    "eval alone.json": ({"eval_accuracy": 0.91, "eval_runtime": 3.0}, [{"accuracy": 0.91}]),
    "card, test split.md": (card("type: nsmc, split: test"), [{"accuracy": 0.9}]),
    # What was refused.
    "plain.json": ({"accuracy": 0.87}, [{"accuracy": 0.87}]),
    "beside a matrix.json": ({"accuracy": 0.87, "confusion_matrix": [[1, 2], [3, 4]]}, [{"accuracy": 0.87}]),
    "squad.json": ({"exact_match": 71.2, "f1": 80.1}, [{"em": 0.712, "f1": 0.801}]),
    "evaluation.txt": ("accuracy = 0.87\neval_loss = 0.3\n", [{"accuracy": 0.87, "eval_loss": 0.3}]),
}


def content(body: str | bytes | dict[str, Any]) -> bytes:
    """Bytes of a file."""
    if isinstance(body, dict):
        return json.dumps(body).encode()
    return body.encode() if isinstance(body, str) else body


@pytest.mark.parametrize("name", FILES)
def test_metrics_have_the_right_values(name: str) -> None:
    """In the stored unit; what the file leaves open stays open."""
    body, expected = FILES[name]
    result = read(name, content(body))
    assert [draft.get("metrics") for draft in result.drafts] == expected


@pytest.mark.parametrize(
    ("header", "cell", "expected"),
    [
        ("#Params (B)", "1.1", 1_100_000_000),
        ("Params (M)", "14.5", 14_500_000),
        ("파라미터(M)", "14.5", 14_500_000),
        ("params", '"1,234,567"', 1_234_567),
        ("params", "1.234.567", 1_234_567),
        ("params", "1 234 567", 1_234_567),
        ("params", "391170", 391_170),
    ],
)
def test_parameters_have_the_unit_of_their_header(header: str, cell: str, expected: int) -> None:
    """Thousands, millions and billions, in English and Korean."""
    (draft,) = read("t.csv", f"model,accuracy,{header}\nA,0.9,{cell}\n".encode()).drafts
    assert draft["params"] == expected


@pytest.mark.parametrize(
    ("header", "expected"), [("train time (h)", 5400), ("train time (min)", 90), ("train time", 1.5)]
)
def test_durations_have_the_unit_of_their_header(header: str, expected: float) -> None:
    """Hours and minutes become seconds."""
    (draft,) = read("t.csv", f"model,accuracy,{header}\nA,0.9,1.5\n".encode()).drafts
    assert draft["train_seconds"] == expected


@pytest.mark.parametrize("text", ["110 million", "110M", "1.1억", "1억1천만", "11000만"])
def test_parameters_may_have_their_unit_behind_them(text: str) -> None:
    """As people write them, in English and Korean; two units in one number are refused."""
    if text == "1억1천만":
        with pytest.raises(ValueProblemError):
            values.integer(text, 0, 10**15, scaled=True)
    else:
        assert values.integer(text, 0, 10**15, scaled=True) == 110_000_000


@pytest.mark.parametrize(("dataset", "split"), [("nsmc", "train"), ("nsmc", "validation"), ("multi_nli", "training")])
def test_a_card_of_another_split_gives_no_figure(dataset: str, split: str) -> None:
    """Neither training nor validation figures pass for the test's, and the message says what is wrong."""
    with pytest.raises(SubmissionError, match="No result of the card is a metric that is known here, on a test split"):
        read("README.md", card(f"type: {dataset}, split: {split}").encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,345", "0.345"),
        ("1,234", "1234"),
        ("12,5", "12.5"),
        ("1.234.567,8", "1234567.8"),
        ("1'234'567", "1234567"),
        ("８７．３％", "87.3%"),
        ("87.3% ± 0.2%", "87.3%"),
        ("-0,5", "-0.5"),
        ("1e-3", "1e-3"),
        ("1,2,3", "1,2,3"),
        ("bert-base", "bert-base"),
        ("2024-01-01", "2024-01-01"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_a_number_is_spelled_plainly(text: str, expected: str) -> None:
    """What is no number stays as it is."""
    assert spelling.plain_number(text) == expected


def test_an_open_unit_is_a_question_in_the_form() -> None:
    """No field takes the value until somebody has decided."""
    with pytest.raises(ValueProblemError):
        values.share("0.87 %?")
    problems = claim.check({"task": "nsmc", "model": "A", "metrics": {"accuracy": "0.87 %?"}})
    assert [problem.field for problem in problems] == ["metrics.accuracy"]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("NSMC", "nsmc"),
        ("KorQuAD", "korquad"),
        ("KorQuAD 1.0", "korquad"),
        ("nyu-mll/multi_nli", "mnli"),
        ("SQuAD v1.1", "squad"),
        ("squad_v2", None),
        ("reviews-ko-mini", "reviews-ko-mini"),
    ],
)
def test_a_task_is_known_in_any_spelling(name: str, task: str | None) -> None:
    """Another version of a data set is another task."""
    known = tasks.by_name(name)
    assert (known.task_id if known else None) == task


@pytest.mark.parametrize("name", ["Validation Accuracy", "Accuracy (train)"])
def test_a_metric_of_a_card_may_name_its_split(name: str) -> None:
    """Beside a test split, a figure called so is not the test's, though the card names no split."""
    body = card("type: nsmc, split: test", f"{{type: accuracy, value: 0.9, name: {name}}}")
    with pytest.raises(SubmissionError, match="none was taken"):
        read("README.md", body.encode())


def test_a_configuration_names_the_part_of_glue() -> None:
    """The name of the data set does not stand against it."""
    body = card("type: glue, name: GLUE MNLI, config: sst2, split: validation")
    assert read("README.md", body.encode()).drafts[0]["task"] == "glue GLUE MNLI sst2"


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("x.json", '{"split": "train", "accuracy": 0.99}', 'of the split "train"'),
        ("x.csv", "model,split,accuracy\nA,train,0.99\n", "no row is of a split that a board ranks"),
        ("x.txt", "speed: 84.3\nheat: 84.9\n", "no figure that is known here.*it has speed, heat"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(name: str, body: str, message: str) -> None:
    """Figures of a training split, and a text of numbers without a metric."""
    with pytest.raises(SubmissionError, match=message):
        read(name, body.encode())


def test_a_correlation_lies_between_its_bounds() -> None:
    """In the form too, where a percent sign is taken."""
    assert claim.metric_value("pearson", "55.1%") == pytest.approx(0.551)
    assert claim.metric_value("mcc", -1) == -1
    with pytest.raises(ValueProblemError, match="between -1 and 1"):
        claim.metric_value("spearman", 55.1)


def test_a_log_with_a_value_that_is_not_a_number_is_read() -> None:
    """The other entries are curves, and the note counts what was left out."""
    log = '{"log_history": [{"step": 1, "loss": NaN}, {"step": 2, "loss": 0.5}, {"step": 3, "loss": Infinity}]}'
    result = read("trainer_state.json", log.encode())
    assert result.curves is not None
    assert result.curves[["step", "value"]].to_numpy().tolist() == [[2, 0.5]]
    assert "2 value(s) of the log are NaN or infinite" in " ".join(result.notes)
