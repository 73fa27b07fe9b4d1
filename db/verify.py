"""Re-scoring runs from their per-example predictions: what the badge *verified* means."""

from collections.abc import Sequence

import duckdb
import pandas as pd

TOLERANCE = 5e-5
"""Half of the last digit of a percentage with two decimals."""


def agrees(predictions: pd.DataFrame, accuracy: float, split_size: int | None) -> bool:
    """Whether predictions are those of a whole split and give the accuracy that is claimed.

    Args:
        predictions: Columns ``example_id, gold, predicted``; an unanswered example is a wrong one.
        accuracy: The claim, a fraction of 1.
        split_size: Examples of the task's split; None where there is no single split, and nothing can be verified.
    """
    complete = len(predictions) == predictions["example_id"].nunique() == split_size
    right = (predictions["gold"] == predictions["predicted"]).fillna(False)
    return bool(complete and abs(accuracy - right.mean()) <= TOLERANCE)


def rescore(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """Score runs that came from elsewhere again, and let their badge say what was found; whatever it said before."""
    con.execute("UPDATE runs SET verified = false WHERE run_id IN (SELECT unnest(?))", [list(run_ids)])
    claims = con.execute(
        """
        SELECT r.run_id, m.value, t.split_size
        FROM runs r
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics m ON m.run_id = r.run_id AND m.name = 'accuracy'
        WHERE r.run_id IN (SELECT unnest(?))
        """,
        [list(run_ids)],
    ).fetchall()
    for run_id, value, split_size in claims:
        rows = con.execute("SELECT example_id, gold, predicted FROM predictions WHERE run_id = ?", [run_id]).df()
        if agrees(rows, value, split_size):
            con.execute("UPDATE runs SET verified = true WHERE run_id = ?", [run_id])
