"""How the board scales: queries and page reruns with 100, 10,000 and 100,000 runs of one task.

Every run has 10 metrics and a recipe of 20 keys, a thousand of them a curve of 200 points; see ``many_runs``. The
exponent is that of the time's growth with the number of runs.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from dashboard.findings.data_scaling import COMPARED
from dashboard.overview import matrix, state
from db.analysis.findings import data_scaling, matched_pairs
from db.analysis.headlines import headlines
from db.bootstrap import create
from db.leaderboard.board import Filter, Order, board, ordered, select, top
from db.leaderboard.overview import Cells, cells
from db.runs import detail
from db.storage.changes import Change
from db.storage.store import Store
from tests import paths
from tests.benchmarks.timing import MakeWay, growth, medians_by_size, print_growth
from tests.factories.many_runs import TASK, crowd

APP = paths.APP
SIZES = (100, 10_000, 100_000)
FILTER = Filter(search="Distil bert", sources=("measured",), params=(1e4, 1e8), latency_ms=(None, 1e3))
ORDERS = (Order("latency_ms_p50"), Order("model", descending=True))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Store]:
    """A store of each size."""
    folder = tmp_path_factory.mktemp("crowds")
    return {size: _made(Store(folder / f"{size}.duckdb"), size) for size in SIZES}


@pytest.fixture(autouse=True)
def _compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server compiles a page once; AppTest would do it again in every run, for a fifth of the time."""
    compiled = ScriptCache()
    for module in (app_test, local_script_runner):
        monkeypatch.setattr(module, "ScriptCache", lambda: compiled)


def _made(store: Store, size: int) -> Store:
    crowd(store, size)
    return store


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_query_layer_grows_more_slowly_than_the_runs(stores: dict[int, Store]) -> None:
    """Reading, filtering and ordering the rows of a board: nothing takes as many times longer as there are more runs.

    Reading opens the database each time, as the first view of a new state does; its file is in the system's cache.
    Filtering and ordering work on a board that was searched and ordered before, as every rerun of the page does.
    """
    boards = {size: board(store, TASK) for size, store in stores.items()}
    ways: dict[str, MakeWay] = {
        "board, every run": lambda size: lambda: board(stores[size], TASK),
        "board, seeds merged": lambda size: lambda: board(stores[size], TASK, every_run=False),
        "select and order, every run": lambda size: lambda: ordered(boards[size], select(boards[size], FILTER), ORDERS),
        "order all, every run": lambda size: lambda: ordered(boards[size], np.arange(size), ORDERS),
        "top 100": lambda size: lambda: top(stores[size], TASK),
        "list of boards": lambda size: lambda: detail.boards(stores[size]),
        "matched pairs, distillation": lambda size: lambda: matched_pairs.find(stores[size], TASK),
        "matched pairs, pretraining": lambda size: (
            lambda: matched_pairs.find(stores[size], TASK, matched_pairs.PRETRAINING)
        ),
        "growth with examples": lambda size: lambda: data_scaling.find(stores[size], TASK),
    }
    seconds = medians_by_size(ways, SIZES)
    print_growth("The query layer", seconds)
    for way in ways:
        assert growth(way, seconds) < 1, way


