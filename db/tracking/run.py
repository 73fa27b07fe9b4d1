"""A run that somebody's own training code logs: `init`, `log`, `finish`.

Logging only appends to a list; a thread of its own writes to the store every few seconds. A mistake after `init` is a
warning, never an exception: a training of hours must not end because of its bookkeeping.
"""

import atexit
import hashlib
import json
import logging
import platform
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from db.base.errors import FeatherboardError
from db.base.paths import default_database
from db.base.problems import ValueProblemError
from db.bootstrap import create
from db.importers import detect, metric_names, values
from db.registry import tasks
from db.registry.tasks import Task
from db.runs.writer import FLUSH_EVERY_S, Artifact, MetricValue, ModelFacts, RunFacts, RunWriter
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions import claim, previews, rows, tables
from db.submissions.previews import NO_PREDICTIONS
from db.submissions.verification import Report

_LOG = logging.getLogger("featherboard")

_LIBRARIES = ("torch", "transformers", "sklearn", "lightning", "pytorch_lightning", "tensorflow", "jax")


class Run:
    """A run in progress; made by `init`.

    Attributes:
        id: The run's id on the board.
        config: Settings of the training; what is changed before the end of the run is stored then.
        summary: Results by the names of the board's metrics (`accuracy`, `f1`, ...), shares as fractions of 1; `finish`
            writes them.
    """

    def __init__(self, store: Store, task: Task, model: ModelFacts, facts: RunFacts, config: dict[str, Any]) -> None:
        """Write the run as running, and start the thread that writes what is logged."""
        self.config, self._stored = config, dict(config)
        self.summary: dict[str, Any] = {}
        self._store, self._task = store, task
        self._writer = RunWriter.start(store, model, facts)
        self.id = self._writer.run_id
        self._started = time.monotonic()
        self._points: deque[tuple[int, float, float, dict[str, float]]] = deque()
        self._step = 0
        self._warned: set[str] = set()
        self._ended = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write_now_and_then, name="featherboard", daemon=True)
        self._thread.start()
        atexit.register(self.interrupt)

    def log(self, values: Mapping[str, Any], step: int | None = None, epoch: float | None = None) -> None:
        """Log values at a step.

        Args:
            values: Numbers by the names of their series, such as ``{"train/loss": 0.3}``; an ``epoch`` among them
                counts as the epoch. A value that is not a number is left out, and NaN marks the run as diverged.
            step: The optimizer's step; by default one more than that of the last call.
            epoch: Epochs so far, if known.
        """
        self._step = self._step + 1 if step is None else step
        numbers = {}
        for name, value in values.items():
            try:
                numbers[name] = float(value)
            except (TypeError, ValueError):
                self._warn(f"{name!r} is not a number and was not logged.")
        epoch = numbers.pop("epoch", float("nan")) if epoch is None else epoch
        self._points.append((self._step, epoch, time.monotonic() - self._started, numbers))

    def finish(
        self,
        predictions: pd.DataFrame | str | Path | None = None,
        *,
        metrics: Mapping[str, Any] | None = None,
        checkpoint: str | Path | None = None,
    ) -> Report:
        """Write the results and end the run.

        With predictions for the task's test split, the score is computed from them, and the run is verified where the
        official labels are at hand. Without, the metrics stand as a claim.

        Args:
            predictions: Columns ``example_id, predicted`` and optionally ``score``, the probability of the answer; or a
                file that `featherboard submit` reads.
            metrics: Results, added to ``summary``.
            checkpoint: A file or folder whose files are listed with their sizes and hashes; nothing is copied.

        Returns:
            What was scored; ``report.sentence()`` says it in words.
        """
        if self._ended:
            self._warn("The run has ended; finish() changed nothing.")
            return NO_PREDICTIONS
        self.summary.update(metrics or {})
        claimed = dict(self._claimed())
        report, frame = self._scored(predictions, claimed)
        try:
            artifacts = self._artifacts(checkpoint)
            results = rows.metric_values(self._task, claimed, report)
            if artifacts:
                results.append(MetricValue("checkpoint_bytes", float(sum(artifact.bytes for artifact in artifacts))))
            self._end()
            self._writer.finish(
                results,
                train_seconds=time.monotonic() - self._started,
                predictions=frame,
                artifacts=artifacts,
                verified=report.verified,
            )
        except Exception as error:
            self._warn(f"The results could not be written: {error}")
        return report

    def interrupt(self) -> None:
        """End the run as interrupted; what was logged stays. Does nothing after `finish`."""
        if self._ended:
            return
        try:
            self._end()
            self._writer.interrupt()
        except Exception as error:
            self._warn(f"The end of the run could not be written: {error}")

    def __enter__(self) -> Self:
        """Return the run itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the run, or keep it as interrupted if the block raised."""
        if kind is not None:
            self.interrupt()
        elif not self._ended:
            self.finish()

    def _end(self) -> None:
        self._ended = True
        self._stop.set()
        self._thread.join()
        atexit.unregister(self.interrupt)
        self._move_points()
        if self.config != self._stored:
            row = {"run_id": self.id, **_settings(self.config)}
            self._store.write([Change("runs", pd.DataFrame([row]), "update")])

    def _write_now_and_then(self) -> None:
        while not self._stop.wait(FLUSH_EVERY_S):
            try:
                self._move_points()
                self._writer.beat(force=True)
            except Exception as error:
                self._warn(f"What was logged could not be written yet: {error}")

    def _move_points(self) -> None:
        while self._points:
            step, epoch, seconds, numbers = self._points.popleft()
            for name, value in numbers.items():
                self._writer.point(name[: tables.MAX_SERIES], step, value, epoch=epoch, wall_time=seconds)

    def _claimed(self) -> Iterator[tuple[str, float]]:
        """Yield the metrics of the summary that the board knows, in its units."""
        for name, value in self.summary.items():
            metric = metric_names.metric_of(name)
            if metric is None:
                self._warn(f"The board has no metric {name!r}; it was not stored.")
                continue
            try:
                yield metric, claim.metric_value(metric, value)
            except ValueProblemError as error:
                self._warn(f"{name} = {value!r} was not stored: {error}")

    def _scored(
        self, source: pd.DataFrame | str | Path | None, claimed: Mapping[str, float]
    ) -> tuple[Report, pd.DataFrame | None]:
        """Score predictions; those that cannot be used are left out with a warning."""
        try:
            frame = self._predictions(source)
            if frame is None:
                return NO_PREDICTIONS, None
            report, gold = previews.examined(self._store, self._task.task_id, frame, claimed, {}, self.id)
            return report, rows.predictions(self._task, self.id, frame, gold.answers if gold else None).rows
        except Exception as error:
            self._warn(f"The predictions were not stored: {error}")
            return NO_PREDICTIONS, None

    def _predictions(self, source: pd.DataFrame | str | Path | None) -> pd.DataFrame | None:
        if source is None:
            return None
        if isinstance(source, str | Path):
            path = Path(source)
            source = detect.read(path.name, path.read_bytes()).predictions
            if source is None:
                raise FeatherboardError(f"{path} holds no predictions; the columns are example_id and predicted.")
        return tables.predictions(source)

    def _artifacts(self, checkpoint: str | Path | None) -> list[Artifact]:
        if checkpoint is None:
            return []
        path = Path(checkpoint)
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        folder = path if path.is_dir() else path.parent
        return [
            Artifact("file", str(file.relative_to(folder)), file.stat().st_size, _file_digest(file)) for file in files
        ]

    def _warn(self, message: str) -> None:
        """Warn once a message: a series that cannot be logged must not fill the output."""
        if message not in self._warned:
            self._warned.add(message)
            _LOG.warning("%s", message)


