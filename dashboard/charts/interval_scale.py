"""The scale on which tables draw the intervals of their rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scale:
    """The scale that all intervals of a page share, in the metric's stored unit."""

    low: float
    high: float

    def place(self, value: float) -> int:
        """Return the position of a value, from 0 to 1000."""
        span = self.high - self.low
        return 500 if span <= 0 else round(1000 * (value - self.low) / span)


def scale(lows: NDArray[np.float64], scores: NDArray[np.float64], highs: NDArray[np.float64]) -> Scale:
    """Make the scale from the lowest to the highest end of some rows."""
    known = np.concatenate([lows, scores, highs])
    known = known[~np.isnan(known)]
    return Scale(float(known.min()), float(known.max())) if len(known) else Scale(0.0, 0.0)