def _page(store: Store, monkeypatch: pytest.MonkeyPatch, *, every: bool) -> AppTest:
    """An open leaderboard page."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    app = AppTest.from_file(str(APP), default_timeout=300).switch_page("views/leaderboard.py")
    app.query_params.update({"task": TASK, "every": str(every).lower()})
    assert not app.run().exception
    return app


def _again(app: AppTest, store: Store) -> None:
    os.environ["FEATHERBOARD_DB"] = str(store.path)  # pages of several stores take turns
    app.run()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("every", [False, True], ids=["seeds merged", "every run"])
def test_a_rerun_of_the_leaderboard(stores: dict[int, Store], monkeypatch: pytest.MonkeyPatch, every: bool) -> None:
    """The server's part of a click on the leaderboard; the goal is 100 ms with 100,000 runs on a quiet machine.

    Timed is ``AppTest.run()`` on a page that was open before: the whole script, all messages to the browser with their
    tables as Arrow, and AppTest's parsing of these messages; not their transfer to the browser and its rendering.
    """
    pages = {size: _page(store, monkeypatch, every=every) for size, store in stores.items()}
    seconds = medians_by_size({"rerun": lambda size: lambda: _again(pages[size], stores[size])}, SIZES)
    print_growth(f"The leaderboard, {'every run' if every else 'seeds merged'}", seconds)
    assert growth("rerun", seconds) < 0.7


@pytest.mark.timeout(300)
def test_many_runs_cost_little_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 20 times as many runs a board is read in less than 6 times the time, and the page reruns in less than 6."""
    sizes = (100, 2_000)
    stores = {size: _made(Store(tmp_path / f"{size}.duckdb"), size) for size in sizes}
    pages = {size: _page(store, monkeypatch, every=False) for size, store in stores.items()}
    ways: dict[str, MakeWay] = {
        "board": lambda size: lambda: board(stores[size], TASK),
        "rerun": lambda size: lambda: _again(pages[size], stores[size]),
    }
    seconds = medians_by_size(ways, sizes, rounds=3)
    print_growth("2,000 runs", seconds)
    for way in ways:
        assert seconds[way, sizes[1]] < 6 * seconds[way, sizes[0]], way


GRID_SEEDS = 3
GRID_EXAMPLES = 50_000
GRIDS = {20: (10, 2), 2_000: (100, 20)}
"""Models and tasks, by the number of cells of the matrix."""


def grid(store: Store, models: int, tasks: int) -> Store:
    """Fill a fresh store: every model has a score in every task, and the larger ones better ones."""
    generator = np.random.default_rng(0)
    listed = create.task_rows()
    board = listed.rows[listed.rows["task_id"] == TASK]
    names = [f"task-{number:02d}" for number in range(tasks)]
    boards = pd.concat([board.assign(task_id=name, name=name) for name in names], ignore_index=True)
    params = np.geomspace(1e4, 1e8, models).astype(int)
    cell = pd.MultiIndex.from_product([range(models), names, range(GRID_SEEDS)]).to_frame(index=False)
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
    half = 1.96 * np.sqrt(score * (1 - score) / GRID_EXAMPLES)
    metrics = pd.DataFrame({"run_id": runs["run_id"], "name": "accuracy", "value": score, "n": GRID_EXAMPLES})
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


def _overview(store: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """An open overview."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    app = AppTest.from_file(str(APP), default_timeout=300)
    assert not app.run().exception
    return app


def _filtered(read: Cells) -> object:
    """The matrix of a view that nobody had before."""
    shown = state.compute(read, state.View(), "en").take(slice(state.FIRST_ROWS))
    return matrix.render(shown, read, "borda", lambda page, **query: page, {}, app=True)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_overview_grows_more_slowly_than_its_matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100 times as many cells nothing takes as many times as long; the goal of a rerun is 200 ms.

    A rerun is the server's part of a click, as above; a new filter costs it and the matrix. The two others are what a
    new state of the database costs once, for all visitors.
    """
    stores = {size: grid(Store(tmp_path / f"{size}.duckdb"), *GRIDS[size]) for size in GRIDS}
    pages = {size: _overview(store, monkeypatch) for size, store in stores.items()}
    read = {size: cells(store) for size, store in stores.items()}
    ways: dict[str, MakeWay] = {
        "rerun": lambda size: lambda: _again(pages[size], stores[size]),
        "read": lambda size: lambda: cells(stores[size]),
        "matrix": lambda size: lambda: _filtered(read[size]),
        "headlines": lambda size: lambda: headlines(stores[size], read[size], COMPARED),
    }
    seconds = medians_by_size(ways, list(GRIDS))
    print_growth("The overview, cells of its matrix", seconds)
    for way in ways:
        assert seconds[way, 2_000] < 30 * seconds[way, 20], way
