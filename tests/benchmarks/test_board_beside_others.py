"""The best 100 of many runs by a metric, with all figures: ours against MLflow, Trackio and Aim on the same figures.

Each has the runs of ``many_runs`` with their 10 last figures and 20 settings, no curves. All are asked in turns in
one process, and must name the same figures. Ours opens its file at each call, as it always does; the others keep theirs
open. They come with ``pip install -e '.[compare]'``; those that are not installed are skipped.

- MLflow: ``MlflowClient.search_runs`` ordered by a metric, over its SQLite store. The rows go in through MLflow's own
  table models, since its API would take hours; what comes out is checked. MLflow never lets SQLite count its tables
  (ANALYZE), so SQLite plans that query badly; the time after counting them by hand is told beside it.
- Trackio: its read-only SQL, the way of its command ``trackio query``, since its API has no order by a metric.
- Aim: all runs from its index (as ``aim storage reindex`` makes it) with their last figures, put in order here, since
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
from tests.benchmarks.timing import Made, medians, tell
from tests.factories.many_runs import TASK, crowd

METRIC = "accuracy"
BEST = 100
Top = Callable[[], list[float]]


class Crowd:
    """Runs as any tracker takes them: ``ids``, ``names``, ``figures`` and ``settings``, each by run."""

    def __init__(self, store: Store, size: int) -> None:
        crowd(store, size)
        told = board(store, TASK)
        recipes = store.query("SELECT run_id, recipe_json FROM runs").set_index("run_id")["recipe_json"]
        self.store = store
        self.ids: list[str] = told.rows["run_id"].tolist()
        self.names: list[str] = told.rows["name"].tolist()
        self.figures = [
            {str(name): value for name, value in row.items() if not pd.isna(value)}
            for row in told.figures.to_dict("records")
        ]
        self.settings = [_settings(recipe) for recipe in recipes.loc[self.ids]]
        self.best = told.rows["score"].head(BEST).tolist()


def _settings(recipe: object) -> dict[str, Any]:
    """All keys of a recipe, its name and seed too; a printed run has none."""
    if not isinstance(recipe, str):
        return {}
    return {**recipe_settings.flat(recipe), **{key: json.loads(recipe)[key] for key in ("name", "seed")}}


@pytest.fixture(scope="module")
def crowds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Crowd]:
    """Crowds of any size, each made once."""
    folder, made = tmp_path_factory.mktemp("crowds"), {}

    def of_size(size: int) -> Crowd:
        if size not in made:
            made[size] = Crowd(Store(folder / f"{size}.duckdb"), size)
        return made[size]

    return of_size


def _ours(those: Crowd) -> Top:
    def best() -> list[float]:
        return top(those.store, TASK, BEST)["score"].tolist()

    return best


def _compared(
    title: str, tops: dict[str, dict[int, Top]], crowds: Callable[[int], Crowd]
) -> dict[tuple[str, int], float]:
    """Check that all ways name the same figures, and time them in turns."""
    sizes = tuple(next(iter(tops.values())))
    tops = {"ours": {size: _ours(crowds(size)) for size in sizes}, **tops}
    for way, by_size in tops.items():
        for size, run in by_size.items():
            assert run() == pytest.approx(crowds(size).best), f"{way} at {size} runs"
    ways: dict[str, Made] = {way: by_size.__getitem__ for way, by_size in tops.items()}
    found = medians(ways, sizes, rounds=5)
    tell(f"The best {BEST} with all their figures, {title}", found, 5)
    for way in list(tops)[1:]:
        ratios = ", ".join(f"{found[way, size] / found['ours', size]:.1f}x at {size:,}" for size in sizes)
        print(f"  {way} takes {ratios} of ours")
    return found


def _mlflow(those: Crowd, folder: Path) -> tuple[Top, Top]:
    """The search by MLflow's client, as it is and after SQLite has counted its tables."""
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: pip install -e '.[compare]'")
    address = f"sqlite:///{folder / 'mlflow.db'}"
    client = mlflow.MlflowClient(address)
    experiment = client.create_experiment(TASK, artifact_location=str(folder))
    _into_mlflow(those, client, experiment)
    counted = folder / "counted.db"
    shutil.copyfile(folder / "mlflow.db", counted)
    with sqlite3.connect(counted) as con:
        con.execute("ANALYZE")
    return _mlflow_top(client, experiment), _mlflow_top(mlflow.MlflowClient(f"sqlite:///{counted}"), experiment)


def _mlflow_top(client: Any, experiment: str) -> Top:
    def best() -> list[float]:
        found = client.search_runs([experiment], order_by=[f"metrics.{METRIC} DESC"], max_results=BEST)
        return [run.data.metrics[METRIC] for run in found]

    return best


