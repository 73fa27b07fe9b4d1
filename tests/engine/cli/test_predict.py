"""Predictions on somebody's own texts: of a few on the command line, and of tables in files."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.base.paths import checkpoint_folder, default_database
from db.bootstrap.create import initialise
from db.storage.store import Store
from engine import networks
from engine.base.errors import CheckpointError, DataError
from engine.checkpoints import checkpoint, locate, shipped
from engine.data import tables
from engine.data.tokenizer import train_tokenizer
from engine.families.classification import classifiers
from engine.inference import classification as predict
from engine.recipes import loader
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.recipes import content, toy_set
from tests.factories.runs import add_run

TEXTS = ["좋은 영화", "지루한 결말 장면", "책", "끔찍한 음악 배우 가방", '"멋진", 장면\t줄\n바꿈']
LABELS = {"negative", "positive"}
FORMS = (".csv", ".tsv", ".jsonl", ".parquet")


def _save(folder: Path, **changes: Any) -> Path:
    recipe = loader.validate({**content(), **changes}, "toy")
    torch.manual_seed(0)
    model = networks.build(networks.own(recipe))
    tokenizer = train_tokenizer(toy_set(60).texts, networks.own(recipe).vocab_size, recipe.tokenizer)
    checkpoint.save_network(folder, recipe, model, model.state_dict(), tokenizer)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny checkpoint of a sentiment model."""
    return str(_save(tmp_path_factory.mktemp("model")))


Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine) -> Run:
    """Run ``featherboard predict sentiment`` in this process."""
    return command_line.starting_with("predict", "sentiment", "--threads", "1")


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A table by other means than ours."""
    frame = pd.DataFrame(rows)
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".jsonl":
        path.write_bytes("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
    else:
        frame.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t", lineterminator="\r\n")
    return path


def _read(path: Path) -> list[dict[str, Any]]:
    """The rows of a table, again by other means; empty cells of CSV are empty texts."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    separator = "," if path.suffix == ".csv" else "\t"
    frame = pd.read_csv(
        io.BytesIO(path.read_bytes()),
        sep=separator,
        dtype=str,
        keep_default_na=False,
        engine="python",
        lineterminator=None,
    )
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _nothing_beside(folder: Path, *allowed: str) -> None:
    assert sorted(file.name for file in folder.iterdir()) == sorted(allowed)


def test_texts_on_the_command_line_are_answered_in_order(run: Run, model: str) -> None:
    """One line a text, with label, probability and the text, all on standard output."""
    code, out, err = run("--model", model, *TEXTS)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(TEXTS)
    labels, shares = predict.predict_texts(classifiers.load(Path(model)), TEXTS)
    for line, label, share, text in zip(lines, labels, shares, TEXTS, strict=True):
        assert line.split() == [label, f"{share.max():.1%}", *text.split()]


