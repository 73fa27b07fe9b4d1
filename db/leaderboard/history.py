"""What changed on the boards: new, replaced and withdrawn runs, and new best scores."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pandas as pd

from db.leaderboard.board import Board
from db.storage.store import Store

MAX_EVENTS = 200
"""Events in a list, the newest."""

_LATEST = "(SELECT * FROM tasks QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY version DESC) = 1)"

# Runs that come with the package would fill the list, so they are counted instead. Receiving a newer version changes
# `received_at`, so of a replaced run the time of the training stands for its arrival. A withdrawn score beats none.
_EVENTS = f"""
    WITH scored AS (
        SELECT r.run_id, r.task_id, t.name AS task_name, m.name AS model, r.name, r.seed, r.source, r.verified,
               t.metric, p.value AS score, p.low, p.high, w.withdrawn_at, w.reason,
               CASE t.direction WHEN 'max' THEN 1 ELSE -1 END AS sign, p.value * sign AS quality,
               CASE WHEN r.run_id IN (SELECT run_id FROM run_versions) THEN coalesce(r.finished_at, r.created_at)
                    ELSE coalesce(v.received_at, r.finished_at, r.created_at) END AS arrived,
               r.source = 'reported' OR coalesce(v.origin = 'shipped', false) AS shipped
        FROM runs r
        JOIN models m USING (model_id)
        JOIN {_LATEST} t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        LEFT JOIN provenance v ON v.run_id = r.run_id
        LEFT JOIN withdrawals w ON w.run_id = r.run_id
        WHERE r.status = 'finished'
    ), ranked AS (
        SELECT *, max(quality) FILTER (source <> 'reported' AND withdrawn_at IS NULL) OVER (
                   PARTITION BY task_id ORDER BY arrived, run_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
               ) AS before
        FROM scored
    )
    SELECT * EXCLUDE (version) FROM (
        SELECT arrived AS happened_at,
               CASE WHEN quality > before AND withdrawn_at IS NULL THEN 'best' ELSE 'new' END AS kind, run_id, task_id,
               task_name, model, name, seed, source, verified, metric, score, low, high, before * sign AS former,
               NULL::VARCHAR AS reason, 0 AS version
        FROM ranked WHERE NOT shipped
        UNION ALL
        SELECT v.replaced_at, 'replaced', run_id, task_id, task_name, model, s.name, seed, source, verified, metric,
               score, low, high, json_extract(v.figures, '$."' || metric || '"')::DOUBLE, NULL, v.version
        FROM run_versions v JOIN scored s USING (run_id)
        UNION ALL
        SELECT withdrawn_at, 'withdrawn', run_id, task_id, task_name, model, name, seed, source, verified, metric,
               score, low, high, NULL, reason, 0
        FROM scored WHERE withdrawn_at IS NOT NULL
    )
    ORDER BY happened_at DESC, run_id, version DESC, kind DESC LIMIT $rows
"""  # noqa: S608 - the interpolated text is a constant

_SHIPPED = """
    SELECT count(*) AS runs, max(coalesce(v.received_at, r.created_at)) AS arrived
    FROM runs r LEFT JOIN provenance v USING (run_id)
    WHERE r.source = 'reported' OR v.origin = 'shipped'
"""


@dataclass(frozen=True, eq=False)
class History:
    """What changed.

    Attributes:
        events: The newest first: ``happened_at, kind`` (``new``, ``best``, ``replaced`` or ``withdrawn``), ``run_id,
            task_id, task_name, model, name, seed, source, verified, metric, score, low, high, former`` (the best score
            before, or that of the replaced version) and ``reason``.
        shipped: Runs that came with the package.
        shipped_at: When the last of them came; None without any.
    """

    events: pd.DataFrame
    shipped: int
    shipped_at: datetime | None


def history(store: Store, limit: int = MAX_EVENTS) -> History:
    """Read what changed last."""
    with store.read() as con:
        events = con.execute(_EVENTS, {"rows": limit}).df()
        runs, arrived = con.execute(_SHIPPED).fetchone() or (0, None)
    return History(events, int(runs), arrived)


def arrivals(changes: History, board: Board) -> dict[int, int]:
    """Return when the newest run behind a row came, in seconds since 1970, by the position of the row.

    Args:
        changes: What changed; rows whose runs are older than its events, shipped or printed are left out.
        board: The board.
    """
    events = changes.events
    events = events[(events["task_id"] == board.task["task_id"]) & events["kind"].isin(["new", "best"])]
    came = dict(zip(events["run_id"], events["happened_at"].astype("datetime64[s]").astype("int64"), strict=True))
    runs = np.flatnonzero(board.runs["run_id"].isin(came))
    rows = np.searchsorted(board.starts, runs, side="right") - 1
    newest: dict[int, int] = {}
    for row, run_id in zip(rows.tolist(), board.runs["run_id"].iloc[runs], strict=True):
        newest[row] = max(newest.get(row, 0), int(came[run_id]))
    return newest
