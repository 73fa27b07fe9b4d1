"""What is scored beside the test split: the mismatched split, genres, and what the majority label gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db.runs import detail
from db.storage.store import Store
from engine.data import corpora
from engine.data.text_sets import make_set
from engine.families.classification import extra_splits
from engine.trainer import metrics
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate as jobs
from tests.engine.pairs import pair_recipe
from tests.factories.runs import leaderboard

GENRES = ("travel", "fiction", None)


def _write(folder: Path, mismatched: int = 12) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", 40), ("validation_matched", 30), ("validation_mismatched", mismatched)):
        rows = [
            {
                "id": f"{name}-{i}",
                "premise": f"The cat {i}",
                "hypothesis": f"A dog {i % 7}",
                "label": i % 3 and i % 2,
                "genre": GENRES[i % 3],
            }
            for i in range(count)
        ]
        if rows:
            (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return str(folder)


def _figures(board: Store, run_id: str) -> dict[str, Any]:
    rows = detail.run_detail(board, run_id).metrics
    return {row.name: row for row in rows.itertuples()}


def test_the_mismatched_split_has_a_figure_of_its_own(board: Store, tmp_path: Path) -> None:
    """With its count and interval, beside the matched one; its predictions are not mixed in."""
    run_id = pipeline.train(Job(pair_recipe("mnli"), _write(tmp_path), board))
    figures = _figures(board, run_id)
    assert (figures["accuracy"].n, figures["accuracy_mismatched"].n) == (30, 12)
    assert (
        figures["accuracy_mismatched"].low < figures["accuracy_mismatched"].value < figures["accuracy_mismatched"].high
    )
    ids = board.query("SELECT example_id FROM predictions WHERE run_id = ?", [run_id])["example_id"]
    assert sorted(ids) == sorted(f"validation_matched-{i}" for i in range(30))


def test_genres_are_parts_of_both_splits(board: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each known genre with its count; the mismatched file is told to be a part; an unknown genre is none."""
    run_id = pipeline.train(Job(pair_recipe("mnli"), _write(tmp_path), board))
    parts = detail.slices(board, run_id)
    counts = {(row.facet, row.part): row.n for row in parts.itertuples()}
    assert counts == {
        ("genre", "travel"): 10,
        ("genre", "fiction"): 10,
        ("genre, mismatched (12 of 9,832)", "travel"): 4,
        ("genre, mismatched (12 of 9,832)", "fiction"): 4,
    }
    assert "The mismatched split is here in part: 12 of 9,832 examples." in " ".join(capsys.readouterr().err.split())


def test_without_the_file_there_is_no_figure(board: Store, tmp_path: Path) -> None:
    """Nothing is made up, and nothing fails."""
    figures = _figures(board, pipeline.train(Job(pair_recipe("mnli"), _write(tmp_path, mismatched=0), board)))
    assert "accuracy_mismatched" not in figures
    assert "accuracy" in figures


def test_genres_need_names(tmp_path: Path) -> None:
    """Data without genres have no parts; the accuracy of a part is that of its examples."""
    split = make_set(["a", "b", "c"], [("x",)] * 3, np.array([0, 1, 1]), ["g", "", "g"])
    sure = np.eye(3)[[0, 0, 0]]
    assert extra_splits.by_genre(make_set(["a"], [("x",)], np.array([0])), np.eye(3)[[0]]) == []
    (only,) = extra_splits.by_genre(split, sure)
    assert (only.part, only.figure.value, only.figure.n) == ("g", 0.5, 2)


def test_the_majority_label_is_that_of_the_training_split() -> None:
    """Scored on the test split, whose own most frequent label may be another."""
    baseline = metrics.majority(np.array([1, 1, 0]), np.array([0, 0, 0, 1]))
    assert (baseline.name, baseline.value, baseline.n) == ("accuracy_majority", 0.25, 4)


def test_a_part_of_the_training_split_is_named_so(board: Store, tmp_path: Path) -> None:
    """All rows of a file that is a part of the corpus, and rows drawn from it, are data sets of their own."""
    folder = _write(tmp_path)
    runs = [
        pipeline.train(Job(recipe, folder, board)) for recipe in (pair_recipe("mnli"), pair_recipe("mnli", examples=20))
    ]
    names = [detail.run_detail(board, run_id).run["dataset"] for run_id in runs]
    assert names == ["mnli (40 of 392,702)", "mnli (20 drawn)"]
    assert [_figures(board, run_id)["train_examples"].value for run_id in runs] == [40, 20]
    rows = leaderboard(board, "mnli", every_run=False)
    assert set(rows.loc[rows["source"] == "measured", "dataset"]) == set(names)


def test_scoring_again_says_the_same(board: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate` shows the mismatched figure beside the stored one."""
    folder = _write(tmp_path)
    run_id = pipeline.train(Job(pair_recipe("mnli"), folder, board))
    stored = _figures(board, run_id)["accuracy_mismatched"].value
    jobs.evaluate(board, run_id, folder, 1, keep=False)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Accuracy, mismatched")]
    assert [line.count(f"{stored:.2%}"[:5]) for line in lines] == [2]


def test_a_mini_corpus_has_no_further_split() -> None:
    """Its folder is not looked through for one."""
    assert corpora.load_extra_split("mnli", None, corpora.SOURCES["mnli"].extra_splits[0]) is None
