"""How far a training is, and how long it still takes: from its curves and its recipe."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

_RECENT = 20
"""Points that tell how fast it goes now; a machine may be busier than it was at the start."""


@dataclass(frozen=True)
class Progress:
    """How far a training is.

    Attributes:
        epoch: Epochs done, with their fraction.
        epochs: Epochs at most.
        seconds_left: Of the training loop; None where it cannot be told.
        may_stop: It ends sooner when validation stops improving.
    """

    epoch: float
    epochs: int
    seconds_left: float | None
    may_stop: bool

    @property
    def share(self) -> float:
        """Of the training that is done, 0 to 1."""
        return min(1.0, self.epoch / self.epochs)


def of(curves: pd.DataFrame, recipe: Mapping[str, Any]) -> Progress | None:
    """The progress of a training; None where its recipe has no epochs or its curves no training loss yet.

    An ensemble trains one member after another, each with curves of its own: nothing tells how long the later ones
    take, so there is none either.

    Args:
        curves: Columns ``series, step, epoch, value, wall_time``.
        recipe: The run's recipe.
    """
    settings = recipe.get("train")
    epochs = settings.get("epochs") if isinstance(settings, Mapping) else None
    if not isinstance(settings, Mapping) or not isinstance(epochs, int) or epochs < 1:
        return None
    points = curves[curves["series"] == "train_loss"].dropna(subset=["epoch"]).sort_values("step")
    if points.empty:
        return None
    epoch = float(points["epoch"].iloc[-1])
    return Progress(epoch, epochs, _left(points, epochs), bool(settings.get("patience")))


def _left(points: pd.DataFrame, epochs: int) -> float | None:
    timed = points.dropna(subset=["wall_time"]).tail(_RECENT)
    if len(timed) < 2:
        return None
    done, took = np.ptp(timed["epoch"].to_numpy()), np.ptp(timed["wall_time"].to_numpy())
    if done <= 0 or took <= 0:
        return None
    return max(0.0, float((epochs - timed["epoch"].iloc[-1]) * took / done))
