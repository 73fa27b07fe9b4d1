"""Predictions on tables: what goes in comes back with a label."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.base.chunked_tables import open_table
from engine.families.classification import classifiers
from engine.inference import classification as predict
from tests.engine.cli.predict.conftest import Run
from tests.engine.cli.predict.table_files import FORMS, LABELS, TEXTS, assert_nothing_beside, read, write
from tests.factories.recipes import toy_set


@pytest.mark.parametrize("given_form", FORMS)
@pytest.mark.parametrize("expected", FORMS)
def test_a_table_keeps_its_rows_and_columns(
    run: Run, model: str, tmp_path: Path, given_form: str, expected: str
) -> None:
    """From each form to each, rows, order and columns stay, and each row has the answer to its own text."""
    rows = [{"id": f"00{index}", "document": text, "날짜": "2026"} for index, text in enumerate(TEXTS)]
    source, target = write(tmp_path / f"in{given_form}", rows), tmp_path / f"out{expected}"
    code, out, err = run("--model", model, "--input", source, "--output", target)
    assert (code, out) == (0, ""), err
    assert "5 rows" in err.replace("\n", " ")
    assert "the column document" in err
    labels, shares, _ = predict.classified(classifiers.load(Path(model)), [(text,) for text in TEXTS])
    written = read(target)
    assert [{name: row[name] for name in rows[0]} for row in written] == rows
    assert list(written[0]) == [*rows[0], "prediction", "probability"]
    assert [row["prediction"] for row in written] == labels
    assert np.allclose([float(row["probability"]) for row in written], shares.max(axis=1), atol=1e-6)
    assert_nothing_beside(tmp_path, source.name, target.name)


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
    written = [row for chunk in open_table(final).chunks("text", 5) for row in _dicts(chunk.rows)]
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
    source = write(tmp_path / f"in{form}", rows)
    assert run("--model", model, "--input", source, "--output", tmp_path / f"one{form}")[0] == 0
    monkeypatch.setattr(predict, "CHUNK", 7)
    assert run("--model", model, "--input", source, "--output", tmp_path / f"many{form}")[0] == 0
    single, many = read(tmp_path / f"one{form}"), read(tmp_path / f"many{form}")
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
    assert [row["document"] for row in read(target)] == ['"좋은 영화', "", '나쁜" 책']
    assert "1 row(s) hold no text" in err
    assert read(target)[1]["prediction"] is None


def test_missing_empty_and_long_texts_are_counted(run: Run, model: str, tmp_path: Path) -> None:
    """Missing and empty texts get an empty answer; what was cut is told; --json gives the counts to machines."""
    rows = [{"text": None}, {"text": ""}, {"text": " \t"}, {"text": "영화 " * 60}, {"text": "좋은"}]
    source, target = write(tmp_path / "in.parquet", rows), tmp_path / "out.parquet"
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
    assert read(tmp_path / "out.jsonl")[1]["share"] is None

    rows = [
        {"text": "좋은", "n": 1, "deep": {"a": [1]}},
        {"text": "책", "n": 2.5, "mixed": "x"},
        {"text": "a", "mixed": 3},
    ]
    write(tmp_path / "rows.jsonl", rows)
    assert run("--model", model, "--input", tmp_path / "rows.jsonl", "--output", tmp_path / "again.jsonl")[0] == 0
    again = [
        {name: value for name, value in row.items() if name not in {"prediction", "probability"}}
        for row in read(tmp_path / "again.jsonl")
    ]
    assert again == rows
    assert run("--model", model, "--input", tmp_path / "rows.jsonl", "--output", tmp_path / "rows.parquet")[0] == 0
    columns = pq.read_table(tmp_path / "rows.parquet").to_pydict()
    assert columns["n"] == [1.0, 2.5, None]
    assert columns["deep"] == ['{"a": [1]}', None, None]
    assert columns["mixed"] == [None, "x", "3"]


def test_the_prefix_makes_room(run: Run, model: str, tmp_path: Path) -> None:
    """A column called prediction is in the way; one line says so, and --prefix is the way out."""
    source = write(tmp_path / "in.csv", [{"text": "책", "prediction": "mine"}])
    code, _, err = run("--model", model, "--input", source, "--output", tmp_path / "out.csv")
    assert code == 1
    assert "has a column 'prediction' already" in err
    assert "--prefix model_" in err
    assert_nothing_beside(tmp_path, "in.csv")
    assert run("--model", model, "--input", source, "--output", tmp_path / "out.csv", "--prefix", "model_")[0] == 0
    (row,) = read(tmp_path / "out.csv")
    assert row["prediction"] == "mine"
    assert row["model_prediction"] in LABELS


def test_another_column_is_named(run: Run, model: str, tmp_path: Path) -> None:
    """--column says where the texts are, also beside a column that would have been found."""
    source = write(tmp_path / "in.csv", [{"text": "", "comment": "좋은 영화"}])
    assert run("--model", model, "--input", source, "--output", tmp_path / "o.csv", "--column", "comment")[0] == 0
    assert read(tmp_path / "o.csv")[0]["prediction"] in LABELS
