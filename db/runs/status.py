"""Which runs of a recipe exist, and which running ones have died: shown as interrupted before they are marked.

A run of another machine, which comes in bundles and without a host, is silent instead: it may go on there.
"""

import logging
import os
import socket
from datetime import datetime, timedelta

import pandas as pd

from db.base.clock import utc_now
from db.base.errors import StoreBusyError
from db.storage import changes
from db.storage.changes import Change
from db.storage.store import Store

_LOG = logging.getLogger("featherboard.runs")

DEAD_AFTER_S = 120.0
"""A running run without a heartbeat for this long has died: long steps beat at every tick of their progress bar."""

STATUS = """CASE WHEN r.status = 'running' AND r.heartbeat < $limit
                THEN CASE WHEN r.host IS NULL THEN 'silent' ELSE 'interrupted' END ELSE r.status END AS status"""
"""A column of a query on ``runs r``; the parameter ``limit`` is ``silent_since()``."""

ON_BOARD = "NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id)"
"""A condition of a query on ``runs r``: nobody has withdrawn the run."""


def silent_since() -> datetime:
    """A running run whose last sign of life is older than this has died."""
    return utc_now() - timedelta(seconds=DEAD_AFTER_S)


def mark_dead(store: Store) -> list[str]:
    """Mark runs as interrupted whose process is gone, and return their ids.

    A process is gone when it ran on this host and no longer exists, or when it ran elsewhere and its heartbeat is older
    than ``DEAD_AFTER_S``. While the database is busy nothing is marked; boards show such a run as interrupted anyway.
    """
    try:
        if not _dead(store.query(_RUNNING)):
            return []
        with store.transaction() as con:  # which first takes in the journal, where a run's end may wait
            dead = _dead(con.execute(_RUNNING).df())
            rows = pd.DataFrame({"run_id": dead, "status": "interrupted", "updated_at": utc_now()})
            changes.apply_all(con, [Change("runs", rows, "update")])
    except StoreBusyError:
        return []
    _LOG.info("%d run(s) whose process is gone are now marked as interrupted", len(dead))
    return dead


_RUNNING = "SELECT run_id, host, pid, heartbeat FROM runs WHERE status = 'running' AND host IS NOT NULL"


def _dead(running: pd.DataFrame) -> list[str]:
    limit = silent_since()
    host = socket.gethostname()
    return [
        str(row.run_id)
        for row in running.itertuples()
        if (not _alive(int(row.pid)) if row.host == host and pd.notna(row.pid) else row.heartbeat < limit)
    ]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def finished(store: Store, recipe_hash: str, dataset_hash: str, seed: int) -> list[str]:
    """The finished measured runs of the same recipe, data and seed, newest first."""
    return [run_id for run_id, status in alike(store, recipe_hash, dataset_hash, seed) if status == "finished"]


def of_recipe(store: Store, recipe_hash: str, task_id: str, seed: int) -> list[str]:
    """The finished measured runs of a recipe and a seed on one board, whatever their data, newest first."""
    return [run_id for run_id, status in _measured(store, recipe_hash, seed, task_id=task_id) if status == "finished"]


def alike(store: Store, recipe_hash: str, dataset_hash: str, seed: int) -> list[tuple[str, str]]:
    """All measured runs of the same recipe, data and seed as (run id, status), newest first."""
    return _measured(store, recipe_hash, seed, dataset_hash=dataset_hash)


def _measured(store: Store, recipe_hash: str, seed: int, **where: str) -> list[tuple[str, str]]:
    ((column, value),) = where.items()
    rows = store.query(
        f"SELECT run_id, {STATUS} FROM runs r WHERE recipe_hash = $recipe AND seed = $seed AND {column} = $value "  # noqa: S608 - a column
        "AND source = 'measured' ORDER BY created_at DESC, run_id",
        {"recipe": recipe_hash, "seed": seed, "value": value, "limit": silent_since()},
    )
    return [(str(run_id), str(status)) for run_id, status in rows.itertuples(index=False)]
