"""Numbers in the visitor's language: ``db.registry.formats`` with words for durations, intervals and seeds."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.labels import STATUS
from db.base.clock import utc_now
from db.registry import formats
from db.registry.metrics import Metric

BOARD_UNITS = {
    "percent": "%",
    "ms": "ms",
    "s": N_("s"),
    "min": N_("min"),
    "bytes": N_("bytes"),
    "per_s": N_("per s"),
    "points": N_("points"),
    "plain": "",
    "count": "",
    "joules": "J",
    "usd": "US$",
}
RUN_DURATIONS = {"s": N_("{s} s"), "min": N_("{min} min {s} s"), "h": N_("{h} h {min} min")}
RUN_ABOUT = {"s": N_("{s} s"), "min": N_("{min} min"), "h": N_("{h} h {min} min")}


def duration(seconds: float | None) -> str:
    """Format a duration in its largest fitting units: ``850 ms``, ``12.3 s``, ``4 min 05 s``, ``2 h 49 min``."""
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


def one_line(text: str) -> str:
    """A text without line breaks and signs that nobody sees, so that what is copied is what is read."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def stored(text: Any) -> Any:
    """Word what a run keeps in English, a part of a data set and threads, in the visitor's language."""
    if not isinstance(text, str):
        return text
    text = re.sub(r"\(([\d,]+) drawn\)", lambda match: _("({n} drawn)").format(n=match[1]), text)
    return re.sub(r"(\d+) thread\(s\)", lambda match: ngettext("{n} thread", "{n} threads", int(match[1])), text)


def about(seconds: float) -> str:
    """Format a rough duration, as exact as it is known: tens of seconds, whole minutes, five minutes above an hour."""
    if seconds < 55:
        return _(RUN_ABOUT["s"]).format(s=max(10, 10 * round(seconds / 10)))
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return _(RUN_ABOUT["min"]).format(min=minutes)
    minutes = 5 * round(minutes / 5)
    return _(RUN_ABOUT["h"]).format(h=minutes // 60, min=f"{minutes % 60:02d}")


def value(metric: Metric, number: float | None) -> str:
    """Format a metric's stored value with its unit."""
    return duration(number) if metric.unit == "s" else formats.value(metric, number)


def claimed_and_computed(metric: Metric, claimed: float | None, computed: float, *, agrees: bool) -> tuple[str, str]:
    """Format both values; where the decimals of the board hide a difference, with more digits."""
    texts = value(metric, claimed), value(metric, computed)
    hidden = texts[0] == texts[1] and not agrees and claimed is not None
    return (f"{claimed:.6g}", f"{computed:.6g}") if hidden else texts


def interval(metric: Metric, low: float | None, high: float | None) -> str | None:
    """Format both ends of an interval; None where there is none."""
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return None
    return _("{low} to {high}").format(low=value(metric, low), high=value(metric, high))


def interval_title(metric: Metric, low: float, high: float) -> str:
    """Word an interval, for a title."""
    ends = interval(metric, low, high)
    return _("95% interval {ends}").format(ends=ends) if ends else _("No interval")


def floats(values: pd.Series) -> NDArray[np.float64]:
    """Return the values of a column, NaN where they are missing."""
    result: NDArray[np.float64] = values.to_numpy(dtype=float, na_value=np.nan)
    return result


def number(value: Any) -> float:
    """Return a value as a number, NaN where it is missing."""
    return math.nan if value is None or pd.isna(value) else float(value)


def over_seeds(metric: Metric, mean: float, spread: float, seeds: int) -> str:
    """Format a mean with its standard deviation: ``87.71% ± 0.06 over 3 seeds``, ``87.71%, one seed``."""
    score = value(metric, mean)
    if seeds < 2:
        return _("{score}, one seed").format(score=score)
    return _("{score} ± {spread} over {n} seeds").format(score=score, spread=width(metric, spread), n=seeds)


def width(metric: Metric, value: float) -> str:
    """Format a standard deviation or half an interval: in points where the metric is in percent."""
    return f"{100 * value:.2f}" if metric.unit == "percent" else f"{value:.2g}"


def difference(metric: Metric, number: float) -> str:
    """Format a difference with its sign and its unit: ``+0.37 points``."""
    text = formats.difference(metric, number)
    return _("{n} points").format(n=text) if metric.unit == "percent" else text


def difference_unit(metric: Metric) -> str:
    """Return the unit of differences: points for shares; empty for other metrics."""
    return _(BOARD_UNITS["points"]) if metric.unit == "percent" else ""


def listed(names: Sequence[str]) -> str:
    """Join names: ``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


def cut(words: object, limit: int) -> str:
    """Put a text into one line, with an ellipsis where it is longer than ``limit`` characters."""
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


def status(status: str, heartbeat: Any) -> str:
    """Word the state of a run; of one on a machine that sends nothing, since when, in UTC."""
    if status != "silent" or pd.isna(heartbeat):
        return _(STATUS[status])
    recent = utc_now() - heartbeat < timedelta(hours=20)
    return _("Silent since {time} UTC").format(time=f"{heartbeat:{'%H:%M' if recent else '%Y-%m-%d %H:%M'}}")
