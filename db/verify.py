"""Re-scoring a run from its per-example predictions: what the badge *verified* means."""

import pandas as pd

from db.changes import Change
from db.clock import utc_now
from db.store import Store

TOLERANCE = 5e-5
"""Half of the last digit of a percentage with two decimals."""


def verify_accuracy(store: Store, run_id: str) -> bool:
    """Score a classification run again from its predictions, store the verdict and return it.

    A run is verified when it predicts every example of its task's split exactly once and the share of right ones
    agrees with its accuracy to ``TOLERANCE``.
    """
    found = store.query(
        """
        SELECT m.value AS claimed, t.split_size, count(p.example_id) AS n, count(DISTINCT p.example_id) AS ids,
               avg(coalesce(p.gold = p.predicted, false)::INT) AS share
        FROM runs r
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics m ON m.run_id = r.run_id AND m.name = 'accuracy'
        LEFT JOIN predictions p ON p.run_id = r.run_id
        WHERE r.run_id = ? GROUP BY ALL
        """,
        [run_id],
    )
    if found.empty:
        return False
    row = found.iloc[0]
    complete = pd.notna(row["split_size"]) and row["n"] == row["ids"] == row["split_size"]
    verified = bool(complete and abs(row["claimed"] - row["share"]) <= TOLERANCE)
    store.write(
        [Change("runs", pd.DataFrame([{"run_id": run_id, "verified": verified, "updated_at": utc_now()}]), "update")]
    )
    return verified
