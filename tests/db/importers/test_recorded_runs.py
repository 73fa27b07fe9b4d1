"""Workbooks, databases and folders that trackers leave, each with the values that must come out.

All of them are made here.
"""

import io
import json
import sqlite3
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from db import importers
from db.base.errors import SubmissionError
from db.importers import read
from db.importers.formats import mlflow
from db.submissions import drafts
from engine.cli.submissions import read_files


def workbook(*rows: list[object], percent: str = "", sheets: tuple[str, ...] = ()) -> bytes:
    """An Excel workbook; the cell ``percent`` is shown as a percentage."""
    book = openpyxl.Workbook()
    worksheet = book.worksheets[0]
    for row in rows:
        worksheet.append(row)
    if percent:
        worksheet[percent].number_format = "0.00%"
    for name in sheets:
        book.create_sheet(name)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_workbook_is_a_table() -> None:
    """A title above the header, an empty row, a date, a summary row and a second sheet do not disturb it."""
    body = workbook(
        ["Results of November"],
        ["모델", "정확도 (%)", "#Params (M)", "date"],
        ["A", 0.8784, 14.5, date(2026, 1, 1)],
        [None, None, None, None],
        ["B", 85, 3, None],
        ["평균", 86, None, None],
        percent="B3",
        sheets=("notes",),
    )
    result = read("results.xlsx", body)
    assert result.drafts == (
        {"model": "A", "metrics": {"accuracy": "87.84%"}, "params": 14_500_000},
        {"model": "B", "metrics": {"accuracy": 0.85}, "params": 3_000_000},
    )
    assert result.unknown == ("date", "sheet notes")


def test_a_share_shown_as_percentage_is_no_percentage_of_its_column() -> None:
    """0.009 shown as 0.90 % is 0.9 %, beside 85, which is 85 %."""
    result = read("r.xlsx", workbook(["model", "accuracy"], ["A", 0.009], ["B", 85], percent="B2"))
    assert [draft["metrics"] for draft in result.drafts] == [{"accuracy": "0.9%"}, {"accuracy": 0.85}]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (workbook(["a title"]), "no sheet holds a table"),
        (workbook(["model", "model"], ["A", "B"]), "two columns have the same name"),
        (workbook(["model", "accuracy"], ["A", 0.9])[:-40], "zip|workbook"),
        (b"SQLite format 3\0" + b"\0" * 200, "no MLflow database that can be read"),
    ],
)
def test_what_is_no_table_is_refused_in_words(body: bytes, message: str) -> None:
    """Without a traceback, and with the file's name."""
    with pytest.raises(SubmissionError, match=message) as caught:
        read("file", body)
    assert str(caught.value).startswith("file")


def _database(path: Path, script: str = "") -> bytes:
    """The part of MLflow's schema that is read, with a finished, a failed and a deleted run."""
    database = sqlite3.connect(path)
    database.executescript(
        """
        CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, start_time INT, end_time INT, lifecycle_stage TEXT);
        CREATE TABLE latest_metrics (run_uuid TEXT, key TEXT, value REAL, is_nan BOOLEAN, step INT);
        CREATE TABLE params (run_uuid TEXT, key TEXT, value TEXT);
        INSERT INTO runs VALUES ('1', 'bold-fox', 'FINISHED', 1000, 61000, 'active'),
            ('2', 'shy-owl', 'FAILED', 2000, NULL, 'active'), ('3', 'gone', 'FINISHED', 1, 2, 'deleted');
        INSERT INTO latest_metrics VALUES ('1', 'test_accuracy', 0.87, 0, 9), ('1', 'train_loss', 0, 1, 9),
            ('2', 'test_accuracy', 0.5, 0, 3), ('3', 'test_accuracy', 0.99, 0, 3);
        INSERT INTO params VALUES ('1', 'model_name', 'my-bert'), ('1', 'lr', '0.001'), ('1', 'seed', '7');
        """
        + script
    )
    database.close()
    return path.read_bytes()


def test_an_mlflow_database_is_read(tmp_path: Path) -> None:
    """Deleted runs are left out, a NaN is no figure, and an unfinished run is named."""
    result = read("mlflow.db", _database(tmp_path / "mlflow.db"))
    first, second = result.drafts
    assert first == {
        "metrics": {"accuracy": 0.87},
        "model": "my-bert",
        "seed": 7,
        "training": {"lr": 0.001},
        "train_seconds": 60.0,
    }
    assert (second["model"], second["metrics"]) == ("shy-owl", {"accuracy": 0.5})
    assert 'MLflow calls the run "FAILED"' in " ".join(result.notes)


