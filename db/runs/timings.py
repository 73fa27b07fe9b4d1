"""Timings of models on machines: written by ``featherboard bench``, shown on the devices page."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from db.base.clock import utc_now
from db.storage.changes import Change
from db.storage.store import Store

TASK = "device-speed"

HEADLINE_TOKENS = 384
"""The length at which machines are compared: that of a window in extractive question answering."""

REFERENCE = "bert-base"
"""The model whose time, in float32, counts as 1 on each machine."""

_REPORTED = ("squad-deck", "inference-time")
"""Boards whose reported rows hold the times of several models on one machine."""


@dataclass(frozen=True)
class Timing:
    """Calls of one shape: times in ms of a whole call, which holds ``batch`` examples of ``tokens`` tokens."""

    precision: str
    threads: int
    tokens: int
    batch: int
    calls: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    per_s: float
    load_average: float | None = None
    celsius: float | None = None
    clock_mhz: float | None = None


@dataclass(frozen=True)
class Machine:
    """The machine of a run; see the machines table."""

    name: str
    cpu: str
    architecture: str
    cores: int
    memory_bytes: int | None
    os: str | None
    facts: Mapping[str, Any]


def changes(run_id: str, machine: Machine, timings: Sequence[Timing]) -> list[Change]:
    """Changes that replace the timings of a run and add its machine."""
    rows = pd.DataFrame([{"run_id": run_id, **asdict(timing)} for timing in timings])
    for column in ("load_average", "celsius", "clock_mhz"):
        rows[column] = rows[column].astype("float64")
    facts = {**asdict(machine), "facts": json.dumps(dict(machine.facts), ensure_ascii=False)}
    machines = pd.DataFrame([{"run_id": run_id, **facts}]).astype({"memory_bytes": "Int64"})
    return [Change("timings", rows, "replace"), Change("machines", machines)]


def write(store: Store, run_id: str, machine: Machine, timings: Sequence[Timing]) -> None:
    """Write what a run has measured so far; at least one timing."""
    now = pd.DataFrame([{"run_id": run_id, "heartbeat": utc_now(), "updated_at": utc_now()}])
    store.write([*changes(run_id, machine, timings), Change("runs", now, "update")])


def add_caveat(store: Store, run_id: str, caveat: str) -> None:
    """Store the caveat that is shown with a run's metrics."""
    row = pd.DataFrame([{"run_id": run_id, "caveat": caveat, "updated_at": utc_now()}])
    store.write([Change("runs", row, "update")])


def of_run(store: Store, run_id: str) -> pd.DataFrame:
    """The timings of one run, by threads and tokens: the columns of the timings table."""
    return store.query("SELECT * FROM timings WHERE run_id = ? ORDER BY threads, tokens, batch", [run_id])


def measured(store: Store) -> pd.DataFrame:
    """Every timing of the newest run of each model in each precision on each machine.

    Returns:
        The columns of the timings table and ``machine, cpu, architecture, cores, memory_bytes, os, facts, model_id,
        model, family, params, source, created_at, caveat, peak_memory_bytes, checkpoint_bytes, load_seconds,
        energy_per_1000, energy_per_1000_estimated, cost_per_1000``.
    """
    return store.query(
        """
        WITH newest AS (
            SELECT r.run_id, r.model_id, r.source, r.created_at, r.caveat, c.name AS machine, c.cpu, c.architecture,
                   c.cores, c.memory_bytes, c.os, c.facts
            FROM runs r JOIN machines c USING (run_id)
            WHERE r.task_id = $task AND EXISTS (SELECT 1 FROM timings t WHERE t.run_id = r.run_id)
            QUALIFY row_number() OVER (
                PARTITION BY r.model_id, c.name, c.cpu, r.source,
                             (SELECT min(t.precision) FROM timings t WHERE t.run_id = r.run_id)
                ORDER BY r.created_at DESC, r.run_id) = 1
        ), costs AS (
            PIVOT (SELECT run_id, name, value FROM metrics)
            ON name IN ('peak_memory_bytes', 'checkpoint_bytes', 'load_seconds', 'energy_per_1000',
                        'energy_per_1000_estimated', 'cost_per_1000') USING first(value)
        )
        SELECT n.*, t.* EXCLUDE (run_id), m.name AS model, m.family, m.params,
               k.peak_memory_bytes, k.checkpoint_bytes, k.load_seconds,
               k.energy_per_1000, k.energy_per_1000_estimated, k.cost_per_1000
        FROM newest n JOIN timings t USING (run_id) JOIN models m USING (model_id) LEFT JOIN costs k USING (run_id)
        ORDER BY n.machine, m.params DESC, m.name, t.precision, t.threads, t.tokens, t.batch
        """,
        {"task": TASK},
    )


def reported(store: Store) -> pd.DataFrame:
    """Reported rows with the times of several models for the same work on one machine.

    Returns:
        Columns ``run_id, machine, task_id, task, model_id, model, family, params, seconds, citation, caveat``.
    """
    return store.query(
        f"""
        SELECT r.run_id, coalesce(r.device, 'Unnamed device') AS machine, r.task_id, t.name AS task, r.model_id,
               m.name AS model, m.family, m.params, x.value AS seconds, r.citation, r.caveat
        FROM runs r JOIN models m USING (model_id)
        JOIN metrics x ON x.run_id = r.run_id AND x.name = 'inference_s'
        LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        WHERE r.source = 'reported' AND r.task_id IN {_REPORTED}
        ORDER BY r.task_id DESC, x.value DESC, r.run_id
        """  # noqa: S608 - the one interpolated text is a constant of this module
    )
