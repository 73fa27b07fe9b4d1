"""Writers, importers and readers of one database under faults; ``tests.simulations.history`` checks what they saw.

``python -m tests.simulations.soak SECONDS`` starts processes that log each operation before it begins and after it
ended, while some of them are killed, stopped, or have their disk full. Each run is written by one process, version
after version, and deleted at last, or pushed version after version as the service takes bundles in. The clock of one
writer goes back by a day after some of its calls.
"""

import ctypes
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
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests import paths
from tests.factories.faults import KINDS, library
from tests.simulations.history import GONE, Result, check

ROLES = ("writer", "writer", CLOCK := "writer whose clock goes back", "importer", "pusher", "reader", "reader")
VERSIONS = 6
ORIGIN = "origin.duckdb"
"""The other machine's database, which is not there; its key signs what is pushed."""


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
    store, name = Store(database, wait_s=60), f"{role.split(maxsplit=1)[0]}-{os.getpid()}"
    work = {"writer": _write, "importer": _import, "pusher": _push, "reader": _read}[role.split(maxsplit=1)[0]]
    if role == CLOCK and "LD_PRELOAD" in os.environ:
        calls = ctypes.c_long(random.randrange(20, 60))  # noqa: S311 - after which it goes back
        faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
        faults.faults_arm(os.fsencode(database.parent), calls, KINDS["clock back a day"])
    number, last = 0, time.time()
    while True:
        number += 1
        if time.time() < last:
            log("clock back")
        last = time.time()
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


def _push(store: Any, run_id: str, log: _Log) -> None:
    from db.runs.writer import MetricValue, metrics_change
    from db.storage import installation
    from db.storage.changes import pack
    from db.submissions.drafts import receive_bundle
    from tests.factories.rows import T0, change, model_row, run_row

    for version in range(1, VERSIONS + 1):
        figures = metrics_change(run_id, [MetricValue("accuracy", version / 1000)])
        run = run_row(run_id, seed=version, updated_at=T0 + timedelta(seconds=version))
        content = pack([change("models", model_row()), change("runs", run), figures], "run bundle", {"runs": 1})
        log("invoke", run=run_id, version=version)
        receipt = receive_bundle(store, installation.sign(content, store.path.with_name(ORIGIN)), "soak")
        assert receipt.added + receipt.updated == 1, receipt
        log("ok", run=run_id, version=version)
        log("pushed")


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
    from db.storage import installation
    from db.storage.store import Store

    database = folder / "board.duckdb"
    Store(database).write([create.task_rows()])
    installation.own_id(folder / ORIGIN)
    chance, faults = random.Random(seed), Counter[str]()  # noqa: S311 - which fault comes next
    logs: list[Path] = []
    processes: list[subprocess.Popen[bytes]] = []
    scribes: list[Any] = []

    def start(role: str) -> "subprocess.Popen[bytes]":
        logs.append(folder / f"{len(logs)}.log")
        with logs[-1].open("wb") as file:
            scribes.append(subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=file))
        command = [sys.executable, "-m", "tests.simulations.soak", role, str(database)]
        environment = {**os.environ, "PYTHONPATH": str(paths.REPO), "OMP_NUM_THREADS": "1"}
        if role == CLOCK and (preloaded := library()):
            environment["LD_PRELOAD"] = str(preloaded)
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
        rare = [b'"pushed"', *([b'"clock back"'] if library() else [])]
        while not all(any(kind in log.read_bytes() for log in logs) for kind in rare):
            time.sleep(0.1)  # on a busy machine a push takes longer than its process lives
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
