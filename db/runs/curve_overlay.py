"""Curves of several runs, thinned for drawing them over each other."""

from collections.abc import Sequence

import pandas as pd

from db.runs.curves import MOST, thinned
from db.storage.store import Store


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
    """The points of some curves of some runs; see ``db.runs.curves.thinned``."""
    with store.read() as con:
        return thinned(con, run_ids, names, most)
