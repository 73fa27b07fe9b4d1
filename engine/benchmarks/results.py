"""From points to rows: what of a bench goes into the board's database, one run for each model and precision."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from db.registry import tasks
from db.runs import timings
from db.runs.timings import HEADLINE_TOKENS, Machine, Timing
from db.runs.writer import MetricValue, ModelFacts, RunFacts, RunWriter
from db.storage.store import Store
from engine.base import provenance
from engine.benchmarks.protocol import Point
from engine.benchmarks.runner import Measured, Wish


class Recorder:
    """Writes what is measured, turn by turn: after a power cut all finished turns are on the board."""

    def __init__(self, store: Store, machine: Machine, wish: Wish, command: str) -> None:
        """Name the board and what is measured; nothing is written."""
        self.store, self.machine, self.wish, self.command = store, machine, wish, command
        self.writers: dict[int, RunWriter] = {}

    @property
    def run_ids(self) -> list[str]:
        """The runs that were written."""
        return [writer.run_id for writer in self.writers.values()]

    def keep(self, one: Measured) -> None:
        """Write a model's timings so far; nothing where it has none."""
        if not one.points:
            return
        if id(one) not in self.writers:
            self.writers[id(one)] = RunWriter.start(self.store, _listed(one), self._facts(one))
        timings.write(self.store, self.writers[id(one)].run_id, self.machine, rows(one, self.wish.batch))

    def finish(self, one: Measured, machine: Machine, *, stopped: bool) -> None:
        """Close a model's run with its figures.

        Args:
            one: What was measured of it.
            machine: With the facts that are known at the end.
            stopped: Ctrl-C came before the last turn.
        """
        writer = self.writers.get(id(one))
        if writer is None:
            return
        found = rows(one, self.wish.batch)
        timings.write(self.store, writer.run_id, machine, found)
        writer.finish(figures(one, found), train_seconds=None)
        caveat = _caveat(one, self.wish, machine, stopped=stopped)
        if caveat:
            timings.remark(self.store, writer.run_id, caveat)

    def _facts(self, one: Measured) -> RunFacts:
        task = tasks.by_id(timings.TASK)
        recipe = {"model": one.subject.asked, "precision": one.precision, **asdict(self.wish)}
        recipe.pop("precisions")
        same = json.dumps([one.loaded[0].model_id, one.precision, self.machine.name, self.machine.cpu])
        return RunFacts(
            task_id=task.task_id,
            task_version=task.version,
            model_id=one.loaded[0].model_id,
            name=one.label,
            recipe="bench",
            recipe_json=json.dumps(recipe),
            recipe_hash=hashlib.sha256(same.encode()).hexdigest(),
            seed=0,
            dataset=task.dataset,
            dataset_hash="none",
            split=task.split,
            device=self.machine.name,
            code_version=provenance.code_version(),
            libraries=provenance.libraries(),
            command=self.command,
            notes="Random weights: time and memory do not depend on what they say."
            if one.subject.kind == "architecture"
            else None,
        )


def rows(one: Measured, batch: int) -> list[Timing]:
    """The timings of a model over all rounds."""
    return [timing_of(one.precision, batch, points) for _, points in sorted(one.points.items())]


def timing_of(precision: str, batch: int, points: Sequence[Point]) -> Timing:
    """The points of one length and number of threads as one timing."""
    times = np.concatenate([point.times_ms for point in points])
    middle, high, highest = (float(value) for value in np.quantile(times, [0.5, 0.95, 0.99]))
    return Timing(
        precision,
        points[0].threads,
        points[0].tokens,
        batch,
        len(times),
        middle,
        max(high, middle),
        max(highest, high, middle),
        1e3 * batch / middle,
        max((point.load_average for point in points if point.load_average is not None), default=None),
        max((point.celsius for point in points if point.celsius is not None), default=None),
        min((point.clock_mhz for point in points if point.clock_mhz is not None), default=None),
    )


def headline(found: Sequence[Timing]) -> Timing | None:
    """The timing at which models are compared: 384 tokens, one at a time, the most threads; None where not measured."""
    fitting = [row for row in found if row.tokens == HEADLINE_TOKENS and row.batch == 1]
    return max(fitting, key=lambda row: row.threads, default=None)


def figures(one: Measured, found: Sequence[Timing]) -> list[MetricValue]:
    """The metrics of a run."""
    values = [
        MetricValue("checkpoint_bytes", float(one.loaded[0].bytes)),
        MetricValue("load_seconds", float(np.median([loaded.load_seconds for loaded in one.loaded])), len(one.loaded)),
    ]
    if one.peaks:
        values.append(MetricValue("peak_memory_bytes", float(max(one.peaks)), len(one.peaks)))
    row = headline(found)
    if row:
        values += headline_figures(row)
    return values


def headline_figures(row: Timing) -> list[MetricValue]:
    """The metrics of the timing at which models are compared."""
    values = [
        MetricValue("latency_ms_p50", row.p50_ms, row.calls),
        MetricValue("latency_ms_p95", row.p95_ms, row.calls),
        MetricValue("latency_ms_p99", row.p99_ms, row.calls),
        MetricValue("questions_per_s", row.per_s, row.calls),
        MetricValue("latency_threads", float(row.threads)),
    ]
    if row.load_average is not None:
        values.append(MetricValue("latency_load", row.load_average))
    return values


def _listed(one: Measured) -> ModelFacts:
    facts = one.loaded[0]
    return ModelFacts(
        facts.model_id, facts.name, facts.family, facts.architecture, facts.config, facts.params, facts.language
    )


def _caveat(one: Measured, wish: Wish, machine: Machine, *, stopped: bool) -> str | None:
    told = []
    ended = len(one.peaks)
    if ended < wish.rounds:
        why = one.trouble or ("Stopped by hand." if stopped else "")
        told.append(f"{ended} of {wish.rounds} rounds were measured to their end. {why}".strip())
    for name in ("busy", "throttling"):
        if machine.facts.get(name):
            told.append(str(machine.facts[name]))
    return " ".join(told) or None
