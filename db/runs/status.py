"""The status that people read: a running run whose process has died is shown as interrupted before anybody marks it."""

from datetime import datetime, timedelta

from db.base.clock import utc_now
from db.runs.writer import DEAD_AFTER_S

STATUS = "CASE WHEN r.status = 'running' AND r.heartbeat < $limit THEN 'interrupted' ELSE r.status END AS status"
"""A column of a query on ``runs r``; the parameter ``limit`` is ``silent_since()``."""


ON_BOARD = "NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id)"
"""A condition of a query on ``runs r``: nobody has withdrawn the run."""


def silent_since() -> datetime:
    """A running run whose last sign of life is older than this has died."""
    return utc_now() - timedelta(seconds=DEAD_AFTER_S)
