"""All models against all tasks: the boards' own rows, ranks over tasks, and what is missing."""

from datetime import timedelta

import numpy as np
import pytest

from db.leaderboard.board import board as read_board
from db.leaderboard.overview import Cells, Overview, cells, ordered, overview
from db.storage.store import Store
from tests.factories.rows import T0, add_scored, change, model_row, with_tasks

SCORES = {("Whole", "nsmc"): 0.90, ("Whole", "squad"): 0.80, ("Small", "nsmc"): 0.88, ("Best of one", "nsmc"): 0.95}


@pytest.fixture
def filled(tmp_path) -> Store:
    """Three models: one with two tasks, and two with one of them each."""
    store = with_tasks(Store(tmp_path / "overview.duckdb"))
    metrics = {"nsmc": "accuracy", "squad": "f1"}
    for (name, task), score in SCORES.items():
        facts = {"task_id": task, "model_id": f"{name}-{task}", "model": {"name": name, "params": 1000}}
        add_scored(store, f"{name}-{task}", score, metric=metrics[task], half=0.02, **facts)
    return store


def _shown(store: Store, **options) -> tuple[Cells, Overview]:
    read = cells(store)
    return read, overview(read, ["nsmc", "squad"], **options)


def test_a_model_is_one_row_whatever_its_output_layer(filled: Store) -> None:
    """Model rows of one name are joined; a task without a score is missing and not 0."""
    read, shown = _shown(filled)
    assert sorted(shown.models["model"]) == ["Best of one", "Small", "Whole"]
    row = shown.models["model"].tolist().index("Small")
    assert np.isnan(shown.scores[row]).tolist() == [False, True]
    assert shown.position[row].tolist()[1] == -1
    assert read.rows["run_id"].iat[shown.position[row, 0]] == "Small-nsmc"


def test_a_size_is_the_largest_on_any_task(filled: Store) -> None:
    """N-grams that were counted on two data sets have two sizes, and neither is their middle."""
    filled.write([change("models", model_row("Whole-squad", name="Whole", params=9000))])
    _, shown = _shown(filled)
    assert shown.models.set_index("model")["params"].to_dict() == {"Whole": 9000, "Small": 1000, "Best of one": 1000}


def test_orders_count_wins_ranks_and_means(filled: Store) -> None:
    """Wins add up over tasks; mean rank and score put complete rows first."""
    _, shown = _shown(filled)
    by_name = shown.models.set_index("model")
    assert by_name["borda"].to_dict() == {"Whole": 1.0, "Small": 0.0, "Best of one": 2.0}
    assert by_name["mean_rank"].to_dict() == {"Whole": 1.5, "Small": 3.0, "Best of one": 1.0}
    assert by_name.loc["Whole", "mean"] == pytest.approx(0.85)
    first = {by: shown.models["model"].iat[ordered(shown, by)[0]] for by in ("borda", "rank", "mean")}
    assert first == {"borda": "Best of one", "rank": "Whole", "mean": "Whole"}


def test_the_mean_rank_is_as_uncertain_as_the_scores(filled: Store) -> None:
    """0.90 and 0.88 with intervals of 0.02 to each side change places; the interval holds the mean rank."""
    _, shown = _shown(filled)
    by_name = shown.models.set_index("model")
    assert by_name.loc["Small", "low"] < 3 <= by_name.loc["Small", "high"]
    assert (by_name["low"] <= by_name["mean_rank"]).all()
    assert (by_name["mean_rank"] <= by_name["high"]).all()


def test_a_date_shows_what_was_on_the_boards(filled: Store) -> None:
    """Runs made later are left out."""
    assert len(cells(filled, T0 - timedelta(days=1)).rows) == 0
    assert len(cells(filled, T0 + timedelta(days=1)).rows) == len(SCORES)


def test_an_empty_board_gives_an_empty_overview(tmp_path) -> None:
    """Nothing to compare is no error."""
    read = cells(with_tasks(Store(tmp_path / "empty.duckdb")))
    assert len(overview(read, read.tasks["task_id"].tolist()).models) == 0


@pytest.mark.shipped
def test_cells_are_the_rows_of_the_boards(with_shipped_runs) -> None:
    """The same runs with the same scores, intervals and ranks as each board with its seeds merged."""
    store = Store(with_shipped_runs)
    read = cells(store)
    for task_id in read.tasks["task_id"]:
        rows = read_board(store, task_id, every_run=False).rows.dropna(subset=["score"]).set_index("run_id")
        ours = read.rows[read.rows["task_id"] == task_id].set_index("run_id")
        assert set(rows.index) == set(ours.index), task_id
        columns = ["score", "low", "high"]
        np.testing.assert_allclose(
            ours.loc[rows.index, columns].to_numpy(dtype=float), rows[columns].to_numpy(dtype=float), atol=1e-12
        )
        assert ours["rank"].to_dict() == rows["rank"].to_dict(), task_id
