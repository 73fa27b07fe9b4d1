"""Scores of each answer cut from a text: they go along where the texts may not, and paired tests read them."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from db.analysis import paired_tests
from db.analysis.comparison import compare
from db.leaderboard.board import board as leaderboard
from db.runs import bundles
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.statistics import qa_scoring
from db.storage import outcomes
from db.storage.store import Store
from tests.factories.runs import facts

COUNT = 300


def _answers(right: int, partly: int) -> pd.DataFrame:
    """Answers of which some are right, some share one word of two with the right one, and the others none."""
    texts = ["green cup"] * right + ["green box"] * partly + ["nothing"] * (COUNT - right - partly)
    return pd.DataFrame(
        {
            "example_id": [f"q{i:03}" for i in range(COUNT)],
            "gold": [qa_scoring.pack(["green cup"])] * COUNT,
            "predicted": texts,
            "score": 0.5,
        }
    )


def _add(store: Store, model: str, right: int, partly: int) -> str:
    predictions = _answers(right, partly)
    pairs = [qa_scoring.best(qa_scoring.SQUAD, answer, ["green cup"]) for answer in predictions["predicted"]]
    overlap = np.array([pair[1] for pair in pairs])
    named = ModelFacts(model, model, "F", "span", {}, 1, "en")
    run = facts(model, task_id="squad", model_id=model, recipe_hash=model, split="validation", dataset="squad")
    writer = RunWriter.start(store, named, run)
    half = 1.96 * overlap.std() / COUNT**0.5
    writer.finish(
        [MetricValue("f1", overlap.mean(), COUNT, overlap.mean() - half, overlap.mean() + half)],
        train_seconds=1.0,
        predictions=predictions,
    )
    return writer.run_id


@pytest.fixture
def elsewhere(board: Store, tmp_path: Path) -> tuple[Store, list[str]]:
    """A board that holds two runs of which the texts were withheld."""
    other = Store(Path(shutil.copyfile(board.path, tmp_path / "other.duckdb")))
    runs = [_add(board, "first", 150, 60), _add(board, "second", 150, 100)]
    bundles.export_runs(board, tmp_path / "runs.zip", runs, withhold=True)
    bundles.import_runs(other, tmp_path / "runs.zip")
    return other, runs


def test_scores_are_filled_where_texts_are_withheld(elsewhere: tuple[Store, list[str]]) -> None:
    """Of each answer F1 and exact match by the official rules, and none of its text."""
    store, runs = elsewhere
    rows = store.query("SELECT predicted, f1, em FROM predictions WHERE run_id = ? ORDER BY example_id", [runs[0]])
    assert rows["f1"].tolist() == [1.0] * 150 + [0.5] * 60 + [0.0] * 90
    assert rows["em"].tolist() == [1.0] * 150 + [0.0] * 150
    assert all(qa_scoring.is_withheld(answer) for answer in rows["predicted"])


def test_f1_is_tested_without_texts(elsewhere: tuple[Store, list[str]]) -> None:
    """Two runs that are right on the same examples, one nearer to the answer on the others: F1 tells them apart."""
    store, runs = elsewhere
    common = compare(store, runs).common
    assert paired_tests.measures(common) == ("overlap", "right")
    by_overlap, by_match = (paired_tests.verdict(common, measure) for measure in ("overlap", "right"))
    assert by_overlap.best == 1
    assert by_overlap.worse == (0,)
    assert by_match.worse == ()


def test_boards_of_answers_are_ranked_by_paired_tests(elsewhere: tuple[Store, list[str]]) -> None:
    """Intervals overlap widely; on the same examples one is never below the other and often above."""
    store, runs = elsewhere
    board = leaderboard(store, "squad")
    ranks = board.rows.set_index("run_id")["rank"]
    low, high = (board.rows.set_index("run_id")[end] for end in ("low", "high"))
    assert low[runs[1]] < high[runs[0]]
    assert (ranks[runs[1]], ranks[runs[0]]) == ("1", "2")
    assert [len(group.rows) for group in board.tested] == [2]


def test_a_run_without_scores_is_ranked_by_its_interval(elsewhere: tuple[Store, list[str]], tmp_path: Path) -> None:
    """Predictions of an earlier version have no scores."""
    store, runs = elsewhere
    with store.transaction() as con:
        con.execute("UPDATE predictions SET f1 = NULL")
        con.register("incoming", pd.DataFrame({"run_id": runs}))
        outcomes.refresh(con)
    board = leaderboard(store, "squad")
    assert board.tested == ()
    assert set(board.rows.set_index("run_id")["rank"][runs]) == {"1-2"}
