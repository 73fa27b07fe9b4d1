"""What the rows of a board can be narrowed by: the names that occur, and the reach of its costs."""

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from dashboard.ui.formatting import floats
from db.leaderboard.board import Board
from db.leaderboard.filters import Range

NAMED = {
    "families": "family",
    "sources": "source",
    "statuses": "status",
    "devices": "device",
    "datasets": "dataset",
    "tags": "tags",
}
RANGED = {"params": "params", "latency_ms": "latency_ms_p50", "size_bytes": "checkpoint_bytes"}
"""The columns of a board that the fields of a filter narrow, by names and by a range."""

STEPS = (1, 3)
"""Stops of a range within a power of ten."""


@dataclass(frozen=True)
class Reach:
    """The least and the greatest figure of a column; NaN where nobody gave one."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there is a figure."""
        return not math.isnan(self.low)

    def stops(self, ends: Range) -> list[float]:
        """Round numbers around all figures, evenly spaced on a log scale, and the ends of a range that is in use."""
        ends_in_use = [end for end in ends if end is not None]
        if not self.known:
            return ends_in_use
        low, high = max(self.low, 1e-9), max(self.high, 1e-9)
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        round_ones = [step * 10.0**power for power in powers for step in STEPS]
        first = max((stop for stop in round_ones if stop <= low), default=round_ones[0])
        last = min((stop for stop in round_ones if stop >= high), default=round_ones[-1])
        return sorted({float(f"{stop:.6g}") for stop in round_ones if first <= stop <= last} | set(ends_in_use))


@dataclass(frozen=True)
class Facets:
    """Of one board, by the fields of a filter: names in alphabetical order, and reaches."""

    names: dict[str, tuple[str, ...]]
    reaches: dict[str, Reach]
    verified: tuple[bool, ...]


_KNOWN: "WeakKeyDictionary[Board, Facets]" = WeakKeyDictionary()


def facets(board: Board) -> Facets:
    """Worked out once for each board that is held."""
    known = _KNOWN.get(board)
    if known is None:
        rows = board.rows
        names = {field: _names(rows[column]) for field, column in NAMED.items()}
        known = _KNOWN[board] = Facets(
            names | {"tags": _names(rows["tags"].str.split().explode())},
            {field: _reach(rows[column]) for field, column in RANGED.items()},
            tuple(sorted(bool(value) for value in pd.unique(rows["verified"]))),
        )
    return known


def _names(values: pd.Series) -> tuple[str, ...]:
    return tuple(sorted({str(value) for value in values.dropna().unique()}, key=lambda name: (name.casefold(), name)))


def _reach(values: pd.Series) -> Reach:
    known = floats(values)
    known = known[np.isfinite(known)]
    return Reach(float(known.min()), float(known.max())) if len(known) else Reach(float("nan"), float("nan"))
