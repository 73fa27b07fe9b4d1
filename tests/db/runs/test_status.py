"""Runs whose process is gone, and runs that are finished already."""

import os
import socket
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

from db.base.clock import utc_now
from db.runs.status import _RUNNING, DEAD_AFTER_S, finished, mark_dead
from db.runs.writer import new_run_id
from db.storage import journal
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, contents, run_row, value_of

HOST = socket.gethostname()


def _gone() -> int:
    """The id of a process that has just ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def _status(empty: Store, run_id: str) -> str:
    return value_of(empty, "SELECT status FROM runs WHERE run_id = ?", run_id)


def _running(empty: Store, **columns: Any) -> str:
    """A running run; all of its facts are those of this process unless told otherwise."""
    values = {"status": "running", "heartbeat": utc_now(), "host": HOST, "pid": os.getpid(), **columns}
    run_id = new_run_id()
    empty.write([change("runs", run_row(run_id, **values))])
    return run_id


def test_run_whose_process_is_gone_is_interrupted(empty: Store) -> None:
    """A running run of this host whose process no longer exists is marked, one that lives is not."""
    dead, alive = _running(empty, pid=_gone()), _running(empty)
    assert mark_dead(empty) == [dead]
    assert _status(empty, dead) == "interrupted"
    assert _status(empty, alive) == "running"
    assert mark_dead(empty) == [], "a run was marked twice"


def test_run_of_another_host_is_judged_by_its_heartbeat(empty: Store) -> None:
    """Another host's process cannot be looked at: its run is dead when the heartbeat is old, and only then."""
    old = utc_now() - timedelta(seconds=DEAD_AFTER_S + 5)
    young = utc_now() - timedelta(seconds=DEAD_AFTER_S - 30)
    silent = _running(empty, host="pi", pid=_gone(), heartbeat=old)
    beating = _running(empty, host="pi", pid=_gone(), heartbeat=young)
    assert mark_dead(empty) == [silent]
    assert _status(empty, beating) == "running"


def test_run_without_a_process_is_judged_by_its_heartbeat(empty: Store) -> None:
    """A running run that names no process, and one that names no host, are dead when the heartbeat is old."""
    young = [_running(empty, pid=None), _running(empty, pid=None, host=None)]
    old = _running(empty, pid=None, heartbeat=utc_now() - timedelta(days=1))
    assert mark_dead(empty) == [old]
    assert [_status(empty, run_id) for run_id in young] == ["running", "running"]


@pytest.mark.parametrize("status", ["finished", "failed", "interrupted", "diverged"])
def test_only_running_runs_can_die(empty: Store, status: str) -> None:
    """A run that has ended is never marked, however old its heartbeat."""
    _running(empty, status=status, pid=_gone(), heartbeat=utc_now() - timedelta(days=9))
    before = contents(empty)
    assert mark_dead(empty) == []
    assert contents(empty) == before


def test_run_whose_end_waits_in_the_journal_is_not_dead(empty: Store) -> None:
    """A run that finished into the journal before its process ended stays finished."""
    run_id = _running(empty, pid=_gone())
    end = {"run_id": run_id, "status": "finished", "updated_at": utc_now()}
    journal.put(empty.path, [change("runs", end, mode="update")])
    assert mark_dead(empty) == []
    assert _status(empty, run_id) == "finished"


def test_marking_leaves_a_busy_database_alone(empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the database is busy after the look, nothing is marked, nor journalled that could come too late."""
    run_id = _running(empty, pid=_gone())
    impatient = Store(empty.path, wait_s=0.1)
    seen = impatient.query(_RUNNING)
    monkeypatch.setattr(impatient, "query", lambda _: seen)
    with processes.held(empty.path):
        assert mark_dead(impatient) == []
    assert journal.waiting(empty.path) == []
    assert _status(empty, run_id) == "running"


def test_finished_runs_are_those_of_the_same_recipe_data_and_seed(empty: Store) -> None:
    """Only finished measured runs with the same recipe, data and seed are found, the newest first."""
    same = {"recipe_hash": "r", "dataset_hash": "d", "seed": 1}
    now = utc_now()
    rows = [
        run_row("older", **same, created_at=now - timedelta(hours=1)),
        run_row("newest", **same, created_at=now),
        run_row("other-recipe", **{**same, "recipe_hash": "x"}, created_at=now + timedelta(hours=1)),
        run_row("other-data", **{**same, "dataset_hash": "x"}, created_at=now + timedelta(hours=1)),
        run_row("other-seed", **{**same, "seed": 2}, created_at=now + timedelta(hours=1)),
        run_row("unfinished", **same, status="interrupted", created_at=now + timedelta(hours=1)),
        run_row("diverged", **same, status="diverged", created_at=now + timedelta(hours=1)),
        run_row("claimed", **same, source="submitted", created_at=now + timedelta(hours=1)),
    ]
    empty.write([change("runs", *rows)])
    assert finished(empty, "r", "d", 1) == ["newest", "older"]
    assert finished(empty, "r", "d", 3) == []
