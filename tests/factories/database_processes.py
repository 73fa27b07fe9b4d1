"""Other processes that use a database: run as ``python db_processes.py ROLE PATH ...`` by the tests."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import paths

ROOT = paths.REPO

POINTS = 5
FIGURES = ("accuracy", "macro_f1", "log_loss")


def start(role: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start one of the roles below in a new Python."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.factories.database_processes", role, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@contextmanager
def held(path: Path, *, read_only: bool = False) -> Iterator[None]:
    """Another program keeps the database open until the block ends, by default for writing."""
    process = start("hold", path, *(["read_only"] if read_only else []))
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held", "the other process could not open the database"
        yield
    finally:
        process.communicate("done\n", timeout=300)
    assert process.returncode == 0, "the process that held the database failed"


def answer(process: "subprocess.Popen[str]", timeout: float = 300.0, stdin: str = "") -> Any:
    """What a process prints as JSON at its end."""
    out, _ = process.communicate(stdin, timeout=timeout)
    assert process.returncode == 0, f"{process.args} ended with {process.returncode}"
    return json.loads(out.strip().splitlines()[-1])


def _hold(path: str, *mode: str) -> None:
    import duckdb

    with duckdb.connect(path, read_only=bool(mode)):
        print("held", flush=True)
        sys.stdin.readline()


def _write(path: str, who: str, count: str) -> None:
    """Write runs by turns through a RunWriter and as one batch."""
    from db.runs.writer import MetricValue, RunWriter, metrics_change
    from db.storage.store import Store
    from tests.factories.rows import change, model_facts, run_facts, run_row

    store = Store(Path(path))
    journalled = 0
    for number in range(int(count)):
        run_id = f"{who}-{number:03d}"
        figures = [MetricValue(name, 0.5 + number / 1000) for name in FIGURES]
        if number % 2:
            points = [
                {"run_id": run_id, "series": "loss", "step": step, "value": 1.0 / step} for step in range(1, POINTS + 1)
            ]
            batch = [change("runs", run_row(run_id)), change("curves", *points), metrics_change(run_id, figures)]
            journalled += store.write(batch) == "journalled"
            continue
        writer = RunWriter.start(store, model_facts(), run_facts(name=run_id), run_id)
        for step in range(1, POINTS + 1):
            writer.point("loss", step, 1.0 / step, epoch=float(step), wall_time=float(step))
        writer.finish(figures, train_seconds=1.0)
    print(json.dumps({"journalled": journalled}))


def _read(path: str, stop: str) -> None:
    """Read until the stop file is there; report every error and every finished run that was seen in part."""
    from db.leaderboard.board import board
    from db.storage.store import Store

    store, reads, torn, errors = Store(Path(path)), 0, [], []
    while not Path(stop).exists():
        try:
            rows = store.query(
                "SELECT run_id, (SELECT count(*) FROM metrics m WHERE m.run_id = r.run_id) AS figures, "
                "(SELECT count(*) FROM curves c WHERE c.run_id = r.run_id) AS points FROM runs r "
                "WHERE status = 'finished'"
            )
            torn += rows[(rows["figures"] != len(FIGURES)) | (rows["points"] != POINTS)]["run_id"].tolist()
            board(store, "nsmc")
            reads += 1
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
    print(json.dumps({"reads": reads, "torn": torn, "errors": errors}))


def _killed(path: str, model_id: str) -> None:
    """Commit one row, then die without closing the database."""
    import duckdb

    con = duckdb.connect(path)
    con.execute(
        "INSERT INTO models (model_id, name, family, architecture, config) VALUES (?, 'n', 'f', 'a', '{}')", [model_id]
    )
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    {"hold": _hold, "write": _write, "read": _read, "killed": _killed}[sys.argv[1]](*sys.argv[2:])
