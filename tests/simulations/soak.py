"""Writers, importers and readers of one database under faults; ``tests.simulations.history`` checks what they saw.

``python -m tests.simulations.soak SECONDS`` starts processes that log each operation before it begins and after it
ended, while some of them are killed, stopped, or have their disk full. Each run is written by one process, version
after version, and deleted at last.
"""

import json
import logging
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests import paths
from tests.simulations.history import GONE, Result, check

ROLES = ("writer", "writer", "writer", "importer", "reader", "reader")
VERSIONS = 6


class _Log:
    """The history of one process; each line is written at once, so that a kill leaves all before it.

    It goes through a pipe, which a full disk of the process leaves alone.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __call__(self, kind: str, **facts: Any) -> None:
        line = json.dumps({"time": time.monotonic_ns(), "kind": kind, **facts}) + "\n"
        os.write(self.descriptor, line.encode())


def _worker(role: str, database: Path, log: _Log) -> None:
    from db.base.errors import FeatherboardError
    from db.storage import access
    from db.storage.store import Store

    access.instance().execute("SET threads = 1")
    store, name = Store(database, wait_s=60), f"{role}-{os.getpid()}"
    work = {"writer": _write, "importer": _import, "reader": _read}[role]
    number = 0
    while True:
        number += 1
        try:
            work(store, f"{name}-{number:05d}", log)
        except (FeatherboardError, OSError) as error:
            log("error", text=f"{type(error).__name__}: {error}")
        except Exception as error:
            log("raw", text=f"{type(error).__name__}: {error}")


def _write(store: Any, run_id: str, log: _Log) -> None:
    from db.runs.writer import MetricValue, metrics_change
    from tests.factories.rows import change, model_row, run_row

    for version in range(1, VERSIONS + 1):
        figures = metrics_change(run_id, [MetricValue("accuracy", version / 1000)])
        batch = [change("models", model_row()), change("runs", run_row(run_id, seed=version)), figures]
        log("invoke", run=run_id, version=version)
        try:
            store.append(batch)
        except Exception:
            log("fail", run=run_id, version=version)
            raise
        log("ok", run=run_id, version=version)
        time.sleep(0.01)
    log("invoke", run=run_id, version=GONE)
    with store.transaction() as con:
        for table in ("runs", "metrics", "seals"):
            con.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])
    log("ok", run=run_id, version=GONE)


def _import(store: Any, run_id: str, log: _Log) -> None:
    from db.runs import bundles
    from db.runs.writer import MetricValue, metrics_change
    from db.storage.changes import pack
    from tests.factories.rows import change, model_row, run_row

    figures = metrics_change(run_id, [MetricValue("accuracy", 0.001)])
    batch = [change("models", model_row()), change("runs", run_row(run_id, seed=1)), figures]
    log("invoke", run=run_id, version=1)
    bundles.import_bytes(store, pack(batch, "run bundle", {"runs": 1}), "soak")
    log("ok", run=run_id, version=1)
    time.sleep(0.1)


def _read(store: Any, _: str, log: _Log) -> None:
    log("begin")
    late = []  # the reader goes on without what waits, and says so
    logger = logging.getLogger("featherboard.store")
    logger.setLevel(logging.INFO)

    def watch(record: logging.LogRecord) -> bool:
        late.extend([True] * ("not shown yet" in record.msg))
        return True

    logger.addFilter(watch)
    try:
        rows = store.query(
            "SELECT run_id, seed, (SELECT value FROM metrics m WHERE m.run_id = r.run_id) AS value FROM runs r"
        )
    finally:
        logger.removeFilter(watch)
    seen = {run: int(version) for run, version in zip(rows["run_id"], rows["seed"], strict=True)}
    torn = rows.loc[(rows["value"] * 1000).round() != rows["seed"], "run_id"].tolist()
    log("read", seen=seen, torn=torn, late=bool(late))
    time.sleep(0.05)


def soak(seconds: float, folder: Path, seed: int = 0) -> Result:
    """Let processes work under faults for a time, then check what they saw and what is there."""
    from db.bootstrap import create
    from db.storage.store import Store

    database = folder / "board.duckdb"
    Store(database).write([create.task_rows()])
    chance, faults, logs = random.Random(seed), Counter[str](), []  # noqa: S311 - which fault comes next
    processes: list[subprocess.Popen[bytes]] = []
    scribes: list[Any] = []

    def start(role: str) -> "subprocess.Popen[bytes]":
        logs.append(folder / f"{len(logs)}.log")
        with logs[-1].open("wb") as file:
            scribes.append(subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=file))
        command = [sys.executable, "-m", "tests.simulations.soak", role, database]
        environment = {**os.environ, "PYTHONPATH": str(paths.REPO), "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(command, env=environment, stdout=scribes[-1].stdin)
        scribes[-1].stdin.close()
        return process

    try:
        processes += map(start, ROLES)
        end = time.monotonic() + seconds
        while not all(log.exists() and log.stat().st_size for log in logs):
            time.sleep(0.1)  # the time counts from when all work
            end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.1, 0.6))
            index = chance.randrange(len(processes))
            fault = chance.choice(("kill", "stop", "full"))
            faults[fault] += 1
            _harm(processes[index].pid, fault, chance)
            if fault == "kill":
                processes[index].wait()
                processes[index] = start(ROLES[index])
    finally:
        for process in processes:
            process.kill()
        for process in [*processes, *scribes]:
            process.wait()
    logs.append(folder / "last.log")
    with logs[-1].open("wb") as file:
        _read(Store(database, wait_s=60), "", _Log(file.fileno()))
    histories = [[json.loads(line) for line in log.read_text().splitlines()] for log in logs if log.exists()]
    result = check(histories)
    result.counts.update({f"fault: {fault}": count for fault, count in faults.items()})
    return result


def _harm(process: int, fault: str, chance: random.Random) -> None:
    with suppress(ProcessLookupError):
        if fault == "kill":
            os.kill(process, signal.SIGKILL)
        elif fault == "stop":
            os.kill(process, signal.SIGSTOP)
            time.sleep(chance.uniform(0.1, 1.0))
            os.kill(process, signal.SIGCONT)
        else:  # files may grow to so many bytes; histories are shorter than the database, but not than this
            soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (chance.randrange(0, 200_000), hard))
            time.sleep(chance.uniform(0.1, 0.5))
            resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))


if __name__ == "__main__":
    if sys.argv[1] in ROLES:
        _worker(sys.argv[1], Path(sys.argv[2]), _Log(sys.stdout.fileno()))
    with tempfile.TemporaryDirectory() as directory:
        done = soak(float(sys.argv[1]), Path(directory), seed=int(time.time()))
    print(dict(done.counts))
    print("\n".join(f"{count} x {text}" for text, count in done.errors.most_common()))
    print("\n".join(done.violations) or "all invariants hold")
    sys.exit(bool(done.violations))