def _into_mlflow(those: Crowd, client: Any, experiment: str) -> None:
    from mlflow.entities import Metric, Param
    from mlflow.store.tracking.dbmodels import models
    from sqlalchemy import create_engine, insert

    # The first one by its API: what is put in by its tables must look the same to it.
    first = client.create_run(experiment, run_name=those.names[0], start_time=0)
    client.log_batch(
        first.info.run_id,
        [Metric(name, value, 1, 0) for name, value in those.figures[0].items()],
        [Param(name, str(value)) for name, value in those.settings[0].items()],
    )
    facts = {key: getattr(first.info, key) for key in ("user_id", "lifecycle_stage", "status")}
    rest = range(1, len(those.ids))
    rows = {
        models.SqlRun: [
            {
                "run_uuid": those.ids[at],
                "name": those.names[at],
                "start_time": at,
                "experiment_id": int(experiment),
                "artifact_uri": f"{first.info.artifact_uri}/{at}",
                "source_type": "UNKNOWN",
                "source_name": "",
                "entry_point_name": "",
                "source_version": "",
                **facts,
            }
            for at in rest
        ],
        models.SqlTag: [{"key": "mlflow.runName", "value": those.names[at], "run_uuid": those.ids[at]} for at in rest],
        models.SqlParam: [
            {"key": key, "value": str(value), "run_uuid": those.ids[at]}
            for at in rest
            for key, value in those.settings[at].items()
        ],
    }
    figures = [
        {"key": key, "value": value, "timestamp": 1, "step": 0, "is_nan": False, "run_uuid": those.ids[at]}
        for at in rest
        for key, value in those.figures[at].items()
    ]
    rows |= {models.SqlMetric: figures, models.SqlLatestMetric: figures}
    with create_engine(client.tracking_uri).begin() as con:
        for table, values in rows.items():
            con.execute(insert(table), values)
    for run_id, at in ((first.info.run_id, 0), (those.ids[1], 1)):
        run = client.get_run(run_id)
        assert run.data.metrics == pytest.approx(those.figures[at])
        assert run.data.params == {key: str(value) for key, value in those.settings[at].items()}
        assert (run.info.run_name, run.info.status) == (those.names[at], first.info.status)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_are_found_faster_than_by_mlflow(
    crowds: Callable[[int], Crowd], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 10,000 runs at least ten times as fast as MLflow over its SQLite store."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    sizes = (200, 2_000, 10_000)
    made = {size: _mlflow(crowds(size), _folder(tmp_path / f"mlflow-{size}")) for size in sizes}
    ways = {
        "MLflow": {size: pair[0] for size, pair in made.items()},
        "MLflow, tables counted": {size: pair[1] for size, pair in made.items()},
    }
    found = _compared("beside MLflow", ways, crowds)
    assert found["MLflow", sizes[-1]] > 10 * found["ours", sizes[-1]]


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _trackio(those: Crowd) -> Top:
    from trackio.sqlite_storage import SQLiteStorage

    project = f"{TASK}-{len(those.ids)}"
    for run_id, name, figures, told in zip(those.ids, those.names, those.figures, those.settings, strict=True):
        if figures:
            SQLiteStorage.bulk_log(project, name, [figures], config=told, run_id=run_id)
    wanted = (
        "SELECT m.run_id, m.run_name, m.metrics, c.config FROM metrics m LEFT JOIN configs c ON c.run_id = m.run_id "
        f"ORDER BY json_extract(m.metrics, '$.{METRIC}') DESC LIMIT {BEST}"
    )

    def best() -> list[float]:
        rows = SQLiteStorage.query_project(project, wanted)["rows"]
        return [json.loads(row["metrics"])[METRIC] for row in rows]

    return best


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_beside_trackio(
    crowds: Callable[[int], Crowd], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same figures as by Trackio's SQL; the times are told."""
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    if "trackio" in sys.modules:
        pytest.skip("Trackio reads its folder once in a process, and something has imported it before")
    pytest.importorskip("trackio", reason="needs Trackio: pip install -e '.[compare]'")
    _compared("beside Trackio", {"Trackio": {size: _trackio(crowds(size)) for size in (200, 2_000, 10_000)}}, crowds)


def _aim(those: Crowd, folder: Path) -> Top:
    from aim import Repo, Run

    repo = Repo.from_path(str(folder), init=True)
    for name, figures, told in zip(those.names, those.figures, those.settings, strict=True):
        run = Run(repo=repo, system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
        run.name = name
        run["settings"] = told
        for metric, value in figures.items():
            run.track(value, name=metric, step=0)
        run.close()
    repo._recreate_index()
    filled = Repo.from_path(str(folder))

    def best() -> list[float]:
        found = []
        for run in filled.iter_runs():
            last = {one["name"]: one["values"]["last"] for one in run.collect_sequence_info(("metric",))["metric"]}
            if METRIC in last:
                found.append((last[METRIC], run))
        found.sort(key=lambda one: -one[0])
        for _, run in found[:BEST]:
            run.get("settings")
        return [value for value, _ in found[:BEST]]

    return best


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_best_beside_aim(crowds: Callable[[int], Crowd], tmp_path: Path) -> None:
    """The same figures as by Aim's index; the times are told. Filling it takes tens of milliseconds a run."""
    pytest.importorskip("aim", reason="needs Aim: pip install -e '.[compare]'")
    made = {size: _aim(crowds(size), _folder(tmp_path / f"aim-{size}")) for size in (200, 1_000)}
    _compared("beside Aim", {"Aim": made}, crowds)
