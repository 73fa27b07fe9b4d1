"""Curves of several runs, thinned for drawing them over each other."""

from collections.abc import Sequence

import pandas as pd

from db.store import Store

MOST = 1000
"""Points of one line: a figure a thousand pixels wide shows no more."""


def series(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """Which curves runs have: ``series, runs, points``, those of most runs first."""
    return store.query(
        """
        SELECT series, count(DISTINCT run_id) AS runs, count(*) AS points
        FROM curves WHERE list_contains($runs, run_id) GROUP BY series ORDER BY runs DESC, points DESC, series
        """,
        {"runs": list(run_ids)},
    )


def lines(store: Store, run_ids: Sequence[str], names: Sequence[str], most: int = MOST) -> pd.DataFrame:
    """The points of some curves of some runs.

    A line of more than ``most`` points is cut into equally long stretches; of each its lowest and its highest point
    stay, so that a spike is never thinned away, and of the whole the first and the last.

    Args:
        store: The database.
        run_ids: Whole ids.
        names: Of the series.
        most: Points of one line, at least 4.

    Returns:
        ``run_id, series, step, epoch, wall_time, value, mean``, by run, series and step. ``mean`` is that of the
        point's stretch, the value itself where nothing was thinned: smoothing the extremes would follow the noise.
    """
    return store.query(
        """
        WITH points AS (
            SELECT run_id, series, step, epoch, wall_time, value, count(*) OVER line AS n,
                   row_number() OVER (line ORDER BY step) AS place,
                   ntile($stretches) OVER (line ORDER BY step) AS stretch
            FROM curves WHERE list_contains($runs, run_id) AND list_contains($names, series)
            WINDOW line AS (PARTITION BY run_id, series)
        )
        SELECT run_id, series, step, epoch, wall_time, value,
               CASE WHEN n <= $most THEN value ELSE avg(value) OVER (PARTITION BY run_id, series, stretch) END AS mean
        FROM points
        QUALIFY n <= $most OR place IN (1, n)
            OR row_number() OVER (PARTITION BY run_id, series, stretch ORDER BY value, step) = 1
            OR row_number() OVER (PARTITION BY run_id, series, stretch ORDER BY value DESC, step) = 1
        ORDER BY run_id, series, step
        """,
        {"runs": list(run_ids), "names": list(names), "most": most, "stretches": most // 2 - 1},
    )
