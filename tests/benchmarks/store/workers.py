"""Processes that write whole runs, or batches of curve points, to one tracker's store; the parent times them.

Run as ``python -m tests.benchmarks.store.workers TOOL FOLDER INDEX``. Each line of the input is a work and the seconds
that it goes on; each line of the output what was done, as JSON. A run has 3 metrics, 5 curve points and 20 settings, a
batch 100 points of one curve.
"""

import json
import logging
import os
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.store.lake import DuckLake

METRICS = {"accuracy": 0.875, "macro_f1": 0.87, "log_loss": 0.31}
CURVE = [0.9, 0.7, 0.6, 0.5, 0.45]
SETTINGS = {f"setting_{number:02d}": 0.001 * number for number in range(20)}
BATCH = 100
BEST = 100

PROJECT = "nsmc"


class Ours:
    """The journal: on the disk when a call returns."""

    def __init__(self, folder: Path) -> None:
        """Name the store."""
        from db.storage.store import Store

        self.store, self.late = Store(folder / "ours.duckdb"), 0
        logger = logging.getLogger("featherboard.store")
        logger.setLevel(logging.INFO)
        logger.addFilter(self._count_late)

    def _count_late(self, record: logging.LogRecord) -> bool:
        """Count reads that lack something that was acknowledged before, which are logged."""
        self.late += "not shown yet" in record.msg
        return record.levelno > logging.INFO

    def prepare(self) -> None:
        """Make the store."""
        from db.bootstrap import create

        create.initialise(self.store)

    def run(self, run_id: str) -> None:
        """Write a whole run as one batch."""
        from db.base.clock import utc_now
        from db.storage.changes import Change
        from tests.factories.rows import model_facts, run_row

        now = utc_now()
        times = {"created_at": now, "updated_at": now}
        row = run_row(run_id, recipe_json=json.dumps(SETTINGS), recipe_hash=run_id, seed=0, **times)
        points = [{"series": "loss", "step": step, "value": value} for step, value in enumerate(CURVE)]
        self.store.append(
            [
                model_facts().as_change(),
                Change("runs", [row]),
                Change(
                    "metrics", [{"run_id": run_id, "name": name, "value": value} for name, value in METRICS.items()]
                ),
                Change("curves", [{"run_id": run_id, **point} for point in points]),
            ]
        )

    def points(self, run_id: str, start: int) -> None:
        """Write a batch of curve points."""
        from db.storage.changes import Change

        points = [{"series": "loss", "step": start + step, "value": 1.0 / (1 + step)} for step in range(BATCH)]
        self.store.append([Change("curves", [{"run_id": run_id, **point} for point in points])])

    def settle(self) -> None:
        """Take in what waits, as the next reader would."""
        self.store.take_in(600.0)

    def best(self) -> int:
        """Read the best runs with their metrics, as the board does, and say how many there are."""
        from db.leaderboard.board import top

        return len(top(self.store, PROJECT, BEST))


class OursByRunWriter(Ours):
    """A run as a training writes it: once when it starts and once when it ends."""

    def run(self, run_id: str) -> None:
        """Write a run's start, then its results."""
        from db.runs.writer import MetricValue, RunWriter
        from tests.factories.rows import model_facts, run_facts

        facts = run_facts(recipe_json=json.dumps(SETTINGS), recipe_hash=run_id)
        writer = RunWriter.start(self.store, model_facts(), facts, run_id)
        for step, value in enumerate(CURVE):
            writer.point("loss", step, value, epoch=float(step), wall_time=float(step))
        writer.finish([MetricValue(name, value) for name, value in METRICS.items()], train_seconds=1.0)


class Trackio:
    """Its own storage module, without its server: SQLite with a write-ahead log that is not synced at a commit."""

    def __init__(self, folder: Path) -> None:
        """Say where it lies, before it is imported."""
        os.environ["TRACKIO_DIR"] = str(folder)
        from trackio.sqlite_storage import SQLiteStorage

        self.storage = SQLiteStorage

    def prepare(self) -> None:
        """Make the store."""
        self.storage.init_db(PROJECT)

    def run(self, run_id: str) -> None:
        """Write a whole run as one batch."""
        steps: list[dict[str, Any]] = [{"loss": value} for value in CURVE]
        self.storage.bulk_log(PROJECT, run_id, [*steps, METRICS], config=SETTINGS, run_id=run_id)

    def points(self, run_id: str, start: int) -> None:
        """Write a batch of curve points."""
        values = [{"loss": 1.0 / (1 + step)} for step in range(BATCH)]
        self.storage.bulk_log(PROJECT, run_id, values, steps=[start + step for step in range(BATCH)], run_id=run_id)

    def settle(self) -> None:
        """Everything is in the database when a call returns."""

    def best(self) -> int:
        """Read the best runs with their metrics and settings by its read-only SQL."""
        query = (
            "SELECT m.run_id, m.run_name, m.metrics, c.config FROM metrics m LEFT JOIN configs c "
            f"ON c.run_id = m.run_id ORDER BY json_extract(m.metrics, '$.accuracy') DESC LIMIT {BEST}"
        )
        return len(self.storage.query_project(PROJECT, query)["rows"])


