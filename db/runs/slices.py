"""Figures of parts of a split: where a run fails."""

import pandas as pd

from db.storage.store import Store


def of_run(store: Store, run_id: str) -> pd.DataFrame:
    """The parts of a run as ``facet, part, name, value, n, low, high``, by facet and falling number of examples."""
    return store.query(
        "SELECT facet, part, name, value, n, low, high FROM slices WHERE run_id = ? ORDER BY facet, n DESC, part",
        [run_id],
    )
