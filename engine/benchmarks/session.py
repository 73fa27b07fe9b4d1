"""A whole bench: resolve the models, measure them in rounds, keep everything on the board, say what was found."""

import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from db.base.paths import cache_folder
from db.registry import formats
from db.runs import bundles
from db.storage.store import Store
from engine.base.errors import BenchError
from engine.base.progress import Bar, Notes, say
from engine.benchmarks import host, host_state, models, results
from engine.benchmarks.models import Subject
from engine.benchmarks.runner import Listeners, Measured, Wish, measure


@dataclass(frozen=True)
class Outcome:
    """What a bench found.

    Attributes:
        measured: Every model and precision, those without a figure included.
        run_ids: The runs on the board.
        warning: A sentence about a busy machine; None where it was quiet.
        stopped: Whether Ctrl-C ended it early.
        wish: What was asked for.
    """

    measured: list[Measured]
    run_ids: list[str]
    warning: str | None
    stopped: bool
    wish: Wish


def bench(store: Store, names: Sequence[str], wish: Wish, command: str, device: str | None = None) -> Outcome:
    """Measure models on this machine; every finished turn is on the board at once.

    Ctrl-C ends it early and keeps what was measured.

    Raises:
        BenchError: A model is unknown, or a length impossible; nothing was measured.
        CheckpointError: A folder holds no model that can be read.
    """
    found = [models.resolve(name, store.path) for name in dict.fromkeys(names)]
    if not found:
        raise BenchError("Name at least one model with --models.")
    models.require_lengths(found, list(wish.lengths))
    work = cache_folder(store.path) / "bench"
    work.mkdir(parents=True, exist_ok=True)
    try:
        return _measured(store, found, wish, command, device, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _measured(store: Store, found: list[Subject], wish: Wish, command: str, device: str | None, work: Path) -> Outcome:
    load = host_state.state().load_average
    recorder = results.Recorder(store, host.describe(device, limit=wish.memory, load_before=load), wish, command)
    shares: list[float] = []
    everything = [Measured(subject, precision) for subject in found for precision in wish.precisions]
    stopped = False
    points = len(everything) * wish.rounds * len(wish.lengths) * len(wish.threads)
    notes = Notes()
    before = signal.getsignal(signal.SIGTERM)
    with Bar("measuring", points) as bar:

        def turn(one: Measured, place: int) -> None:
            bar.advance(0, f"{one.label}, round {place} of {wish.rounds}")
            notes.tell(f"{one.label}, round {place} of {wish.rounds}")

        def done(one: Measured) -> None:
            recorder.keep(one)
            if one.trouble:
                say(f"{one.label}: {one.trouble}")

        try:
            signal.signal(signal.SIGTERM, _interrupt)
            measure(everything, wish, work, Listeners(turn, lambda _: bar.advance(1), done), shares)
        except KeyboardInterrupt:
            stopped = True
            say("Stopped; what was measured is kept.")
        finally:
            signal.signal(signal.SIGTERM, before)
        bar.complete()
    warning = host.busy_warning(shares, load)
    throttled = ", ".join(host.throttling())
    told = {
        "limit": wish.memory,
        "load_before": load,
        "busy_share": max(shares, default=None),
        "busy": warning,
        "throttling": f"The firmware reports: {throttled}." if throttled else None,
    }
    at_end = host.describe(device, **told)
    for one in everything:
        recorder.keep(one)  # a turn that Ctrl-C ended has points too
        recorder.finish(one, at_end, stopped=stopped)
    return Outcome(everything, recorder.run_ids, warning, stopped, wish)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def write_bundle(store: Store, target: Path, outcome: Outcome) -> int:
    """Write the runs of a bench to a bundle that any board imports, and return their number.

    Raises:
        BenchError: Nothing was measured.
    """
    if not outcome.run_ids:
        raise BenchError("Nothing was measured, so no bundle was written.")
    return bundles.export_runs(store, target, outcome.run_ids)


def table(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """Head and rows of what is shown at the end: one row for each model, precision and number of threads."""
    head = ["Model", "Threads", *(f"{tokens} tokens" for tokens in outcome.wish.lengths), "Memory", "Start"]
    lines = []
    for one in outcome.measured:
        found = results.rows(one, outcome.wish.batch)
        for threads in sorted({row.threads for row in found}):
            by_length = {row.tokens: row for row in found if row.threads == threads}
            lines.append(
                [
                    one.label,
                    str(threads),
                    *(
                        _ms(by_length[tokens].p50_ms) if tokens in by_length else formats.DASH
                        for tokens in outcome.wish.lengths
                    ),
                    formats.size(max(one.peaks)) if one.peaks else formats.DASH,
                    formats.duration(float(np.median([loaded.load_seconds for loaded in one.loaded]))),
                ]
            )
    return head, lines


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds < 1000 else formats.duration(milliseconds / 1e3)
