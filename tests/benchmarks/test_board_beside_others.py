"""The best 100 of many runs by a metric, with all metrics: ours against MLflow, Trackio and Aim on the same runs.

Each has the runs of ``many_runs`` with their 10 last metrics and 20 settings, no curves. All take turns in one process
and must return the same values. Ours opens its file at each call, as it always does; the others keep theirs
open. They come with ``pip install -e '.[compare]'``; those that are not installed are skipped.

- MLflow: ``MlflowClient.search_runs`` ordered by a metric, over its SQLite store. The rows go in through MLflow's own
  table models, since its API would take hours; what comes out is checked. MLflow never lets SQLite count its tables
  (ANALYZE), so SQLite plans that query badly; the time after counting them by hand is printed as well.
- Trackio: its read-only SQL, the way of its command ``trackio query``, since its API has no order by a metric.
- Aim: all runs from its index (as ``aim storage reindex`` makes it) with their last metrics, sorted here, since
  its queries have no order either; then the settings of the best.
"""

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from db.analysis import recipe_settings
from db.leaderboard.board import board, top
from db.storage.store import Store
from tests.benchmarks.timing import MakeWay, medians_by_size, print_growth
from tests.factories.many_runs import TASK, crowd

METRIC = "accuracy"
BEST = 100
Top = Callable[[], list[float]]


class ManyRuns:
    """Runs for any tracker: ``ids``, ``names``, ``metrics`` and ``settings``, each by run."""

    def __init__(self, store: Store, size: int) -> None:
        crowd(store, size)
        table = board(store, TASK)
        recipes = store.query("SELECT run_id, recipe_json FROM runs").set_index("run_id")["recipe_json"]
        self.store = store
        self.ids: list[str] = table.rows["run_id"].tolist()
        self.names: list[str] = table.rows["name"].tolist()
        self.metrics = [
            {str(name): value for name, value in row.items() if not pd.isna(value)}
            for row in table.figures.to_dict("records")
        ]
        self.settings = [_settings(recipe) for recipe in recipes.loc[self.ids]]
        self.best = table.rows["score"].head(BEST).tolist()


def _settings(recipe: object) -> dict[str, Any]:
    """All keys of a recipe, its name and seed too; a printed run has none."""
    if not isinstance(recipe, str):
        return {}
    return {**recipe_settings.flat(recipe), **{key: json.loads(recipe)[key] for key in ("name", "seed")}}


@pytest.fixture(scope="module")
def crowds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], ManyRuns]:
    """Runs of any number, each made once."""
    folder, made = tmp_path_factory.mktemp("crowds"), {}

    def of_size(size: int) -> ManyRuns:
        if size not in made:
            made[size] = ManyRuns(Store(folder / f"{size}.duckdb"), size)
        return made[size]

    return of_size


def _ours(runs: ManyRuns) -> Top:
    def best() -> list[float]:
        return top(runs.store, TASK, BEST)["score"].tolist()

    return best


def _compared(
    title: str, tops: dict[str, dict[int, Top]], crowds: Callable[[int], ManyRuns]
) -> dict[tuple[str, int], float]:
    """Check that all ways return the same values, and time them in turns."""
    sizes = tuple(next(iter(tops.values())))
    tops = {"ours": {size: _ours(crowds(size)) for size in sizes}, **tops}
    for way, by_size in tops.items():
        for size, run in by_size.items():
            assert run() == pytest.approx(crowds(size).best), f"{way} at {size} runs"
    ways: dict[str, MakeWay] = {way: by_size.__getitem__ for way, by_size in tops.items()}
    seconds = medians_by_size(ways, sizes, rounds=5)
    print_growth(f"The best {BEST} with all their metrics, {title}", seconds)
    for way in list(tops)[1:]:
        ratios = ", ".join(f"{seconds[way, size] / seconds['ours', size]:.1f}x at {size:,}" for size in sizes)
        print(f"  {way} takes {ratios} the time of ours")
    return seconds


def _mlflow(runs: ManyRuns, folder: Path) -> tuple[Top, Top]:
    """The search by MLflow's client, as it is and after SQLite has counted its tables."""
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: pip install -e '.[compare]'")
    address = f"sqlite:///{folder / 'mlflow.db'}"
    client = mlflow.MlflowClient(address)
    experiment = client.create_experiment(TASK, artifact_location=str(folder))
    _into_mlflow(runs, client, experiment)
    counted = folder / "counted.db"
    shutil.copyfile(folder / "mlflow.db", counted)
    with sqlite3.connect(counted) as con:
        con.execute("ANALYZE")
    return _mlflow_top(client, experiment), _mlflow_top(mlflow.MlflowClient(f"sqlite:///{counted}"), experiment)


def _mlflow_top(client: Any, experiment: str) -> Top:
    def best() -> list[float]:
        runs = client.search_runs([experiment], order_by=[f"metrics.{METRIC} DESC"], max_results=BEST)
        return [run.data.metrics[METRIC] for run in runs]

    return best