def test_a_view_in_a_database_is_not_run(tmp_path: Path) -> None:
    """It could compute for ever."""
    script = "DROP TABLE params; CREATE VIEW params AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
    body = _database(tmp_path / "x.db", script + "SELECT '1' run_uuid, 'a' key, i value FROM n;")
    with pytest.raises(SubmissionError, match="is not MLflow's"):
        read("x.db", body)


def _mlruns(folder: Path) -> Path:
    for number, (stage, lines) in enumerate([("active", ["1 0.5 0", "2 0.87 1"]), ("deleted", ["1 0.99 0"])]):
        run = folder / "0" / f"run{number}"
        (run / "metrics").mkdir(parents=True)
        (run / "params").mkdir()
        (run / "metrics" / "test_accuracy").write_text("\n".join(lines) + "\n")
        (run / "params" / "model_name").write_text("my-bert")
        meta = {"run_id": f"{number}", "status": 3, "start_time": 1000, "end_time": 61000, "lifecycle_stage": stage}
        (run / "meta.yaml").write_text("".join(f"{key}: {value}\n" for key, value in meta.items()))
    (folder / "0" / "meta.yaml").write_text("experiment_id: 0\n")
    return folder


def test_an_mlruns_folder_is_read(tmp_path: Path) -> None:
    """The last value of each figure counts, and deleted runs are left out."""
    gathered = read_files([_mlruns(tmp_path / "mlruns")], {})
    assert gathered.drafts == ({"metrics": {"accuracy": 0.87}, "model": "my-bert", "train_seconds": 60.0},)


SUMMARY = {
    "_step": 10,
    "_timestamp": 1.5,
    "_wandb": {"runtime": 33},
    "train/loss": 0.3,
    "eval/accuracy": 0.8,
    "test/accuracy": 0.87,
}


def test_the_folder_of_a_wandb_run_is_one_claim(tmp_path: Path) -> None:
    """Its summary gives the figures, of the test split where there are some, and its settings the facts."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "wandb-summary.json").write_text(json.dumps(SUMMARY))
    (files / "config.yaml").write_text(
        "wandb_version: 1\n_wandb:\n  value: {cli_version: 0.19}\nlr:\n  value: 0.001\nmodel_name:\n  value: my-bert\n"
    )
    (draft,) = read_files([tmp_path], {}).drafts
    assert draft == {
        "metrics": {"accuracy": 0.87, "train_loss": 0.3},
        "train_seconds": 33.0,
        "model": "my-bert",
        "training": {"lr": 0.001},
    }


def test_the_folder_of_a_training_is_one_claim(tmp_path: Path) -> None:
    """Its results and its configuration, from which the parameters are counted."""
    (tmp_path / "all_results.json").write_text(json.dumps({"eval_accuracy": 0.9, "train_runtime": 5.0}))
    config = {"model_type": "bert", "vocab_size": 100, "hidden_size": 8, "num_hidden_layers": 1}
    config |= {"num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 32, "type_vocab_size": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (draft,) = read_files([tmp_path], {}).drafts
    assert draft["metrics"] == {"accuracy": 0.9}
    assert isinstance(draft["params"], int)


@pytest.mark.parametrize("rounded", [3.0, 2.9978586723768736])
def test_epochs_that_one_file_rounds_are_no_disagreement(rounded: float) -> None:
    """Older trainers write 3.0 into the results and 2.9978... into the state; the longer number is kept."""
    state = {"epoch": 2.9978586723768736, "log_history": [{"step": 1, "loss": 0.5}]}
    files = [("all_results.json", {"epoch": rounded, "eval_accuracy": 0.9}), ("trainer_state.json", state)]
    (draft,) = drafts.gather([(name, read(name, json.dumps(body).encode())) for name, body in files]).drafts
    assert draft["training"] == {"epochs": 2.9978586723768736}


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    """The message names what was looked for."""
    assert not mlflow.holds_runs(tmp_path)
    with pytest.raises(SubmissionError, match=r"holds none of all_results\.json"):
        importers.in_folder(tmp_path)
