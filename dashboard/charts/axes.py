"""Axes with room at their ends, and Plotly's options for the ticks of logarithmic ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from db.registry.metrics import Unit

_CLOCK = {
    1e-3: "1 ms",
    1e-2: "10 ms",
    0.1: "100 ms",
    1.0: "1 s",
    10.0: "10 s",
    60.0: "1 min",
    600.0: "10 min",
    3600.0: "1 h",
    36_000.0: "10 h",
    86_400.0: "1 d",
    864_000.0: "10 d",
}
_PADDING = 0.06
"""Empty part at an end of an axis, as a share of the whole."""

_SUFFIXES: dict[Unit, str] = {"bytes": "B", "ms": " ms", "s": " s", "per_s": "/s", "joules": "J", "usd": " $"}


@dataclass(frozen=True)
class Axis:
    """One axis of a figure.

    Attributes:
        title: Title of the axis.
        low: Its lower end, in the unit of the figure.
        high: Its upper end.
        log: Whether it is logarithmic.
        unit: Of ``db.registry.metrics``; None counts parameters.
        factor: Stored values are multiplied by it to be in the unit of the figure.
    """

    title: str
    low: float
    high: float
    log: bool
    unit: Unit | None = None
    factor: float = 1.0

    def share(self, value: float) -> float:
        """Return where a value of the figure's unit lies between the ends, 0 to 1."""
        if self.log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


def scale(
    values: Sequence[float], title: str, unit: Unit | None, *, log: bool, factor: float = 1.0, above: float = _PADDING
) -> Axis:
    """Return an axis around some values.

    Args:
        values: Finite, at least one; above 0 for a logarithmic axis. In the unit of the figure.
        title: Title of the axis.
        unit: See ``Axis``.
        log: Whether it is logarithmic.
        factor: See ``Axis``.
        above: Empty part at the upper end, as a share of the whole.
    """
    low, high = min(values), max(values)
    if log:
        start, end = math.log(low), math.log(high)
        span = max(end - start, math.log(2))
        return Axis(title, math.exp(start - _PADDING * span), math.exp(end + above * span), log, unit, factor)
    span = (high - low) or abs(high) or 1.0
    return Axis(title, low - _PADDING * span, high + above * span, log, unit, factor)


def log_ticks(low: float, high: float, unit: Unit | None = None) -> dict[str, Any]:
    """Return Plotly's options for the ticks of a logarithmic axis between two ends, few enough for a telephone."""
    if unit == "s" and sum(low <= tick <= high for tick in _CLOCK) > 1:
        return {"tickvals": list(_CLOCK), "ticktext": list(_CLOCK.values()), "minor": {"ticks": ""}}
    decades = math.log10(high / low)
    ticks: dict[str, Any] = {
        "tickformat": ",~r" if unit in {"ms", "s", "per_s"} else "~s",
        "ticksuffix": "" if unit is None else _SUFFIXES.get(unit, ""),
        "minor": {"ticks": ""},
    }
    if decades >= 1:  # below, Plotly's ticks are linear; its own choice above would label 2 to 9 in small print
        ticks["dtick"] = math.ceil(decades / 7) if decades >= 2 else "D2"
    return ticks
