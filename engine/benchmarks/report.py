"""Results of a bench: collected by model, written as one run for each model and precision, and shown as a table."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from db.registry import formats, tasks
from db.runs import timings
from db.runs.timings import HEADLINE_TOKENS, Machine, Timing
from db.runs.writer import MetricValue, ModelFacts, RunFacts, RunWriter
from db.storage.store import Store
from engine.base import provenance
from engine.benchmarks.messages import Loaded, Peak, Point
from engine.benchmarks.models import Subject
from engine.benchmarks.options import BenchOptions


@dataclass
class ModelResult:
    """Measurements of one model in one precision.

    Attributes:
        loaded: Of each round.
        points: A point of each round, by (threads, tokens).
        peaks: Peak memory in bytes of each completed round.
        error: Why it could not be measured to the end.
    """

    subject: Subject
    precision: str
    loaded: list[Loaded] = field(default_factory=list)
    points: dict[tuple[int, int], list[Point]] = field(default_factory=dict)
    peaks: list[int] = field(default_factory=list)
    error: str | None = None

    @property
    def label(self) -> str:
        """The model and its precision."""
        return f"{self.loaded[0].name if self.loaded else self.subject.name}, {self.precision}"

    @property
    def load_seconds(self) -> float:
        """Median time to load it."""
        return float(np.median([loaded.load_seconds for loaded in self.loaded]))

    def add(self, message: Loaded | Point | Peak) -> None:
        """Add a message of a worker."""
        if isinstance(message, Loaded):
            self.loaded.append(message)
        elif isinstance(message, Point):
            self.points.setdefault((message.threads, message.tokens), []).append(message)
        else:
            self.peaks.append(message.bytes)

    def timings(self, batch: int) -> list[Timing]:
        """Timings over all rounds, by threads and tokens."""
        return [timing_of(self.precision, batch, points) for _, points in sorted(self.points.items())]


class Recorder:
    """Write a model's run turn by turn, so that a power cut loses no finished turn.

    Attributes:
        run: None until something was measured.
    """

    def __init__(
        self, store: Store, machine: Machine, options: BenchOptions, command: str, result: ModelResult
    ) -> None:
        """Set the board and what describes the run; nothing is written."""
        self.store, self.machine, self.options, self.command, self.result = store, machine, options, command, result
        self.run: RunWriter | None = None

    def write(self) -> None:
        """Write the timings so far; nothing where there are none."""
        if not self.result.points:
            return
        if self.run is None:
            listed = asdict(self.result.loaded[0])
            del listed["bytes"], listed["load_seconds"]
            self.run = RunWriter.start(self.store, ModelFacts(**listed), self._facts())
        timings.write(self.store, self.run.run_id, self.machine, self.result.timings(self.options.batch))

    def finish(self, machine: Machine, *, stopped: bool) -> None:
        """Close the run with its metrics.

        Args:
            machine: With the facts that are known at the end.
            stopped: Ctrl-C came before the last turn.
        """
        self.machine = machine
        self.write()
        if self.run is None:
            return
        self.run.finish(self._metrics(), train_seconds=None)
        caveat = self._caveat(stopped=stopped)
        if caveat:
            timings.add_caveat(self.store, self.run.run_id, caveat)

    def _facts(self) -> RunFacts:
        result = self.result
        recipe = {"model": result.subject.name, "precision": result.precision, **asdict(self.options)}
        recipe.pop("precisions")
        random = result.subject.kind == "architecture"
        return device_run(
            self.machine,
            result.loaded[0].model_id,
            [result.precision],
            name=result.label,
            recipe="bench",
            recipe_json=json.dumps(recipe),
            command=self.command,
            notes="Random weights: time and memory do not depend on their values." if random else None,
        )

    def _metrics(self) -> list[MetricValue]:
        result, batch = self.result, self.options.batch
        values = [
            MetricValue("checkpoint_bytes", float(result.loaded[0].bytes)),
            MetricValue("load_seconds", result.load_seconds, len(result.loaded)),
        ]
        if result.peaks:
            values.append(MetricValue("peak_memory_bytes", float(max(result.peaks)), len(result.peaks)))
        # Models are compared at 384 tokens, one at a time, with all threads.
        rows = [row for row in result.timings(batch) if row.tokens == HEADLINE_TOKENS and batch == 1]
        if not rows:
            return values
        row = max(rows, key=lambda row: row.threads)
        points = result.points[row.threads, row.tokens]
        return values + headline_figures(row) + energy(points, self.options.watts) + cost(points, self.options.price)

    def _caveat(self, *, stopped: bool) -> str | None:
        sentences, completed = [], len(self.result.peaks)
        if completed < self.options.rounds:
            reason = self.result.error or ("Stopped by hand." if stopped else "")
            sentences.append(
                f"{completed} of {self.options.rounds} rounds were measured to their end. {reason}".strip()
            )
        sentences += [str(self.machine.facts[name]) for name in ("busy", "throttling") if self.machine.facts.get(name)]
        return " ".join(sentences) or None


def device_run(machine: Machine, model_id: str, settings: Sequence[str], **facts: Any) -> RunFacts:
    """Describe a run of timings by model, settings and machine; ``facts`` are the other ones of ``RunFacts``."""
    task, identity = tasks.by_id(timings.TASK), json.dumps([model_id, *settings, machine.name, machine.cpu])
    return RunFacts(
        task_id=task.task_id,
        task_version=task.version,
        model_id=model_id,
        recipe_hash=hashlib.sha256(identity.encode()).hexdigest(),
        seed=0,
        dataset=task.dataset,
        dataset_hash="none",
        split=task.split,
        device=machine.name,
        code_version=provenance.code_version(),
        libraries=provenance.libraries(),
        **facts,
    )


def timing_of(precision: str, batch: int, points: Sequence[Point]) -> Timing:
    """Merge the points of one length and number of threads into one timing."""
    times = np.concatenate([point.times_ms for point in points])
    p50, p95, p99 = (float(value) for value in np.quantile(times, [0.5, 0.95, 0.99]))
    return Timing(
        precision,
        points[0].threads,
        points[0].tokens,
        batch,
        len(times),
        p50,
        max(p95, p50),
        max(p99, p95, p50),
        1e3 * batch / p50,
        max((point.load_average for point in points if point.load_average is not None), default=None),
        max((point.celsius for point in points if point.celsius is not None), default=None),
        min((point.clock_mhz for point in points if point.clock_mhz is not None), default=None),
    )


def headline_figures(row: Timing) -> list[MetricValue]:
    """Metrics of the timing at which models are compared."""
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


def energy(points: Sequence[Point], watts: float | None) -> list[MetricValue]:
    """Energy of 1,000 answers that were given one at a time, in joules.

    Args:
        points: Of one length and number of threads.
        watts: A stated wattage; None for no estimate.
    """
    calls = sum(len(point.times_ms) for point in points)
    values = []
    counted = [point.joules for point in points if point.joules is not None]
    if len(counted) == len(points):
        values.append(MetricValue("energy_per_1000", 1000 * sum(counted) / calls, calls))
    if watts is not None:
        seconds = sum(sum(point.times_ms) for point in points) / 1e3
        values.append(MetricValue("energy_per_1000_estimated", 1000 * watts * seconds / calls, calls))
    return values


def cost(points: Sequence[Point], price: float | None) -> list[MetricValue]:
    """Cost of 1,000 answers that were given one at a time, in US dollars.

    Args:
        points: Of one length and number of threads.
        price: Of an hour of the machine, as stated; None for no cost.
    """
    if price is None:
        return []
    calls = sum(len(point.times_ms) for point in points)
    hours = sum(sum(point.times_ms) for point in points) / 3.6e6
    return [MetricValue("cost_per_1000", 1000 * price * hours / calls, calls)]


def table(results: Sequence[ModelResult], options: BenchOptions) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the summary: one row for each model, precision and number of threads."""
    head = ["Model", "Threads", *(f"{tokens} tokens" for tokens in options.lengths), "Memory", "Start"]
    lines = []
    for result in results:
        times = {(row.threads, row.tokens): row.p50_ms for row in result.timings(options.batch)}
        memory = formats.size(max(result.peaks)) if result.peaks else formats.DASH
        for threads in sorted({threads for threads, _ in times}):
            cells = [_milliseconds(times.get((threads, tokens))) for tokens in options.lengths]
            lines.append([result.label, str(threads), *cells, memory, formats.duration(result.load_seconds)])
    return head, lines


def _milliseconds(time: float | None) -> str:
    if time is None:
        return formats.DASH
    return f"{time:.3g} ms" if time < 1000 else formats.duration(time / 1e3)
