"""Numbers in the visitor's language: ``db.registry.formats`` with words for durations, intervals and seeds."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.ui.i18n import N_, _
from db.registry import formats
from db.registry.metrics import Metric

RUN_DURATIONS = {"s": N_("{s} s"), "min": N_("{min} min {s} s"), "h": N_("{h} h {min} min")}
RUN_ABOUT = {"s": N_("{s} s"), "min": N_("{min} min"), "h": N_("{h} h {min} min")}


def duration(seconds: float | None) -> str:
    """A duration in its largest fitting units: ``850 ms``, ``12.3 s``, ``4 min 05 s``, ``2 h 49 min``."""
    if seconds is None or math.isnan(seconds):
        return formats.DASH
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return _(RUN_DURATIONS["s"]).format(s=f"{seconds:.1f}")
    whole = round(seconds)
    if whole < 3600:
        return _(RUN_DURATIONS["min"]).format(min=whole // 60, s=f"{whole % 60:02d}")
    return _(RUN_DURATIONS["h"]).format(h=whole // 3600, min=f"{whole % 3600 // 60:02d}")


def about(seconds: float) -> str:
    """A rough duration, as exact as it is known: tens of seconds, whole minutes, five minutes above an hour."""
    if seconds < 55:
        return _(RUN_ABOUT["s"]).format(s=max(10, 10 * round(seconds / 10)))
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return _(RUN_ABOUT["min"]).format(min=minutes)
    minutes = 5 * round(minutes / 5)
    return _(RUN_ABOUT["h"]).format(h=minutes // 60, min=f"{minutes % 60:02d}")


def value(metric: Metric, number: float | None) -> str:
    """A metric's stored value with its unit."""
    return duration(number) if metric.unit == "s" else formats.value(metric, number)


def interval(metric: Metric, low: float | None, high: float | None) -> str | None:
    """Both ends of an interval; None where there is none."""
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return None
    return _("{low} to {high}").format(low=value(metric, low), high=value(metric, high))


def over_seeds(metric: Metric, mean: float, spread: float, seeds: int) -> str:
    """A mean with its standard deviation: ``87.71% ± 0.06 over 3 seeds``."""
    around = f"{100 * spread:.2f}" if metric.unit == "percent" else f"{spread:.2g}"
    return _("{mean} ± {spread} over {n} seeds").format(mean=value(metric, mean), spread=around, n=seeds)


def cut(words: object, limit: int) -> str:
    """Text from outside in one line, with an ellipsis where it is longer than ``most`` characters."""
    text = " ".join(str(words).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


@dataclass(frozen=True)
class Scale:
    """The common scale of the intervals on a page, in the metric's stored unit."""

    low: float
    high: float

    def position(self, value: float) -> int:
        """Return where a value lies between the ends, 0 to 1000."""
        span = self.high - self.low
        return 500 if span <= 0 else round(1000 * (value - self.low) / span)


def scale(lows: NDArray[np.float64], scores: NDArray[np.float64], highs: NDArray[np.float64]) -> Scale:
    """Return the scale from the lowest to the highest end of some rows."""
    known = np.concatenate([lows, scores, highs])
    known = known[~np.isnan(known)]
    return Scale(float(known.min()), float(known.max())) if len(known) else Scale(0.0, 0.0)