class TrackioSynced(Trackio):
    """The same, told to sync each commit: it loses as little at a power cut as ours."""

    def __init__(self, folder: Path) -> None:
        """Say so before it is imported."""
        os.environ["TRACKIO_SQLITE_SYNCHRONOUS"] = "FULL"
        super().__init__(folder)


class MLflow:
    """Its client over SQLite, synced at each commit."""

    def __init__(self, folder: Path) -> None:
        """Open the store."""
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
        import mlflow

        self.folder = folder
        self.client = mlflow.MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
        experiment = self.client.get_experiment_by_name(PROJECT)
        self.experiment = experiment.experiment_id if experiment else ""
        self._open: dict[str, str] = {}

    def prepare(self) -> None:
        """Make the store."""
        self.experiment = self.client.create_experiment(PROJECT, artifact_location=str(self.folder))

    def run(self, run_id: str) -> None:
        """Create a run, log all at once, end it."""
        from mlflow.entities import Metric, Param

        metrics = [Metric("loss", value, 1, step) for step, value in enumerate(CURVE)]
        metrics += [Metric(name, value, 1, 0) for name, value in METRICS.items()]
        run = self.client.create_run(self.experiment, run_name=run_id).info.run_id
        self.client.log_batch(run, metrics, [Param(name, str(value)) for name, value in SETTINGS.items()])
        self.client.set_terminated(run)

    def points(self, run_id: str, start: int) -> None:
        """Log a batch of curve points."""
        from mlflow.entities import Metric

        if run_id not in self._open:
            self._open[run_id] = self.client.create_run(self.experiment, run_name=run_id).info.run_id
        metrics = [Metric("loss", 1.0 / (1 + step), 1, start + step) for step in range(BATCH)]
        self.client.log_batch(self._open[run_id], metrics)

    def settle(self) -> None:
        """Everything is in the database when a call returns."""

    def best(self) -> int:
        """Search for the best runs."""
        return len(self.client.search_runs([self.experiment], order_by=["metrics.accuracy DESC"], max_results=BEST))


class Aim:
    """Its SDK over RocksDB in a folder; nothing is synced when a call returns."""

    def __init__(self, folder: Path) -> None:
        """Open the store."""
        from aim import Repo

        self.repo = Repo.from_path(str(folder), init=not (folder / ".aim").exists())
        self._open: dict[str, Any] = {}

    def prepare(self) -> None:
        """It is made when it is opened."""

    def _run(self) -> Any:
        from aim import Run

        return Run(repo=self.repo, system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)

    def run(self, run_id: str) -> None:
        """Track a whole run, and close it."""
        run = self._run()
        run.name = run_id
        run["settings"] = SETTINGS
        for step, value in enumerate(CURVE):
            run.track(value, name="loss", step=step)
        run.track(METRICS, step=0)
        run.close()

    def points(self, run_id: str, start: int) -> None:
        """Track curve points, one by one."""
        if run_id not in self._open:
            self._open[run_id] = self._run()
        for step in range(BATCH):
            self._open[run_id].track(1.0 / (1 + step), name="loss", step=start + step)

    def settle(self) -> None:
        """Nothing waits elsewhere."""


TOOLS = {
    "ours": Ours,
    "ours, RunWriter": OursByRunWriter,
    "Trackio": Trackio,
    "Trackio, synced": TrackioSynced,
    "MLflow": MLflow,
    "Aim": Aim,
    "DuckLake": DuckLake,
}


def _repeat(tool: Any, call: Callable[[], None], seconds: float, pause: float = 0.0) -> dict[str, Any]:
    begin = time.monotonic()
    times: list[float] = []
    while (start := time.monotonic()) < begin + seconds:
        call()
        times.append(time.monotonic() - start)
        time.sleep(pause)
    return {"begin": begin, "end": time.monotonic(), "times": times, "late": getattr(tool, "late", 0)}


def main(name: str, folder: str, index: str) -> None:
    """Do what the lines of the input say."""
    tool: Any = TOOLS[name](Path(folder))
    if index == "prepare":
        tool.prepare()
        return
    curve, start = uuid.uuid4().hex, 0

    def points() -> None:
        nonlocal start
        tool.points(curve, start)
        start += BATCH

    works: dict[str, Callable[[float], Any]] = {
        "runs": lambda seconds: _repeat(tool, lambda: tool.run(uuid.uuid4().hex), seconds),
        "points": lambda seconds: _repeat(tool, points, seconds),
        "settle": lambda _: _repeat(tool, tool.settle, 1e-9),
        "best": lambda seconds: _repeat(tool, tool.best, seconds, pause=0.05),
    }
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        work, seconds = line.split()
        print(json.dumps(works[work](float(seconds))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