def _into_mlflow(runs: ManyRuns, client: Any, experiment: str) -> None:
    from mlflow.entities import Metric, Param
    from mlflow.store.tracking.dbmodels import models
    from sqlalchemy import create_engine, insert

    # The first run by its API: the runs inserted into its tables must look the same.
    first = client.create_run(experiment, run_name=runs.names[0], start_time=0)
    client.log_batch(
        first.info.run_id,
        [Metric(name, value, 1, 0) for name, value in runs.metrics[0].items()],
        [Param(name, str(value)) for name, value in runs.settings[0].items()],
    )
    facts = {key: getattr(first.info, key) for key in ("user_id", "lifecycle_stage", "status")}
    rest = range(1, len(runs.ids))
    rows = {
        models.SqlRun: [
            {
                "run_uuid": runs.ids[index],
                "name": runs.names[index],
                "start_time": index,
                "experiment_id": int(experiment),
                "artifact_uri": f"{first.info.artifact_uri}/{index}",
                "source_type": "UNKNOWN",
                "source_name": "",
                "entry_point_name": "",
                "source_version": "",
                **facts,
            }
            for index in rest
        ],
        models.SqlTag: [
            {"key": "mlflow.runName", "value": runs.names[index], "run_uuid": runs.ids[index]} for index in rest
        ],
        models.SqlParam: [
            {"key": key, "value": str(value), "run_uuid": runs.ids[index]}
            for index in rest
            for key, value in runs.settings[index].items()
        ],
    }
    metrics = [
        {"key": key, "value": value, "timestamp": 1, "step": 0, "is_nan": False, "run_uuid": runs.ids[index]}
        for index in rest
        for key, value in runs.metrics[index].items()
    ]
    rows |= {models.SqlMetric: metrics, models.SqlLatestMetric: metrics}
    with create_engine(client.tracking_uri).begin() as con:
        for table, values in rows.items():
            con.execute(insert(table), values)
    for run_id, index in ((first.info.run_id, 0), (runs.ids[1], 1)):
        run = client.get_run(run_id)
        assert run.data.metrics == pytest.approx(runs.metrics[index])
        assert run.data.params == {key: str(value) for key, value in runs.settings[index].items()}
        assert (run.info.run_name, run.info.status) == (runs.names[index], first.info.status)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_are_found_faster_than_by_mlflow(
    crowds: Callable[[int], ManyRuns], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 10,000 runs at least ten times as fast as MLflow over its SQLite store."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    sizes = (200, 2_000, 10_000)
    searches = {size: _mlflow(crowds(size), _folder(tmp_path / f"mlflow-{size}")) for size in sizes}
    ways = {
        "MLflow": {size: pair[0] for size, pair in searches.items()},
        "MLflow, tables counted": {size: pair[1] for size, pair in searches.items()},
    }
    seconds = _compared("beside MLflow", ways, crowds)
    assert seconds["MLflow", sizes[-1]] > 10 * seconds["ours", sizes[-1]]


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _trackio(runs: ManyRuns) -> Top:
    from trackio.sqlite_storage import SQLiteStorage

    project = f"{TASK}-{len(runs.ids)}"
    for run_id, name, metrics, settings in zip(runs.ids, runs.names, runs.metrics, runs.settings, strict=True):
        if metrics:
            SQLiteStorage.bulk_log(project, name, [metrics], config=settings, run_id=run_id)
    query = (
        "SELECT m.run_id, m.run_name, m.metrics, c.config FROM metrics m LEFT JOIN configs c ON c.run_id = m.run_id "
        f"ORDER BY json_extract(m.metrics, '$.{METRIC}') DESC LIMIT {BEST}"
    )

    def best() -> list[float]:
        rows = SQLiteStorage.query_project(project, query)["rows"]
        return [json.loads(row["metrics"])[METRIC] for row in rows]

    return best


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_beside_trackio(
    crowds: Callable[[int], ManyRuns], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same values as by Trackio's SQL; the times are printed."""
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    if "trackio" in sys.modules:
        pytest.skip("Trackio reads its folder once in a process, and something has imported it before")
    pytest.importorskip("trackio", reason="needs Trackio: pip install -e '.[compare]'")
    _compared("beside Trackio", {"Trackio": {size: _trackio(crowds(size)) for size in (200, 2_000, 10_000)}}, crowds)


def _aim(runs: ManyRuns, folder: Path) -> Top:
    from aim import Repo, Run

    repo = Repo.from_path(str(folder), init=True)
    for name, metrics, settings in zip(runs.names, runs.metrics, runs.settings, strict=True):
        run = Run(repo=repo, system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
        run.name = name
        run["settings"] = settings
        for metric, value in metrics.items():
            run.track(value, name=metric, step=0)
        run.close()
    repo._recreate_index()
    filled = Repo.from_path(str(folder))

    def best() -> list[float]:
        scored = []
        for run in filled.iter_runs():
            last = {info["name"]: info["values"]["last"] for info in run.collect_sequence_info(("metric",))["metric"]}
            if METRIC in last:
                scored.append((last[METRIC], run))
        scored.sort(key=lambda pair: -pair[0])
        for _, run in scored[:BEST]:
            run.get("settings")
        return [value for value, _ in scored[:BEST]]

    return best


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_beside_aim(crowds: Callable[[int], ManyRuns], tmp_path: Path) -> None:
    """The same values as by Aim's index; the times are printed. Filling it takes tens of milliseconds a run."""
    pytest.importorskip("aim", reason="needs Aim: pip install -e '.[compare]'")
    made = {size: _aim(crowds(size), _folder(tmp_path / f"aim-{size}")) for size in (200, 1_000)}
    _compared("beside Aim", {"Aim": made}, crowds)
