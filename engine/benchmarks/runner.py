"""A whole bench: find the models, measure them in rounds, and write every finished turn to the board.

Each round measures every model in every precision once (A B A B), so that drift of the machine affects all alike. Only
one worker runs at a time, so the memory that a model needs is what a machine must have. A model that fails is left out
of the later rounds.
"""

import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from db.base.paths import cache_folder
from db.storage.store import Store
from engine.base.errors import BenchError
from engine.base.progress import Bar, say
from engine.benchmarks import host, models, power, process
from engine.benchmarks.messages import Job, Point
from engine.benchmarks.models import PREFIX
from engine.benchmarks.options import BenchOptions
from engine.benchmarks.report import ModelResult, Recorder


@dataclass(frozen=True)
class Outcome:
    """Results of a bench.

    Attributes:
        results: Of every model and precision, also where nothing could be measured.
        run_ids: The runs on the board.
        warning: About a busy machine; None where it was quiet.
        stopped: Ctrl-C ended it early.
        options: What was measured.
    """

    results: list[ModelResult]
    run_ids: list[str]
    warning: str | None
    stopped: bool
    options: BenchOptions


def bench(
    store: Store,
    names: Sequence[str],
    options: BenchOptions,
    command: str,
    device: str | None = None,
    *,
    powercap: Path = power.POWERCAP,
) -> Outcome:
    """Measure models on this machine. Ctrl-C ends it early and keeps what was measured.

    Args:
        store: The board.
        names: Of the models.
        options: What is measured.
        command: What repeats it, for the board.
        device: What the board calls this machine; None: as it calls itself.
        powercap: The folder with the energy counters of the processor.

    Raises:
        BenchError: A model is unknown, or a length impossible; nothing was measured.
        CheckpointError: A folder holds no model that can be read.
    """
    subjects = [models.resolve(name, store.path) for name in dict.fromkeys(names)]
    if not subjects:
        raise BenchError("Name at least one model with --models.")
    models.require_lengths(subjects, list(options.lengths))
    work = cache_folder(store.path) / "bench"
    work.mkdir(parents=True, exist_ok=True)
    results = [ModelResult(subject, precision) for subject in subjects for precision in options.precisions]
    load, shares = host.state().load_average, list[float]()
    machine = host.describe(device, limit=options.memory, load_before=load)
    recorders = [Recorder(store, machine, options, command, result) for result in results]
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        _measure(recorders, options, work, shares, powercap)
        stopped = False
    except KeyboardInterrupt:
        stopped = True
        say("Stopped; what was measured is kept.")
    finally:
        signal.signal(signal.SIGTERM, before)
        shutil.rmtree(work, ignore_errors=True)
    warning, throttled = host.busy_warning(shares, load), ", ".join(host.throttling())
    machine = host.describe(
        device,
        limit=options.memory,
        load_before=load,
        busy_share=max(shares, default=None),
        busy=warning,
        throttling=f"The firmware reports: {throttled}." if throttled else None,
    )
    for recorder in recorders:
        recorder.finish(machine, stopped=stopped)
    run_ids = [recorder.run.run_id for recorder in recorders if recorder.run]
    return Outcome(results, run_ids, warning, stopped, options)


def _measure(
    recorders: Sequence[Recorder], options: BenchOptions, work: Path, shares: list[float], powercap: Path
) -> None:
    """Measure all models in all rounds.

    Args:
        recorders: One for each model in each precision.
        options: What to measure.
        work: A folder for random weights.
        shares: Filled with the share of the cores that other programs used before each turn.
        powercap: The folder with the energy counters of the processor.
    """
    points = len(recorders) * options.rounds * len(options.lengths) * len(options.threads)
    with Bar("measuring", points) as bar:
        for number in range(1, options.rounds + 1):
            for recorder in recorders:
                result = recorder.result
                if result.error is not None:
                    continue
                turn = f"{result.label}, round {number} of {options.rounds}"
                bar.advance(0, turn)
                shares.append(host.busy_share())
                result.error = _turn(result, options, work, powercap, lambda: bar.advance(1))
                recorder.write()
                if result.error:
                    say(f"{result.label}: {result.error}")
        bar.complete()


def _turn(
    result: ModelResult, options: BenchOptions, work: Path, powercap: Path, progress: Callable[[], None]
) -> str | None:
    """Measure one model once; return why it failed, or None."""
    job = Job(
        result.subject.kind,
        str(result.subject.folder or ""),
        result.precision,
        options.lengths,
        options.threads,
        options.repeats,
        options.batch,
        memory=options.memory,
        powercap=str(powercap),
        rails=power.VCGENCMD,
    )
    if result.subject.kind == "architecture":
        name = result.subject.name.removeprefix(PREFIX)
        job = replace(job, folder=str(work / name), architecture=name)
        if not (work / name / "model.safetensors").is_file():
            error = process.run(replace(job, kind="make", memory=None), lambda _: None)
            if error is not None:
                return error

    def take(message: process.Result) -> None:
        result.add(message)
        if isinstance(message, Point):
            progress()

    return process.run(job, take)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
