"""Curves, thinned for drawing: a figure a thousand pixels wide shows no more."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from db.storage.store import Store

MAX_POINTS = 1000
"""Points of one line that are read."""


def thinned(
    con: Any, run_ids: Sequence[str], names: Sequence[str] | None = None, limit: int = MAX_POINTS
) -> pd.DataFrame:
    """The points of some curves of some runs.

    A line of more than ``limit`` points is cut into equally long stretches; of each its lowest and its highest point
    stay, so that a spike is never thinned away, and of the whole the first and the last.

    Args:
        con: An open connection.
        run_ids: Whole ids.
        names: Of the series; None: all.
        limit: Points of one line, at least 4.

    Returns:
        ``run_id, series, step, epoch, wall_time, value, mean``, by run, series and step. ``mean`` is that of the
        point's stretch, the value itself where nothing was thinned: smoothing the extremes would follow the noise.
    """
    return con.execute(
        """
        WITH points AS (
            SELECT run_id, series, step, epoch, wall_time, value, count(*) OVER line AS n,
                   row_number() OVER (line ORDER BY step) AS place,
                   ntile($stretches) OVER (line ORDER BY step) AS stretch
            FROM curves WHERE list_contains($runs, run_id) AND ($all OR list_contains($names, series))
            WINDOW line AS (PARTITION BY run_id, series)
        )
        SELECT run_id, series, step, epoch, wall_time, value,
               CASE WHEN n <= $points THEN value ELSE avg(value) OVER (PARTITION BY run_id, series, stretch) END AS mean
        FROM points
        QUALIFY n <= $points OR place IN (1, n)
            OR row_number() OVER (PARTITION BY run_id, series, stretch ORDER BY value, step) = 1
            OR row_number() OVER (PARTITION BY run_id, series, stretch ORDER BY value DESC, step) = 1
        ORDER BY run_id, series, step
        """,
        {
            "runs": list(run_ids),
            "all": names is None,
            "names": list(names or ()),
            "points": limit,
            "stretches": limit // 2 - 1,
        },
    ).df()


def of_run(con: Any, run_id: str, limit: int = MAX_POINTS) -> pd.DataFrame:
    """The curves of a run as ``series, step, epoch, value, wall_time``, by series and step; see ``thinned``."""
    return thinned(con, [run_id], limit=limit)[["series", "step", "epoch", "value", "wall_time"]]


def series(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """Which curves runs have: ``series, runs, points``, those of most runs first."""
    return store.query(
        """
        SELECT series, count(DISTINCT run_id) AS runs, count(*) AS points
        FROM curves WHERE list_contains($runs, run_id) GROUP BY series ORDER BY runs DESC, points DESC, series
        """,
        {"runs": list(run_ids)},
    )


def lines(store: Store, run_ids: Sequence[str], names: Sequence[str], limit: int = MAX_POINTS) -> pd.DataFrame:
    """The points of some curves of some runs; see ``thinned``."""
    with store.read() as con:
        return thinned(con, run_ids, names, limit)
