"""The life of a measured run: started, kept alive, finished, interrupted, failed or diverged.

Everything is written as changes, so that a run keeps going while the database is busy; few rows as lists, since data
frames take long to make and to join.
"""

import json
import logging
import math
import os
import socket
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from db.base.clock import utc_now
from db.base.errors import StoreError
from db.storage.changes import Change
from db.storage.store import Store

_LOG = logging.getLogger("featherboard.runs")

FLUSH_EVERY_S = 5.0
"""Curve points wait at most this long in memory."""


@dataclass(frozen=True)
class ModelFacts:
    """What is listed of a model; see the models table."""

    model_id: str
    name: str
    family: str
    architecture: str
    config: Mapping[str, Any]
    params: int | None
    language: str | None = None
    licence: str | None = None

    def as_change(self) -> Change:
        """The row of the models table; a model that is listed stays as it is, since other runs show its parameters."""
        return Change("models", [{**asdict(self), "config": json.dumps(dict(self.config))}], "insert")


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run when it starts; see the runs table."""

    task_id: str
    task_version: int
    model_id: str
    name: str
    recipe: str | None
    recipe_json: str
    recipe_hash: str
    seed: int | None
    dataset: str
    dataset_hash: str | None
    split: str
    device: str
    code_version: str
    libraries: str
    command: str
    teacher: str | None = None
    notes: str | None = None
    source: str = "measured"


@dataclass(frozen=True)
class MetricValue:
    """One figure of a run, in the metric's stored unit, with the number of examples and the 95% interval behind it."""

    name: str
    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Slice:
    """A figure of a part of the split, such as the questions that begin with "who".

    Attributes:
        facet: What the parts differ in: "question word".
        part: Which part: "who".
        figure: Its figure, with the number of examples in the part.
    """

    facet: str
    part: str
    figure: MetricValue


@dataclass(frozen=True)
class Artifact:
    """One file that a run left behind."""

    kind: str
    path: str
    bytes: int
    sha256: str


def new_run_id() -> str:
    """A run id that no other installation will ever make."""
    return uuid.uuid4().hex


