"""How the overview scales: 100 models with three seeds each on 20 tasks, against a tenth of both."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.findings.data_scaling import COMPARED
from dashboard.overview import state
from db.analysis.headlines import headlines
from db.bootstrap import create
from db.leaderboard.overview import cells
from db.storage.changes import Change
from db.storage.store import Store
from tests import paths
from tests.benchmarks.timing import MakeWay, medians_by_size, print_growth
from tests.factories.many_runs import TASK

SEEDS = 3
EXAMPLES = 50_000
SIZES = {20: (10, 2), 2_000: (100, 20)}
"""Models and tasks, by the number of cells of the matrix."""


def grid(store: Store, models: int, tasks: int) -> Store:
    """Fill a fresh store: every model has a score in every task, and the larger ones better ones."""
    generator = np.random.default_rng(0)
    listed = create.task_rows()
    board = listed.rows[listed.rows["task_id"] == TASK]
    names = [f"task-{number:02d}" for number in range(tasks)]
    boards = pd.concat([board.assign(task_id=name, name=name) for name in names], ignore_index=True)
    params = np.geomspace(1e4, 1e8, models).astype(int)
    cell = pd.MultiIndex.from_product([range(models), names, range(SEEDS)]).to_frame(index=False)
    model = cell[0].to_numpy()
    when = pd.Timestamp("2026-01-01")
    ids = generator.bytes(16 * len(cell)).hex()
    runs = pd.DataFrame(
        {
            "run_id": [ids[32 * index : 32 * index + 32] for index in range(len(cell))],
            "task_id": cell[1],
            "task_version": int(board["version"].iloc[0]),
            "model_id": [f"model-{number:03d}" for number in model],
            "name": [f"Model {number}" for number in model],
            "recipe_json": "{}",
            "recipe_hash": [f"{number:016x}" for number in model],
            "seed": cell[2],
            "dataset": "a corpus",
            "dataset_hash": "d0",
            "split": "test",
            "source": "measured",
            "verified": True,
            "status": "finished",
            "device": "A machine, 2 thread(s)",
            "created_at": when,
            "updated_at": when,
        }
    )
    score = np.clip(0.4 + 0.05 * np.log10(params[model]) + generator.normal(0, 0.02, len(cell)), 0.01, 0.99)
    half = 1.96 * np.sqrt(score * (1 - score) / EXAMPLES)
    metrics = pd.DataFrame({"run_id": runs["run_id"], "name": "accuracy", "value": score, "n": EXAMPLES})
    metrics = metrics.assign(low=score - half, high=score + half)
    facts = pd.DataFrame(
        {
            "model_id": [f"model-{number:03d}" for number in range(models)],
            "name": [f"Model {number}" for number in range(models)],
            "family": "BiLSTM",
            "architecture": "bilstm",
            "config": "{}",
            "params": params,
            "language": "ko",
        }
    )
    tables = (("models", facts), ("runs", runs), ("metrics", metrics))
    store.write([Change("tasks", boards, "insert"), *(Change(name, rows, "insert") for name, rows in tables)])
    return store


def _page(store: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """An open overview."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    app = AppTest.from_file(str(paths.APP), default_timeout=300)
    assert not app.run().exception
    return app


def _again(app: AppTest, store: Store) -> None:
    os.environ["FEATHERBOARD_DB"] = str(store.path)  # pages of several stores take turns
    app.run()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_overview_grows_more_slowly_than_its_matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100 times as many cells nothing takes as many times as long; the goal of a rerun is 200 ms.

    A rerun is the server's part of a click, as in ``test_board``. The three others are what a new state of the database
    costs once, for all visitors.
    """
    stores = {size: grid(Store(tmp_path / f"{size}.duckdb"), *SIZES[size]) for size in SIZES}
    pages = {size: _page(store, monkeypatch) for size, store in stores.items()}
    read = {size: cells(store) for size, store in stores.items()}
    ways: dict[str, MakeWay] = {
        "rerun": lambda size: lambda: _again(pages[size], stores[size]),
        "read": lambda size: lambda: cells(stores[size]),
        "matrix": lambda size: lambda: state.compute(read[size], state.View(), "en"),
        "headlines": lambda size: lambda: headlines(stores[size], read[size], COMPARED),
    }
    seconds = medians_by_size(ways, list(SIZES))
    print_growth("The overview, cells of its matrix", seconds)
    for way in ways:
        assert seconds[way, 2_000] < 30 * seconds[way, 20], way
