"""Writing and reading while others write: ours against Trackio, MLflow and Aim on the same work, in turns.

Whole runs and curve points of 1 and of 8 processes, and how long a reader of the best 100 waits beside 8. Ours counts
as done when everything is in the database, not when it is acknowledged. Those that are not installed are left out.

What is lost, of what a call has acknowledged: by kill -9 nothing with any of them; by a power cut nothing with ours,
MLflow and "Trackio, synced", the last seconds with Trackio (its write-ahead log is not synced) and with Aim.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.store.lake import CATALOGUE
from tests.benchmarks.store.workers import BATCH, TOOLS
from tests.benchmarks.timing import load
from tests.paths import REPO

SECONDS = float(os.environ.get("SECONDS", "4"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
WRITERS = int(os.environ.get("WRITERS", "8"))
OTHER_CHECKOUT = os.environ.get("BESIDE", "")
"""Another checkout, which takes turns too."""
_EARLIER = "ours, BESIDE"
_MODULES = {
    "DuckLake": "duckdb_extensions",
    "Trackio": "trackio",
    "Trackio, synced": "trackio",
    "MLflow": "mlflow",
    "Aim": "aim",
}


class Worker:
    """A process of ``workers``."""

    def __init__(self, tool: str, folder: Path, index: object) -> None:
        """Start it."""
        name, repo = ("ours", Path(OTHER_CHECKOUT).resolve()) if tool == _EARLIER else (tool, REPO)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.store.workers", name, str(folder), str(index)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(folder / "errors.txt").open("a"),
            text=True,
            cwd=repo,
            env={**os.environ, "PYTHONPATH": str(repo), "OMP_NUM_THREADS": "1"},
        )

    def say(self, work: str, seconds: float = SECONDS) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{work} {seconds}\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Read the answer to a line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the process ended with {self.process.wait()}"
        return json.loads(line)


@contextmanager
def _workers(tool: str, folder: Path) -> Iterator[list[Worker]]:
    """Writers and a reader of one tool, all idle."""
    folder.mkdir()
    assert Worker(tool, folder, "prepare").process.wait() == 0, (folder / "errors.txt").read_text()
    workers = [Worker(tool, folder, index) for index in range(WRITERS + 1)]
    try:
        assert [worker.answer() for worker in workers] == ["ready"] * len(workers)
        yield workers
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.wait()


def _rate(workers: list[Worker], count: int, work: str) -> float:
    """Works a second of some writers together, until all of it is in the database."""
    for worker in workers[:count]:
        worker.say(work)
    answers = [worker.answer() for worker in workers[:count]]
    workers[0].say("settle")
    end = workers[0].answer()["end"]
    return float(sum(len(answer["times"]) for answer in answers) / (end - min(answer["begin"] for answer in answers)))


def _waits(workers: list[Worker]) -> tuple[list[float], int, float]:
    """How long a reader waits beside the writers, once it has loaded its modules by a first read.

    Returns:
        Seconds of each read, how many of them lacked something acknowledged, and runs a second meanwhile.
    """
    workers[WRITERS].say("best", 1e-9)
    late = workers[WRITERS].answer()["late"]
    for worker in workers[:WRITERS]:
        worker.say("runs", SECONDS + 1)
    workers[WRITERS].say("best", SECONDS)
    runs = sum(len(worker.answer()["times"]) for worker in workers[:WRITERS])
    answer = workers[WRITERS].answer()
    return list(map(float, answer["times"])), answer["late"] - late, runs / (SECONDS + 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_writers_and_a_reader_beside_other_trackers(tmp_path: Path) -> None:
    """8 writers together do three times as many runs and points a second as the best of the others."""
    names = [name for name in TOOLS if name not in _MODULES or importlib.util.find_spec(_MODULES[name])]
    names = [name for name in names if name != "DuckLake" or CATALOGUE in os.environ] + [_EARLIER] * bool(
        OTHER_CHECKOUT
    )
    chosen = os.environ.get("TOOLS")
    names = [name for name in names if not chosen or name in chosen.split(";")]
    rates: dict[tuple[str, str, int], list[float]] = {}
    waits: dict[str, list[tuple[list[float], int, float]]] = {}
    with ExitStack() as stack:
        started = {name: stack.enter_context(_workers(name, tmp_path / name.replace(" ", "-"))) for name in names}
        print(f"\n{ROUNDS} rounds of {SECONDS:g} s in turns, {load()}")
        for number in range(ROUNDS):
            for name in names[:: 1 if number % 2 else -1]:
                for work in ("runs", "points"):
                    for count in (1, WRITERS):
                        rates.setdefault((name, work, count), []).append(_rate(started[name], count, work))
                if name != "Aim":  # whose queries go through all runs
                    waits.setdefault(name, []).append(_waits(started[name]))
    medians = {key: statistics.median(values) for key, values in rates.items()}
    print(
        f"  {load()}\n  {'':<18}{'runs/s':>16}{'points/s':>20}{'reader ms, median, p95':>26}"
        f"{'lacking':>13}{'beside runs/s':>15}"
    )
    for name in names:
        runs = "".join(f"{medians[name, 'runs', count]:8.1f}" for count in (1, WRITERS))
        points = "".join(f"{BATCH * medians[name, 'points', count]:10,.0f}" for count in (1, WRITERS))
        readers = waits.get(name, [([float("nan")], 0, float("nan"))])
        times = [seconds for each, _, _ in readers for seconds in each]
        print(
            f"  {name:<18}{runs}{points}{1000 * np.median(times):16.0f}{1000 * np.percentile(times, 95):10.0f}"
            f"{sum(late for _, late, _ in readers):6} of {len(times):4}"
            f"{np.median([rate for *_, rate in readers]):10.0f}"
        )
    others = [name for name in names if name in _MODULES]
    for work in ("runs", "points") if others else ():
        best = max(others, key=lambda name: medians[name, work, WRITERS])
        ratio = medians["ours", work, WRITERS] / medians[best, work, WRITERS]
        print(f"  {WRITERS} writers, {work}: ours does {ratio:.1f} times as many as {best}, the best of the others")
        assert ratio > 1