def test_json_is_one_object_a_line(run: Run, model: str) -> None:
    """--json gives text, label and probability; a text that is empty gets null."""
    code, out, _ = run("--model", model, "--json", "좋은 영화", " ")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["text"] for row in rows] == ["좋은 영화", " "]
    assert rows[0]["prediction"] in LABELS
    assert 0.5 <= rows[0]["probability"] <= 1
    assert (rows[1]["prediction"], rows[1]["probability"]) == (None, None)


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_read_line_by_line(
    run: Run, model: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without texts, or with -, each line of standard input is one; more lines than fit one batch keep their order."""
    monkeypatch.setattr("engine.cli.predict.LINES", 3)
    lines = [f"{text} {number}" for number in range(4) for text in ("좋은 영화", "", "책")]
    code, out, _ = run("--model", model, "--json", *arguments, stdin="\r\n".join(lines).encode())
    assert code == 0
    assert [json.loads(line)["text"] for line in out.splitlines()] == lines


def test_standard_input_that_is_not_utf8_is_told(run: Run, model: str) -> None:
    """A line in another encoding ends with one line that names it."""
    code, _, err = run("--model", model, "-", stdin="좋은\n나쁜\n".encode("cp949"))
    assert code == 1
    assert err.startswith("Error: Standard input, line 1: not UTF-8")


def test_no_texts_give_no_answers(model: str) -> None:
    """An empty list is answered with nothing, in the right shape."""
    labels, shares = predict.predict_texts(classifiers.load(Path(model)), [])
    assert (labels, shares.shape) == ([], (0, 2))


@pytest.mark.parametrize("given_form", FORMS)
@pytest.mark.parametrize("expected", FORMS)
def test_a_table_keeps_its_rows_and_columns(
    run: Run, model: str, tmp_path: Path, given_form: str, expected: str
) -> None:
    """From each form to each, rows, order and columns stay, and each row has the answer to its own text."""
    rows = [{"id": f"00{index}", "document": text, "날짜": "2026"} for index, text in enumerate(TEXTS)]
    source, target = _write(tmp_path / f"in{given_form}", rows), tmp_path / f"out{expected}"
    code, out, err = run("--model", model, "--input", source, "--output", target)
    assert (code, out) == (0, ""), err
    assert "5 rows" in err.replace("\n", " ")
    assert "the column document" in err
    labels, shares = predict.predict_texts(classifiers.load(Path(model)), TEXTS)
    written = _read(target)
    assert [{name: row[name] for name in rows[0]} for row in written] == rows
    assert list(written[0]) == [*rows[0], "prediction", "probability"]
    assert [row["prediction"] for row in written] == labels
    assert np.allclose([float(row["probability"]) for row in written], shares.max(axis=1), atol=1e-6)
    _nothing_beside(tmp_path, source.name, target.name)


_ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_ANY_TEXT, max_size=12), others=st.lists(_ANY_TEXT, min_size=12, max_size=12))
def test_any_unicode_goes_through(model: str, tmp_path: Path, form: str, texts: list[str], others: list[str]) -> None:
    """Whatever the texts and the other columns hold, they come out as they went in, row by row."""
    rows = [{"other": other, "text": text} for text, other in zip(texts, others, strict=False)]
    first, target = tmp_path / "in.parquet", tmp_path / f"out{form}"
    schema = pa.schema([("other", pa.string()), ("text", pa.string())])
    pq.write_table(pa.Table.from_pylist(rows, schema), first)
    classifier = classifiers.load(Path(model))
    assert predict.predict_file(classifier, first, target, force=True).rows == len(rows)
    if not rows and form == ".jsonl":  # without rows it has no columns to read again
        assert target.read_bytes() == b""
        return
    final = tmp_path / f"again{form}"
    predict.predict_file(classifier, target, final, predict.Columns(prefix="second_"), force=True)
    written = [row for chunk in tables.open_table(final).chunks("text", 5) for row in _dicts(chunk.rows)]
    assert [(row["other"], row["text"]) for row in written] == [(row["other"], row["text"]) for row in rows]
    assert [row["prediction"] for row in written] == [row["second_prediction"] for row in written]
    assert all((row["prediction"] in LABELS) == bool(row["text"].strip()) for row in written)


def _dicts(rows: pa.Table | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows if isinstance(rows, list) else rows.to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_chunks_change_nothing(
    run: Run, model: str, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is read in many pieces gives the same as one that is read at once."""
    rows = [{"n": str(index), "text": " ".join(text)} for index, text in enumerate(toy_set(50).texts)]
    source = _write(tmp_path / f"in{form}", rows)
    assert run("--model", model, "--input", source, "--output", tmp_path / f"one{form}")[0] == 0
    monkeypatch.setattr(predict, "CHUNK", 7)
    assert run("--model", model, "--input", source, "--output", tmp_path / f"many{form}")[0] == 0
    single, many = _read(tmp_path / f"one{form}"), _read(tmp_path / f"many{form}")
    assert [row["n"] for row in many] == [row["n"] for row in rows]
    assert [row["prediction"] for row in single] == [row["prediction"] for row in many]
    assert np.allclose(
        [float(row["probability"]) for row in single], [float(row["probability"]) for row in many], atol=2e-6
    )


def test_the_official_nsmc_file_is_read_with_its_quotation_marks(run: Run, model: str, tmp_path: Path) -> None:
    """In .txt a lone quotation mark is content, and an empty document is a row."""
    source, target = tmp_path / "ratings_test.txt", tmp_path / "out.jsonl"
    source.write_bytes('id\tdocument\tlabel\n1\t"좋은 영화\t1\n2\t\t0\n3\t나쁜" 책\t0\n'.encode())
    code, _, err = run("--model", model, "--input", source, "--output", target)
    assert code == 0
    assert [row["document"] for row in _read(target)] == ['"좋은 영화', "", '나쁜" 책']
    assert "1 row(s) hold no text" in err
    assert _read(target)[1]["prediction"] is None


def test_missing_empty_and_long_texts_are_counted(run: Run, model: str, tmp_path: Path) -> None:
    """Missing and empty texts get an empty answer; what was cut is told; --json gives the counts to machines."""
    rows = [{"text": None}, {"text": ""}, {"text": " \t"}, {"text": "영화 " * 60}, {"text": "좋은"}]
    source, target = _write(tmp_path / "in.parquet", rows), tmp_path / "out.parquet"
    code, _, err = run("--model", model, "--input", source, "--output", target)
    assert code == 0
    assert "3 row(s) hold no text; their prediction is empty." in err
    assert "1 text(s) are longer than the model reads" in err
    columns = pq.read_table(target).to_pydict()
    assert columns["prediction"][:3] == columns["probability"][:3] == [None, None, None]
    assert set(columns["prediction"][3:]) <= LABELS
    code, out, _ = run("--model", model, "--input", source, "--output", target, "--force", "--json")
    summary = json.loads(out)
    assert (code, summary["rows"], summary["empty"], summary["cut"], sum(summary["counts"].values())) == (0, 5, 3, 1, 2)
    _, _, err = run("--model", model, "영화 " * 60)
    assert "longer than 20 tokens" in err


def test_typed_columns_stay_what_they_are(run: Run, model: str, tmp_path: Path) -> None:
    """Parquet keeps its types and its metadata; JSON rows keep numbers, lists and what they lack."""
    typed = pa.table(
        {
            "text": pa.array(["좋은", "책"]).dictionary_encode(),
            "when": pa.array([1, 2], pa.timestamp("ns", "UTC")),
            "many": [[1], [2, 3]],
            "share": pa.array([0.5, float("nan")], pa.float32()),
        }
    ).replace_schema_metadata({"made by": "somebody"})
    pq.write_table(typed, tmp_path / "in.parquet")
    assert run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.parquet")[0] == 0
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.field("when").type == pa.timestamp("ns", "UTC")
    assert table.drop_columns(["prediction", "probability"]).equals(typed) or str(table["share"][1]) == "nan"
    assert table.schema.metadata[b"made by"] == b"somebody"
    assert run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.jsonl")[0] == 0
    assert _read(tmp_path / "out.jsonl")[1]["share"] is None

    rows = [
        {"text": "좋은", "n": 1, "deep": {"a": [1]}},
        {"text": "책", "n": 2.5, "mixed": "x"},
        {"text": "a", "mixed": 3},
    ]
    _write(tmp_path / "rows.jsonl", rows)
    assert run("--model", model, "--input", tmp_path / "rows.jsonl", "--output", tmp_path / "again.jsonl")[0] == 0
    again = [
        {name: value for name, value in row.items() if name not in {"prediction", "probability"}}
        for row in _read(tmp_path / "again.jsonl")
    ]
    assert again == rows
    assert run("--model", model, "--input", tmp_path / "rows.jsonl", "--output", tmp_path / "rows.parquet")[0] == 0
    columns = pq.read_table(tmp_path / "rows.parquet").to_pydict()
    assert columns["n"] == [1.0, 2.5, None]
    assert columns["deep"] == ['{"a": [1]}', None, None]
    assert columns["mixed"] == [None, "x", "3"]


def test_the_prefix_makes_room(run: Run, model: str, tmp_path: Path) -> None:
    """A column called prediction is in the way; one line says so, and --prefix is the way out."""
    source = _write(tmp_path / "in.csv", [{"text": "책", "prediction": "mine"}])
    code, _, err = run("--model", model, "--input", source, "--output", tmp_path / "out.csv")
    assert code == 1
    assert "has a column 'prediction' already" in err
    assert "--prefix model_" in err
    _nothing_beside(tmp_path, "in.csv")
    assert run("--model", model, "--input", source, "--output", tmp_path / "out.csv", "--prefix", "model_")[0] == 0
    (row,) = _read(tmp_path / "out.csv")
    assert row["prediction"] == "mine"
    assert row["model_prediction"] in LABELS


def test_another_column_is_named(run: Run, model: str, tmp_path: Path) -> None:
    """--column says where the texts are, also beside a column that would have been found."""
    source = _write(tmp_path / "in.csv", [{"text": "", "comment": "좋은 영화"}])
    assert run("--model", model, "--input", source, "--output", tmp_path / "o.csv", "--column", "comment")[0] == 0
    assert _read(tmp_path / "o.csv")[0]["prediction"] in LABELS


BAD: dict[str, tuple[str, bytes, str]] = {
    "no such file": ("gone.csv", b"", "There is no file"),
    "another suffix": ("in.xlsx", b"x", "the name must end in .csv, .tsv, .txt, .json, .jsonl, .parquet"),
    "empty csv": ("in.csv", b"", "is empty"),
    "empty jsonl": ("in.jsonl", b"\n", "is empty"),
    "no text column": ("in.csv", b"a,b\n1,2\n", "no column called document, text, review, sentence"),
    "column twice": ("in.csv", b"text,a,a\n1,2,3\n", "two columns are called 'a'"),
    "short row": ("in.csv", b"text,b\n1,2\n1\n", "line 3: 1 values, but the header names 2"),
    "lone quote": ("in.tsv", b'text\tb\n"a\t1\nb"c\t2\n', "line 3: "),
    "open quote": ("in.csv", b'text,b\n"a,1\n', "line 2: unexpected end of data"),
    "not utf-8": ("in.csv", b"text\ncaf\xe9\n", "line 2: not UTF-8"),
    "not utf-8 jsonl": ("in.jsonl", b'{"text": "\xe9"}\n', "line 1: not UTF-8"),
    "malformed json": ("in.jsonl", b'{"text": "a"}\n{"text": \n', "line 2: "),
    "no object": ("in.jsonl", b'{"text": "a"}\n["a"]\n', "line 2: is not a JSON object"),
    "half a surrogate": ("in.jsonl", b'{"text": "\\ud800"}\n', "line 1: cannot be used"),
    "a number": ("in.jsonl", b'{"text": "a"}\n{"text": 5}\n', "line 2: text is not a text but 5"),
    "no parquet": ("in.parquet", b"PAR1 not", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_leaves_nothing_behind(run: Run, model: str, tmp_path: Path, case: str, force: bool) -> None:
    """Each wrong input is told in one line, and no output appears; one that --force would replace stays as it was."""
    name, given_bytes, message = BAD[case]
    source, target = tmp_path / "in" / name, tmp_path / "out" / "out.csv"
    for path in (source, target):
        path.parent.mkdir()
    if name != "gone.csv":
        source.write_bytes(given_bytes)
    if force:
        target.write_text("precious")
    code, out, err = run("--model", model, "--input", source, "--output", target, *(["--force"] if force else []))
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
    (line,) = [line for line in err.splitlines() if line.startswith("Error")]
    assert str(source) in line
    _nothing_beside(target.parent, *(["out.csv"] if force else []))
    assert not force or target.read_text() == "precious"


@pytest.mark.parametrize("keep", [0.5, 0.9, 0.999])
def test_a_truncated_parquet_file_is_told(run: Run, model: str, tmp_path: Path, keep: float) -> None:
    """However much of the end is missing, one line says so and nothing is written."""
    whole = _write(tmp_path / "whole.parquet", [{"text": text[0]} for text in toy_set(300).texts]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: int(len(whole) * keep)])
    (tmp_path / "out").mkdir()
    code, _, err = run("--model", model, "--input", tmp_path / "cut.parquet", "--output", tmp_path / "out" / "o.csv")
    assert code == 1
    assert "cut.parquet: cannot be read as Parquet" in err
    _nothing_beside(tmp_path / "out")


def test_a_parquet_file_that_is_damaged_inside_is_told(run: Run, model: str, tmp_path: Path) -> None:
    """Damage that shows only after some rows were answered leaves nothing behind either."""
    rows = [{"text": text[0] * 20} for text in toy_set(3000).texts]
    pd.DataFrame(rows).to_parquet(tmp_path / "in.parquet", row_group_size=1000, compression="gzip")
    whole = bytearray((tmp_path / "in.parquet").read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 400] = bytes(400)
    (tmp_path / "in.parquet").write_bytes(whole)
    code, _, err = run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.parquet")
    assert code == 1
    assert "in.parquet: cannot be read as Parquet" in err
    _nothing_beside(tmp_path, "in.parquet")


def test_columns_that_cannot_be_texts_or_kept_are_told(run: Run, model: str, tmp_path: Path) -> None:
    """Numbers are not classified, and bytes are kept by Parquet alone."""
    pq.write_table(pa.table({"text": [1, 2], "review": ["좋은", "책"], "raw": [b"a", b"b"]}), tmp_path / "in.parquet")
    code, _, err = run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.csv")
    assert code == 1
    assert "the column 'text' holds int64, not text; name another by --column" in err
    chosen = ("--model", model, "--input", tmp_path / "in.parquet", "--column", "review", "--output")
    code, _, err = run(*chosen, tmp_path / "out.csv")
    assert code == 1
    assert "The column 'raw' holds bytes" in err
    _nothing_beside(tmp_path, "in.parquet")
    assert run(*chosen, tmp_path / "out.parquet")[0] == 0


def test_the_output_is_never_overwritten_unasked(run: Run, model: str, tmp_path: Path) -> None:
    """A file that is there stays unless --force is given; the input is never the output, under whatever name."""
    source = _write(tmp_path / "in.csv", [{"text": "책"}])
    before = source.read_bytes()
    target = tmp_path / "out.csv"
    target.write_text("precious")
    code, _, err = run("--model", model, "--input", source, "--output", target)
    assert code == 1
    assert "was left as it is. Overwrite it with --force." in err
    assert target.read_text() == "precious"
    (tmp_path / "link.csv").symlink_to(source)
    for same in (source, tmp_path / "link.csv", tmp_path / "." / "in.csv"):
        code, _, err = run("--model", model, "--input", source, "--output", same, "--force")
        assert code == 1
        assert "input and output are the same file" in err
        assert source.read_bytes() == before
    assert run("--model", model, "--input", source, "--output", target, "--force")[0] == 0
    assert _read(target)[0]["prediction"] in LABELS


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.txt", "must end in .csv, .tsv, .jsonl, .parquet"),
        ("nowhere/out.csv", "there is no folder"),
        ("folder.csv", "is a folder; name a file"),
    ],
)
def test_an_impossible_output_is_told(run: Run, model: str, tmp_path: Path, name: str, message: str) -> None:
    """A name without a known form, a missing folder, a folder in its place."""
    source = _write(tmp_path / "in.csv", [{"text": "책"}])
    (tmp_path / "folder.csv").mkdir()
    code, _, err = run("--model", model, "--input", source, "--output", tmp_path / name, "--force")
    assert code == 1
    assert message in err
    _nothing_beside(tmp_path, "in.csv", "folder.csv")


