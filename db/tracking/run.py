"""A run that somebody's own training code logs: `init`, `log`, `finish`.

Logging only appends to a list; a thread of its own writes to the store every few seconds. A mistake after `init` is a
warning, never an exception: a training of hours must not end because of its bookkeeping.
"""

import atexit
import hashlib
import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from db.base import secrets
from db.base.errors import FeatherboardError
from db.base.problems import ValueProblemError
from db.importers import detect, metric_names
from db.registry.tasks import Task
from db.runs.writer import FLUSH_EVERY_S, Artifact, MetricValue, ModelFacts, RunFacts, RunWriter
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions import claim, previews, rows, tables
from db.submissions.previews import NO_PREDICTIONS
from db.submissions.verification import Report

_LOG = logging.getLogger("featherboard")
_DELIVER_S = 15.0
"""Seconds for which the end of a run tries to reach another board."""


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
        if self._ended:
            self._warn("The run has ended; log() changed nothing.")
            return
        try:
            self._step = self._step + 1 if step is None else int(step)
            numbers = {}
            for name, value in values.items():
                try:
                    numbers[str(name)] = float(value)
                except (TypeError, ValueError):
                    self._warn(f"{name!r} is not a number and was not logged.")
            epoch = numbers.pop("epoch", float("nan")) if epoch is None else float(epoch)
            self._points.append((self._step, epoch, time.monotonic() - self._started, numbers))
        except Exception as error:  # whatever was passed: the training goes on
            self._warn(f"Something was not logged, which takes numbers by name and a whole step: {error}")

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
        artifacts = self._artifacts(checkpoint)
        try:
            results = rows.metric_values(claimed, report, self._task.split_size)
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
        else:
            self._deliver()
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
            row = {"run_id": self.id, **settings_columns(self.config)}
            self._store.write([Change("runs", pd.DataFrame([row]), "update")])

    def _deliver(self) -> None:
        """Send the run to the board of FEATHERBOARD_URL, where that is set; what does not arrive waits for the next."""
        url = os.environ.get("FEATHERBOARD_URL", "").strip()
        if not url:
            return
        from db import remote  # noqa: PLC0415 - httpx takes a tenth of a second to import

        try:
            target = remote.Target(remote.parse_url(url), secrets.require_token(None))
            remote.deliver(self._store, target, [self.id], _DELIVER_S)
        except Exception as error:
            self._warn(f"The run is stored here and was not sent: {error}")

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
        try:
            path = Path(checkpoint)
            files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
            folder = path if path.is_dir() else path.parent
            return [
                Artifact("file", str(file.relative_to(folder)), file.stat().st_size, _file_digest(file))
                for file in files
            ]
        except (OSError, TypeError) as error:
            self._warn(f"The files of the checkpoint were not listed: {error}")
            return []

    def _warn(self, message: str) -> None:
        """Warn once a message: a series that cannot be logged must not fill the output."""
        if message not in self._warned:
            self._warned.add(message)
            _LOG.warning("%s", message)


def settings_columns(config: Mapping[str, Any]) -> dict[str, str]:
    """Make the columns of the runs table that hold settings."""
    settings = json.loads(json.dumps(dict(config), default=str))
    return {"recipe_json": json.dumps(settings, ensure_ascii=False), "recipe_hash": digest(settings)}


def digest(value: Any) -> str:
    """Hash a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _file_digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
