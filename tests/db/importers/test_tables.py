"""Tables of claims: the seed's own, Korean ones, mappings by example, and what does not fit."""

import csv

import pytest

from db.base.errors import SubmissionError
from db.importers import column_mapping, columns, guess, metric_names, read, tables
from db.importers.formats import claims
from db.registry.metrics import METRICS
from tests import paths
from tests.factories.importer_files import as_json, content, parquet, read_example

SEED = paths.SHARED / "seeds" / "001_2c0027d85ad7badd.txt"


@pytest.fixture(scope="module")
def seed() -> bytes:
    """The table of the document as CSV, its marks of Markdown taken off."""
    if not SEED.is_file():
        pytest.skip("the documents are not beside this checkout")
    lines = [line.strip().strip("|").split("|") for line in SEED.read_text("utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip().strip("*`") for cell in line] for line in lines]
    return "\n".join(",".join(line) for line in [cells[0], *cells[2:]]).encode()


def test_the_whole_seed_table_is_read(seed: bytes) -> None:
    """23 rows: percentages become shares, durations stay as printed, dashes are missing, "step 100" is kept."""
    imported = read("seed.csv", seed)
    assert imported.kind == "table"
    assert len(imported.drafts) == 23
    sizes = {"vocab size": 3000, "hidden dim": 128, "embedding dim": 64}
    assert imported.drafts[0] == {
        "model": "DistilKoBiLSTM-base",
        "metrics": {"accuracy": 0.8784},
        "train_seconds": "00:49:15",
        "training": {**sizes, "loss rate": 0, "temperature": 1, "Step": 30},
    }
    assert imported.drafts[7]["training"] == {**imported.drafts[6]["training"], "Train Time": "step 100"}  # type: ignore[dict-item]
    assert "train_seconds" not in imported.drafts[7]
    assert "train_seconds" not in imported.drafts[22]
    assert [draft["metrics"]["accuracy"] for draft in imported.drafts[-3:]] == [0.8676, 0.8677, 0.8617]  # type: ignore[index]
    assert imported.unknown == ()
    assert imported.notes == (
        'Column "Acc": read as percentages; 23 figures were divided by 100, 87.84 became 0.8784.',
        'The column "Train Time" holds "step 100" (line 9), "step 43" (line 20), which is no duration; it was kept '
        "under training.",
        "No column names the task; it must be chosen or typed.",
    )


def test_the_seed_table_with_a_mapping(seed: bytes) -> None:
    """A column that is mapped to nothing is listed, and only the mapped ones are taken."""
    imported = read(
        "seed.csv", seed, {"Model": "model", "Acc": "metrics.accuracy", "hidden dim": "training.width", "Step": ""}
    )
    assert imported.drafts[22] == {
        "model": "DistilKoBiLSTM-Mini",
        "metrics": {"accuracy": 0.8617},
        "training": {"width": 16},
    }
    assert imported.unknown == ("vocab size", "embedding dim", "loss rate", "temperature", "Step", "Train Time")


def test_a_row_has_what_its_cells_say() -> None:
    """Empty cells and dashes are left out, a percent column is one as a whole, and a formula is a text."""
    answers = read_example("claims.csv")
    assert [draft.get("metrics") for draft in answers.drafts] == [{"accuracy": 0.8784}, {"accuracy": "0.5 %?"}, None]
    assert any("; 1 figure was divided by 100" in note for note in answers.notes), "an open value was converted"
    assert answers.drafts[1] == {
        "model": "Small",
        "metrics": {"accuracy": "0.5 %?"},
        "training": {"vocab size": 3000, "hidden dim": 64, "Step": 43},
    }
    assert answers.drafts[2]["training"]["Train Time"] == "step 100"  # type: ignore[index]
    assert answers.unknown == ("GPU 온도",)
    mapped = read("claims.csv", content("claims.csv"), {"Model": "model", "GPU 온도": "training.GPU 온도"})
    assert mapped.drafts[0]["training"] == {"GPU 온도": '=HYPERLINK("x")'}


def test_korean_headers_are_known() -> None:
    """모델, 과제, 정확도, 파라미터, 학습 시간 and 비고 are fields."""
    answers = read_example("claims_ko.csv")
    assert answers.drafts[0] == {
        "model": "케이오바이",
        "task": "nsmc",
        "metrics": {"accuracy": 0.882},
        "params": 391170,
        "train_seconds": "00:50:29",
        "notes": "첫 시도",
    }
    assert answers.unknown == ()


@pytest.mark.parametrize("name", ["claims.json", "claims.jsonl"])
def test_rows_of_json_have_the_shape_of_a_claim(name: str) -> None:
    """Figures and facts may lie in objects of their own."""
    answers = read_example(name)
    assert answers.drafts == (
        {"task": "nsmc", "model": "A", "metrics": {"accuracy": 0.88}, "training": {"lr": 0.001}},
        {"task": "nsmc", "model": "B", "metrics": {"accuracy": 0.87}, "training": {"lr": 0.01}},
    )
    nested = read(
        "claim.json", as_json({"task": "nsmc", "model": "A", "language": "ko", "metrics": {"accuracy": "87.8%"}})
    )
    assert nested.drafts == ({"task": "nsmc", "model": "A", "language": "ko", "metrics": {"accuracy": "87.8%"}},)


def test_parquet_rows() -> None:
    """Numbers keep their kind, NaN is an empty cell, and columns of lists and dates are listed as not used."""
    numbers = {"accuracy": [0.9, float("nan")], "seed": [1, 2], "params": [391170.0, None]}
    body = parquet({"model": ["A", "B"], **numbers, "history": [[1], [2]]})
    imported = read("tables.parquet", body)
    assert imported.drafts == (
        {"model": "A", "metrics": {"accuracy": 0.9}, "seed": 1, "params": 391170},
        {"model": "B", "seed": 2},
    )
    assert imported.unknown == ("history",)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("model,acc\nA,inf\n", None),
        ("model,acc\n", "the table has names of columns and no rows"),
        ("1,2\n3,4\n", "line 1: the first line holds numbers; it must name the columns"),
        ("model,,acc\nA,1,2\n", "line 1: column 2 has no name"),
        ('model,acc\n"A"x,0.5\n', "line 2: no valid CSV"),
        ('model,acc\nA,"0.5\n', "line 2: no valid CSV"),
        ("model,acc\n" + "A" * 200_000 + ",0.5\n", "line 2: no valid CSV (field larger than field limit"),
        ("model," + ",".join(f"c{n}" for n in range(500)) + "\n", "line 1: 501 columns; at most 500"),
        ("model," + "x" * 201 + "\nA,1\n", "line 1: the name of column 2 has more than 200"),
        ("model,acc\n" + "A,0.5\n" * 1001, "1,001 rows; a table of claims may have 1,000. Are these predictions?"),
        ("model,acc\n-,\n", "no row says anything in the columns that are mapped"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_tables_that_do_not_fit(body: str, message: str | None) -> None:
    """The message names the line; what the claim itself judges (inf, say) passes on as a text."""
    if message is None:
        assert read("t.csv", body.encode()).drafts == ({"model": "A", "metrics": {"accuracy": "inf"}},)
        return
    with pytest.raises(SubmissionError) as caught:
        read("t.csv", body.encode())
    assert str(caught.value).startswith(f"t.csv: {message}")


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_delimiters_are_told_from_the_header(delimiter: str) -> None:
    """Commas, tabs and the semicolons of a German Excel; a quoted field may hold one and a line break."""
    body = delimiter.join(["model", "accuracy"]) + "\r\n" + delimiter.join([f'"A{delimiter}\n""B"""', "0.5"]) + "\r\n"
    assert read("table.txt", body.encode()).drafts == ({"model": f'A{delimiter}\n"B"', "metrics": {"accuracy": 0.5}},)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"Modell": "model"}, 'mapping of "Modell": the file has no such column; it has Model, vocab size'),
        ({"Model": "modell"}, 'mapping of "Model": there is no field "modell"; there are task, model'),
        ({"Acc": "metrics.acc"}, 'mapping of "Acc": there is no metric "acc"'),
        ({"Acc": "training."}, 'mapping of "Acc": a fact of training has a name'),
        ({"Acc": "notes", "Model": "notes"}, 'mapping of "Model": notes is filled from another column'),
        ({"Acc": "model", "Model": "predicted"}, 'mapping of "Acc": model is no field of predictions'),
    ],
)
def test_a_mapping_is_checked(mapping: dict[str, str], message: str) -> None:
    """A wrong mapping is told by its column."""
    with pytest.raises(SubmissionError) as caught:
        read("claims.csv", content("claims.csv"), mapping)
    assert str(caught.value).startswith(f"claims.csv: {message}")


def test_a_mapping_for_a_file_without_columns_is_told() -> None:
    """It changes nothing, and says so."""
    imported = read("all_results.json", content("all_results.json"), {"Acc": "metrics.accuracy"})
    assert imported.notes[-1] == "The mapping was not used: the file has no columns."


def test_columns_come_with_up_to_three_examples() -> None:
    """Different ones, none of them empty; what needs no mapping has none."""
    shown = dict(columns("claims.csv", content("claims.csv")))
    assert list(shown) == ["Model", "vocab size", "hidden dim", "Acc", "Step", "Train Time", "GPU 온도"]
    assert shown["Model"] == ["Base", "Small", "Mini"]
    assert shown["vocab size"] == ["3000"]
    assert shown["Train Time"] == ["00:49:15", "step 100"]
    for name in ("all_results.json", "wandb_history.csv", "mlflow_runs.csv"):
        assert columns(name, content(name)) == []


def test_what_columns_gives_is_what_guess_takes() -> None:
    """The form shows the examples and proposes a field beside each."""
    assert guess(columns("claims.csv", content("claims.csv"))) == {
        "Model": "model",
        "vocab size": "training.vocab size",
        "hidden dim": "training.hidden dim",
        "Acc": "metrics.accuracy",
        "Step": "training.Step",
        "Train Time": "train_seconds",
    }
    assert guess(columns("predictions.csv", content("predictions.csv"))) == {
        "id": "example_id",
        "label_pred": "predicted",
        "probability": "score",
    }


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("정확도", "metrics.accuracy"),
        ("모델", "model"),
        ("모델명", "model"),
        ("파라미터", "params"),
        ("파라미터 수", "params"),
        ("매개변수", "params"),
        ("교사 모델", "teacher"),
        ("시드", "seed"),
        ("에폭", "training.에폭"),
        ("학습률", "training.학습률"),
        ("연락처", "contact"),
        ("체크포인트", "checkpoint"),
        ("라이선스", "licence"),
        ("eval_accuracy", "metrics.accuracy"),
        ("Exact Match", "metrics.em"),
        ("val_accuracy", "metrics.validation_accuracy"),
        ("#Params", "params"),
        ("Name", "model"),
        ("latency_ms_p50", "metrics.latency_ms_p50"),
        ("learning-rate", "training.learning-rate"),
        ("gold", None),
        ("Params (M)", "params"),
        ("train_accuracy", None),
    ],
)
def test_what_a_header_suggests(header: str, field: str | None) -> None:
    """English and Korean spellings; where a name is not sure, nothing is proposed."""
    assert guess([(header, [])]) == ({header: field} if field else {})


def test_an_f1_beside_an_accuracy_is_not_that_of_answers() -> None:
    """F1 here compares answers; that of classes is another figure and is left to the person."""
    assert "F1" not in guess([("model", []), ("accuracy", []), ("F1", [])])
    assert guess([("model", []), ("EM", []), ("F1", [])])["F1"] == "metrics.f1"


def test_every_proposal_can_be_used() -> None:
    """Each field that a spelling suggests exists, and so does each metric."""
    for spelling in (*column_mapping._FIELD, *metric_names._ALIASES, *METRICS):
        for column, field in guess([(spelling, [])]).items():
            table_ = tables.Table("x", (column,), ([],), "row", [])
            assert column_mapping.check(table_, {column: field}) == {column: field}


@pytest.mark.parametrize(
    ("cells", "shares"),
    [
        (["87.84", "0.5"], [0.8784, "0.5 %?"]),
        (["0.8784", "1"], [0.8784, 1]),
        (["87.84%", "0.9", "85"], ["87.84%", "0.9 %?", 0.85]),
        (["87.84%", "0.9"], ["87.84%", "0.9 %?"]),
        (["120", "87", "0.5"], [120, 0.87, "0.5 %?"]),
        (["120", "0.5"], [120, 0.5]),
        (["-1", "50"], [-1, 0.5]),
        ([29.0, 1.0 + 0.1], [0.29, 0.011]),
        (["", "100"], ["", 1.0]),
    ],
)
def test_percentages_are_told_by_the_whole_column(cells: list[object], shares: list[object]) -> None:
    """Beside percentages, a number up to 1 is open; an impossible value, which the claim refuses, changes nothing."""
    assert metric_names.fractions("accuracy", cells)[0] == shares
    assert metric_names.fractions("eval_loss", cells)[1] is None


DURATIONS = ("00:49:15", "49:15", "2 h 49 min", 2955, "12.5")


@pytest.mark.parametrize(
    ("cell", "is_one"), [*((cell, True) for cell in DURATIONS), ("step 100", False), ("fast", False)]
)
def test_durations_are_told_from_words(cell: object, is_one: bool) -> None:
    """What is no duration goes under training."""
    made = tables.from_records("t.json", [{"model": "A", "train time": cell}])
    draft = claims.read(made, {"model": "model", "train time": "train_seconds"}).drafts[0]
    assert ("train_seconds" in draft) is is_one
    assert ("training" in draft) is not is_one


def test_fields_are_bounded_whatever_other_readers_allow() -> None:
    """The limit of the csv module is shared by the whole process."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        with pytest.raises(SubmissionError, match="field larger than field limit"):
            read("t.csv", b"model,acc\n" + b"A" * 200_000 + b",0.5\n")
    finally:
        csv.field_size_limit(before)
