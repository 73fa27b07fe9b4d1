"""Where a run fails: its figures on parts of the split, as rows of a table and a sentence."""

import pandas as pd

from db import formats
from db.metrics import known


def lead(parts: pd.DataFrame) -> str:
    """The weakest and the strongest part that the data can tell apart, in one sentence; empty where there are none.

    Args:
        parts: Rows of ``db.slices.of_run``.
    """
    clear = []
    for (facet, _), rows in parts.groupby(["facet", "name"], sort=False):
        low = rows.loc[rows["value"].idxmin()]
        high = rows.loc[rows["value"].idxmax()]
        if pd.notna(low["high"]) and pd.notna(high["low"]) and low["high"] < high["low"]:
            clear.append((float(high["value"] - low["value"]), str(facet), low, high))
    if not clear:
        return ""
    _, facet, low, high = max(clear, key=lambda one: one[0])
    metric = known(str(low["name"]))
    return (
        f"By {facet}: {formats.value(metric, low['value'])} on \u201c{low['part']}\u201d, "
        f"{formats.value(metric, high['value'])} on \u201c{high['part']}\u201d."
    )


def table(parts: pd.DataFrame, facet: str) -> pd.DataFrame:
    """One row a part of one facet, weakest first, as text; columns are the part, the figure, its interval, examples.

    Of several figures the first counts: two cannot stand in one column.
    """
    rows = parts[parts["facet"] == facet]
    rows = rows[rows["name"] == rows["name"].iloc[0]].sort_values(["value", "part"])
    metric = known(str(rows["name"].iloc[0]))
    return pd.DataFrame(
        {
            facet.capitalize(): rows["part"].tolist(),
            metric.label: [formats.value(metric, value) for value in rows["value"]],
            "95% interval": [
                f"{formats.value(metric, low)} to {formats.value(metric, high)}" if pd.notna(low) else formats.DASH
                for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
            "Examples": [f"{count:,}" for count in rows["n"]],
        }
    )