def init(
    task: str,
    model: str,
    *,
    params: Any = None,
    config: Mapping[str, Any] | None = None,
    seed: int | None = None,
    family: str = "Other",
    dataset: str = rows.UNSTATED,
    teacher: str | None = None,
    notes: str | None = None,
    database: Path | None = None,
) -> Run:
    """Start a run.

    >>> import featherboard as fb
    >>> run = fb.init(task="nsmc-mini", model="my-bilstm", params=391_170, config={"lr": 0.001}, seed=0)
    >>> run.log({"train/loss": 0.3}, step=10)
    >>> report = run.finish(metrics={"accuracy": 0.87})

    Args:
        task: A board; `featherboard list tasks` shows them.
        model: Its name on the board, 1 to 120 characters.
        params: The number of parameters, or a module whose ``parameters()`` are counted.
        config: Settings of the training; runs with the same settings and different seeds become one row.
        seed: Of the training.
        family: Kind of model, such as BERT.
        dataset: What it is trained on.
        teacher: What it is distilled from.
        notes: Anything else.
        database: The DuckDB file; by default that of the command line. It is created where missing.

    Raises:
        FeatherboardError: The task is unknown, a value cannot be used, or the database cannot be opened.
    """
    try:
        board = tasks.by_id(task)
    except KeyError as error:
        raise FeatherboardError(f"The run was not started: {error.args[0]}.") from error
    try:
        name = values.required_text(model, 120)
        facts = RunFacts(
            task_id=board.task_id,
            task_version=board.version,
            model_id="",
            name=name,
            recipe=None,
            **_settings(config or {}),
            seed=seed,
            dataset=values.required_text(dataset, 200),
            dataset_hash=None,
            split=board.split,
            device=platform.processor() or platform.machine(),
            code_version=metadata.version("featherboard"),
            libraries=json.dumps(_libraries()),
            command=" ".join(Path(part).name if Path(part).is_absolute() else part for part in sys.argv)[:1000],
            teacher=teacher,
            notes=notes,
            source="submitted",
        )
    except ValueProblemError as error:
        raise FeatherboardError(f"The run was not started: {error}") from error
    count = _count(params)
    identity = _digest([name, family, count])[:24]
    listed = ModelFacts(f"tracked-{identity}", name, family, "unknown", {}, count)
    store = Store(database or default_database())
    if not store.exists():
        create.initialise(store)
    return Run(store, board, listed, replace(facts, model_id=listed.model_id), dict(config or {}))


def _count(params: Any) -> int | None:
    if params is None or isinstance(params, int):
        return params
    return sum(int(parameter.numel()) for parameter in params.parameters())


def _settings(config: Mapping[str, Any]) -> dict[str, str]:
    settings = json.loads(json.dumps(dict(config), default=str))
    return {"recipe_json": json.dumps(settings, ensure_ascii=False), "recipe_hash": _digest(settings)}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _file_digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _libraries() -> dict[str, str]:
    """Versions of the training libraries that are loaded; nothing is imported for it."""
    versions = {name: getattr(sys.modules[name], "__version__", None) for name in _LIBRARIES if name in sys.modules}
    return {name: str(version) for name, version in versions.items() if version}