class RunWriter:
    """Writes one run. Curve points are buffered; everything else goes out at once."""

    def __init__(self, store: Store, run_id: str) -> None:
        """Name the run; nothing is written."""
        self.store = store
        self.run_id = run_id
        self._points: list[dict[str, Any]] = []
        self._flushed = time.monotonic()
        self._diverged = False

    @classmethod
    def start(cls, store: Store, model: ModelFacts, facts: RunFacts, run_id: str | None = None) -> "RunWriter":
        """Write the run as running and return its writer."""
        writer = cls(store, run_id or new_run_id())
        now = utc_now()
        row = {
            "run_id": writer.run_id,
            **asdict(facts),
            "status": "running",
            "heartbeat": now,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "created_at": now,
            "updated_at": now,
        }
        store.append([model.as_change(), Change("runs", [row])])
        return writer

    def resume(self) -> None:
        """Mark a run that had stopped as running again, in this process."""
        facts = {"status": "running", "heartbeat": utc_now(), "host": socket.gethostname(), "pid": os.getpid()}
        self.store.append([self._row(**facts, caveat=None)])

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        """Buffer one curve point; a value that is not a number is left out and marks the run as diverged."""
        if not math.isfinite(value):
            self._diverged = True
            return
        self._points.append(
            {
                "run_id": self.run_id,
                "series": series,
                "step": step,
                "epoch": None if math.isnan(epoch) else epoch,
                "value": value,
                "wall_time": wall_time,
            }
        )

    def beat(self, *, force: bool = False) -> None:
        """Flush the buffered points and renew the heartbeat when it is time, or at once with ``force``."""
        if not force and time.monotonic() - self._flushed < FLUSH_EVERY_S:
            return
        self._flushed = time.monotonic()
        try:
            self.store.append([*self._buffered(), self._row(heartbeat=utc_now())])
        except StoreError as error:  # a full disk, say, which may be over before the training is
            _LOG.warning("Points of run %s wait in memory: %s", self.run_id[:12], error)
        else:
            self._points = []

    def finish(
        self,
        metrics: Sequence[MetricValue],
        *,
        train_seconds: float | None,
        predictions: pd.DataFrame | None = None,
        artifacts: Sequence[Artifact] = (),
        slices: Sequence[Slice] = (),
        diverged: bool = False,
        verified: bool = False,
        params: int | None = None,
    ) -> None:
        """Write all results in one transaction: a reader sees the whole finished run or none of it.

        Args:
            metrics: Values that are not finite are left out, and the run is kept as diverged.
            train_seconds: Seconds spent in the training loop, over all its resumptions; None where they are not known.
            predictions: Columns ``example_id, gold, predicted, score``.
            artifacts: Files left behind.
            slices: Figures of parts of the split.
            diverged: The training itself saw a loss that was not a number.
            verified: The predictions were scored again and agree; see ``db.runs.rescoring``.
            params: The model's size, for a run that listed its model without one; a known size is never changed.
        """
        finite = [metric for metric in metrics if math.isfinite(metric.value)]
        lost = diverged or self._diverged or len(finite) < len(metrics)
        batch = self._buffered()
        if finite:
            batch.append(Change("metrics", [{"run_id": self.run_id, **asdict(metric)} for metric in finite]))
        if predictions is not None:
            batch.append(Change("predictions", predictions.assign(run_id=self.run_id), "replace"))
        if artifacts:
            batch.append(Change("artifacts", [{"run_id": self.run_id, **asdict(a)} for a in artifacts]))
        if slices:
            run = {"run_id": self.run_id}
            parts = [{**run, "facet": piece.facet, "part": piece.part, **asdict(piece.figure)} for piece in slices]
            batch.append(Change("slices", parts))
        if params is not None:
            batch += self._size(params)
        now = utc_now()
        batch.append(
            self._row(
                status="diverged" if lost else "finished",
                verified=verified and not lost,
                train_seconds=train_seconds,
                heartbeat=now,
                finished_at=now,
            )
        )
        if predictions is None and not slices:
            self.store.append(batch)
        else:  # rows from elsewhere, which the schema may refuse: the caller is there to be told
            self.store.write(batch)
        self._points = []

    def _size(self, params: int) -> list[Change]:
        unknown = self.store.query(
            "SELECT model_id FROM models JOIN runs USING (model_id) WHERE run_id = ? AND params IS NULL", [self.run_id]
        )
        return [Change("models", unknown.assign(params=params), "update")] if len(unknown) else []

    def interrupt(self) -> None:
        """Keep the run as interrupted: it can be resumed."""
        self._close("interrupted")

    def fail(self, reason: str) -> None:
        """Keep the run as failed, with the reason where it is seen; a resumption takes it away again."""
        self._close("failed", caveat=f"Failed: {reason}")

    def _close(self, status: str, **columns: Any) -> None:
        self.store.append([*self._buffered(), self._row(status=status, heartbeat=utc_now(), **columns)])
        self._points = []

    def _buffered(self) -> list[Change]:
        # A resumed run may pass a step twice between two flushes; the later value stands.
        points = {(point["series"], point["step"]): point for point in self._points}
        return [Change("curves", list(points.values()))] if points else []

    def _row(self, **columns: Any) -> Change:
        return Change("runs", [{"run_id": self.run_id, **columns, "updated_at": utc_now()}], "update")


def metrics_change(run_id: str, metrics: Sequence[MetricValue]) -> Change:
    """Finite metrics of a run as rows; the table refuses any other."""
    return metrics_of_runs({run_id: metrics})


def metrics_of_runs(metrics: Mapping[str, Sequence[MetricValue]]) -> Change:
    """Finite metrics by run id as rows of one change."""
    rows = pd.DataFrame(
        [{"run_id": run_id, **asdict(metric)} for run_id, values in metrics.items() for metric in values],
        columns=["run_id", "name", "value", "n", "low", "high"],
    )
    return Change("metrics", rows.astype({"n": "Int64", "low": "float64", "high": "float64"}))


def replace_figures(store: Store, run_id: str, metrics: Sequence[MetricValue]) -> None:
    """Overwrite some figures of a finished run, timings on a quiet machine say."""
    touched = Change("runs", pd.DataFrame([{"run_id": run_id, "updated_at": utc_now()}]), "update")
    store.write([metrics_change(run_id, metrics), touched])
