"""Rounds of measurements: every model in every precision once a round, so that drift of the machine hits all alike.

A worker is a fresh process (see ``worker``); only one runs at a time, so what a model needs is what a machine must
have. Its first refusal takes a model out of the later rounds; the others go on.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from engine.benchmarks import host, limits
from engine.benchmarks.architectures import PREFIX
from engine.benchmarks.models import Subject
from engine.benchmarks.protocol import Job, Loaded, Peak, Point, Refused, decode


@dataclass(frozen=True)
class Wish:
    """What to measure of each model.

    Attributes:
        lengths: Tokens of each example.
        threads: Numbers of processor threads.
        precisions: See ``engine.networks.quantization``.
        repeats: Timed calls of each length and number of threads in one round.
        rounds: How often every model gets its turn.
        batch: Examples in one call.
        memory: Bytes that one process may hold; None for all there is.
    """

    lengths: tuple[int, ...]
    threads: tuple[int, ...]
    precisions: tuple[str, ...]
    repeats: int
    rounds: int
    batch: int = 1
    memory: int | None = None


@dataclass
class Measured:
    """What is known of one model in one precision so far.

    Attributes:
        points: One point of each round, by (threads, tokens).
        peaks: Of the rounds that ended, in bytes.
        trouble: Why it could not be measured (to its end); None while all is well.
    """

    subject: Subject
    precision: str
    loaded: list[Loaded] = field(default_factory=list)
    points: dict[tuple[int, int], list[Point]] = field(default_factory=dict)
    peaks: list[int] = field(default_factory=list)
    trouble: str | None = None

    @property
    def label(self) -> str:
        """The model and its precision."""
        return f"{self.loaded[0].name if self.loaded else self.subject.asked}, {self.precision}"

    def take(self, message: Loaded | Point | Peak) -> None:
        """Keep what a worker said."""
        if isinstance(message, Loaded):
            self.loaded.append(message)
        elif isinstance(message, Point):
            self.points.setdefault((message.threads, message.tokens), []).append(message)
        else:
            self.peaks.append(message.bytes)


@dataclass(frozen=True)
class Listeners:
    """What is called on the way.

    Attributes:
        turn: Before a model's turn in a round (1, 2, ...).
        point: After each point.
        done: After a model's turn.
    """

    turn: Callable[[Measured, int], None] = lambda _measured, _round: None
    point: Callable[[Measured], None] = lambda _: None
    done: Callable[[Measured], None] = lambda _: None


def measure(everything: Sequence[Measured], wish: Wish, work: Path, listeners: Listeners, shares: list[float]) -> None:
    """Measure all models in all rounds; ``KeyboardInterrupt`` passes through, after the worker has ended.

    Args:
        everything: The models in their precisions; takes what is measured.
        wish: What to measure.
        work: A folder for random weights; its owner deletes it.
        listeners: Told on the way.
        shares: Takes the share of the cores that other programs kept busy before each turn.
    """
    for turn in range(1, wish.rounds + 1):
        for one in everything:
            if one.trouble is None:
                listeners.turn(one, turn)
                shares.append(host.busy_share())
                _one_turn(one, wish, work, listeners)
                listeners.done(one)


def _one_turn(one: Measured, wish: Wish, work: Path, listeners: Listeners) -> None:
    job = Job(
        one.subject.kind,
        str(one.subject.folder or ""),
        one.precision,
        wish.lengths,
        wish.threads,
        wish.repeats,
        wish.batch,
        memory=wish.memory,
        parent=os.getpid(),
    )
    if one.subject.kind == "architecture":
        name = one.subject.asked.removeprefix(PREFIX)
        job = replace(job, folder=str(work / name), architecture=name)
        if not (work / name / "model.safetensors").is_file():
            one.trouble = _run(replace(job, kind="make", memory=None), lambda _: None)
    if one.trouble is not None:
        return

    def take(message: Loaded | Point | Peak) -> None:
        one.take(message)
        if isinstance(message, Point):
            listeners.point(one)

    one.trouble = _run(job, take)


def peak_memory(subject: Subject, precision: str, tokens: int, threads: int) -> int | None:
    """Bytes that a fresh process holds at most while it loads a model and answers a few times; None where it cannot.

    Args:
        subject: A checkpoint or a folder.
        precision: See ``engine.networks.quantization``.
        tokens: Of each example.
        threads: Processor threads.
    """
    peaks: list[int] = []

    def take(message: Loaded | Point | Peak) -> None:
        if isinstance(message, Peak):
            peaks.append(message.bytes)

    job = Job(subject.kind, str(subject.folder), precision, (tokens,), (threads,), repeats=3, parent=os.getpid())
    _run(job, take)
    return peaks[0] if peaks else None


def _run(job: Job, take: Callable[[Loaded | Point | Peak], None]) -> str | None:
    """Let one worker work; return why it failed, or None."""
    refused: Refused | None = None
    peak: int | None = None
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as noise, _worker(noise) as process:
        assert process.stdin is not None  # noqa: S101 - for the type checker: both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(job.to_json())
        process.stdin.close()
        watch = limits.Watch(process.pid, job.memory or sys.maxsize)
        if job.memory is not None:
            watch.start()
        for line in process.stdout:
            try:
                message = decode(line)
            except ValueError:
                break  # it died in the middle of a word
            if isinstance(message, Refused):
                refused = message
                continue
            peak = message.bytes if isinstance(message, Peak) else peak
            take(message)
        code = process.wait()
        watch.stop()
        noise.seek(0)
        said = noise.read()
    if watch.tripped or (peak or 0) > (job.memory or sys.maxsize) or (refused is not None and refused.memory):
        return _too_large(job)
    if refused is not None:
        return refused.reason
    return None if peak is not None else _died(job, code, said)


WORKER = (sys.executable, "-m", "engine.benchmarks.worker")


@contextmanager
def _worker(noise: IO[str]) -> Iterator["subprocess.Popen[str]"]:
    # In a session of its own, so that Ctrl-C reaches the parent alone, which then decides what is kept.
    process = subprocess.Popen(
        WORKER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=noise,
        text=True,
        start_new_session=True,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _died(job: Job, code: int, said: str) -> str:
    if code == -signal.SIGKILL or limits.is_shortage(Exception(said)):
        return _too_large(job)  # the system kills whoever takes too much
    last = next((line for line in reversed(said.strip().splitlines()) if line.strip()), "nothing")
    return f"Its process ended with {code}; its last words: {last.strip()}"


def _too_large(job: Job) -> str:
    if job.memory is None:
        return "It does not fit this machine: its process was ended, or refused memory. Try --precision int8."
    more = "" if job.precision == "int8" else ", or --precision int8"
    return f"It does not fit {limits.shown(job.memory)} of memory. Give more with --limit-memory{more}."
