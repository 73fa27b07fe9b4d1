"""The curves of a run, thinned for drawing: a figure a thousand pixels wide shows no more."""

from typing import Any

import pandas as pd

MOST = 1000
"""Points of one series that are read."""


def of_run(con: Any, run_id: str, most: int = MOST) -> pd.DataFrame:
    """The curves of a run as ``series, step, epoch, value, wall_time``, by series and step.

    A series of more than ``most`` points is cut into equally long stretches; of each its lowest and its highest point
    stay, so that a spike is never thinned away, and of the whole the first and the last.

    Args:
        con: An open connection.
        run_id: A whole id.
        most: Points of one series, at least 4.
    """
    return con.execute(
        """
        WITH points AS (
            SELECT series, step, epoch, value, wall_time, count(*) OVER whole AS n,
                   row_number() OVER (whole ORDER BY step) AS place,
                   ntile($stretches) OVER (whole ORDER BY step) AS stretch
            FROM curves WHERE run_id = $run WINDOW whole AS (PARTITION BY series)
        )
        SELECT series, step, epoch, value, wall_time FROM points
        QUALIFY n <= $most OR place IN (1, n)
            OR row_number() OVER (PARTITION BY series, stretch ORDER BY value, step) = 1
            OR row_number() OVER (PARTITION BY series, stretch ORDER BY value DESC, step) = 1
        ORDER BY series, step
        """,
        {"run": run_id, "most": most, "stretches": most // 2 - 1},
    ).df()
