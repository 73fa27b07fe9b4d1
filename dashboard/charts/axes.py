"""Axes that people can read: where the ticks of a logarithmic scale stand, and what is written at them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from db.registry.metrics import Unit

_MAX_TICKS = 7
"""Ticks that have room on a telephone."""

_STEPS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0))
_CLOCK = (
    1e-3,
    1e-2,
    0.1,
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
    1200,
    1800,
    3600,
    7200,
    18000,
    36000,
    86400,
    172800,
    432000,
    864000,
)


@dataclass(frozen=True)
class Axis:
    """One axis of a figure.

    Attributes:
        title: What is written beside it.
        low: Its lower end, in the unit of the figure.
        high: Its upper end.
        log: Whether it is logarithmic.
        ticks: Where something is written, and what; none leaves it to Plotly.
        factor: Stored values are multiplied by it to be in the unit of the figure.
    """

    title: str
    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...] = ()
    factor: float = 1.0

    def share(self, value: float) -> float:
        """Where a value of the figure's unit lies between the ends, 0 to 1."""
        if self.log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


def scale(
    values: Sequence[float],
    title: str,
    written: Callable[[float], str] | None,
    *,
    log: bool,
    clock: bool = False,
    factor: float = 1.0,
    padding: float = 0.06,
    above: float | None = None,
) -> Axis:
    """An axis around some values, with room at its ends.

    Args:
        values: Finite, at least one; above 0 for a logarithmic axis. In the unit of the figure.
        title: What is written beside it.
        written: What stands at a tick; None leaves the ticks to Plotly.
        log: Whether it is logarithmic.
        clock: The values are seconds, whose round numbers are those of a clock.
        factor: Kept in the axis.
        padding: Empty part at each end, as a share of the whole.
        above: The same at the upper end, where it differs.
    """
    above = padding if above is None else above
    low, high = min(values), max(values)
    if log:
        start, end = math.log(low), math.log(high)
        span = max(end - start, math.log(2))
        low, high = math.exp(start - padding * span), math.exp(end + above * span)
    else:
        span = (high - low) or abs(high) or 1.0
        low, high = low - padding * span, high + above * span
    ticks = () if written is None else tuple((tick, written(tick)) for tick in round_numbers(low, high, clock=clock))
    return Axis(title, low, high, log, ticks, factor)


def round_numbers(low: float, high: float, *, clock: bool = False) -> list[float]:
    """Three to seven round numbers between two positive ends, for a logarithmic axis; of one number itself.

    Args:
        low: Lower end.
        high: Upper end.
        clock: Seconds: 10, 20, 30, 60 rather than 10, 20, 50, 100.
    """
    if low == high:
        return [low]
    if clock:
        ticks = [float(tick) for tick in _CLOCK if low <= tick <= high]
        if len(ticks) >= 3:
            return _thinned(ticks)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    able = [
        [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
        for steps in _STEPS
    ]
    fitting = [ticks for ticks in able if 3 <= len(ticks) <= _MAX_TICKS]
    if fitting:
        return fitting[-1]
    if len(able[0]) > _MAX_TICKS:
        return _thinned(able[0])
    return _linear(low, high)


def _linear(low: float, high: float) -> list[float]:
    """Round numbers at equal distances: over less than half a power of ten a logarithmic axis is nearly straight."""
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough)
    return [float(tick) for tick in np.arange(math.ceil(low / step), math.floor(high / step) + 1) * step]


def _thinned(ticks: list[float]) -> list[float]:
    return ticks[:: math.ceil(len(ticks) / _MAX_TICKS)]


def writer(unit: Unit | None) -> Callable[[float], str]:
    """What is written at a tick of a unit: the largest one that fits, no more digits than it has.

    Args:
        unit: Of ``db.registry.metrics``; None counts parameters.
    """
    units: dict[Unit | None, tuple[tuple[float, str], ...]] = {
        None: ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "B")),
        "bytes": ((1, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB")),
        "ms": ((1, " ms"), (1e3, " s"), (6e4, " min")),
        "s": ((1e-3, " ms"), (1, " s"), (60, " min"), (3600, " h"), (86400, " d")),
        "per_s": ((1, "/s"),),
    }
    steps = units.get(unit, ((1, ""),))

    def written(value: float) -> str:
        size, name = next((step for step in reversed(steps) if value >= step[0] * (1 - 1e-9)), steps[0])
        return f"{value / size:,.0f}{name}" if value / size >= 1000 else f"{value / size:.4g}{name}"

    return written