@pytest.mark.parametrize("form", FORMS)
def test_ctrl_c_leaves_no_half_file(
    run: Run, model: str, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle, there is no output, and one that --force would have replaced is as it was."""
    source = _write(tmp_path / f"in{form}", [{"text": text[0]} for text in toy_set(20).texts])
    target = tmp_path / f"out{form}"
    target.write_text("precious")
    monkeypatch.setattr(predict, "CHUNK", 7)
    original, calls = predict.answer_rows, []

    def stopping(*arguments: Any) -> predict.Answers:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(predict, "answer_rows", stopping)
    code, _, err = run("--model", model, "--input", source, "--output", target, "--force")
    assert code != 0
    assert "Traceback" not in err
    assert target.read_text() == "precious"
    _nothing_beside(tmp_path, source.name, target.name)


def test_an_output_that_appears_meanwhile_is_kept(model: str, tmp_path: Path) -> None:
    """What another process wrote while the texts were classified is not overwritten."""
    target = tmp_path / "out.csv"

    def work() -> None:
        with tables.replacing(target, force=False) as part:
            part.write_text("ours")
            target.write_text("theirs")

    with pytest.raises(DataError, match="exists and was left"):
        work()
    assert target.read_text() == "theirs"
    _nothing_beside(tmp_path, "out.csv")


@pytest.mark.parametrize(
    "arguments", [("--input", "a.csv"), ("--output", "a.csv"), ("--input", "a.csv", "--output", "b.csv", "text")]
)
def test_a_wrong_use_is_refused(run: Run, model: str, arguments: tuple[str, ...]) -> None:
    """Half a pair of files, or texts and a file, end with 2 and a usage line."""
    code, _, err = run("--model", model, *arguments)
    assert code == 2
    assert "Traceback" not in err


# Which model a name means.


def test_an_unknown_model_is_answered_with_what_was_tried(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the shipped checkpoints, the folder and the board."""
    shelf = tmp_path / "shelf"
    _save(shelf / "toy-one")
    (shelf / "not-a-checkpoint").mkdir()
    monkeypatch.setattr(shipped, "_root", lambda: shelf)
    for name in ("nothing", "not-a-checkpoint"):
        code, out, err = run("--model", name, "책")
        assert (code, out) == (1, "")
        assert f"There is no model '{name}'" in err
        assert "the shipped checkpoints (toy-one)" in err
        assert "a folder of that name" in err
    assert run("--model", "toy-one", "책")[0] == 0


def test_a_shipped_name_goes_before_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stray folder does not hide a shipped checkpoint; with ./ it is meant."""
    shelf = tmp_path / "shelf"
    _save(shelf / "toy-one")
    monkeypatch.setattr(shipped, "_root", lambda: shelf)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy-one").mkdir()
    store = Store(tmp_path / "none.duckdb")
    assert locate.find(store, "toy-one").folder == shelf / "toy-one"
    assert locate.find(store, "./toy-one").folder == Path("toy-one")


def test_a_run_of_the_board_answers(run: Run, model: str) -> None:
    """A run whose checkpoint is here is named by its id or its beginning; one from elsewhere is told apart."""
    store = Store(default_database())
    initialise(store)
    run_id = add_run(store, accuracy=0.7)
    code, _, err = run("--model", run_id[:12], "책")
    assert code == 1
    assert f"The checkpoint of run {run_id[:12]} is not on this machine" in err
    folder = checkpoint_folder(store.path, run_id)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(model)
    assert locate.find(store, run_id[:12]).run_id == run_id
    assert run("--model", run_id[:12], "책")[0] == 0


def test_a_model_for_another_task_is_refused(run: Run, tmp_path: Path) -> None:
    """Three classes of inference are not a sentiment."""
    sizes = {"vocab_size": 120, "embedding_dim": 4, "hidden_dim": 4, "num_labels": 3}
    pairs = _save(tmp_path / "pairs", task="mnli", mini_task="nli-en-mini", language="en", model=sizes)
    code, _, err = run("--model", pairs, "책")
    assert code == 1
    assert "was made for the task mnli; one with the labels negative, positive is needed" in err


def test_a_damaged_checkpoint_is_told(run: Run, tmp_path: Path) -> None:
    """Weights that were changed are not used."""
    folder = _save(tmp_path / "toy")
    (folder / checkpoint.WEIGHTS).write_bytes(b"broken")
    code, _, err = run("--model", folder, "책")
    assert code == 1
    assert "cannot be read" in err or "damaged" in err
    with pytest.raises(CheckpointError):
        classifiers.load(folder)
