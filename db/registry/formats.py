"""Figures as people read them: one rule per unit, the same on the board and at the command line."""

import math
from collections.abc import Callable

from db.registry.metrics import Metric, Unit

DASH = "–"
"""What stands where a figure is missing; never 0."""


def duration(seconds: float | None) -> str:
    """A duration in its largest fitting units: ``850 ms``, ``12.3 s``, ``4 min 05 s``, ``2 h 49 min``."""
    if seconds is None or math.isnan(seconds):
        return DASH
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def size(count: float | None) -> str:
    """Bytes in decimal units: ``27 kB``, ``1.6 MB``."""
    return _scaled(count, (" B", " kB", " MB", " GB", " TB"))


def short(count: float | None) -> str:
    """A count for plots and sentences: ``27.4k``, ``391k``, ``109M``, ``7B``, ``1.5T``."""
    return _scaled(count, ("", "k", "M", "B", "T"))


def _scaled(count: float | None, units: tuple[str, ...]) -> str:
    """Three digits in the largest unit of a thousand that leaves at least 1; the smallest unit has no decimals."""
    if count is None or math.isnan(count):
        return DASH
    if count < 999.5:
        return f"{count:.0f}{units[0]}"
    step = 1
    while step < len(units) - 1 and count >= 999.5 * 1000**step:
        step += 1
    scaled = count / 1000**step
    return f"{scaled:.3g}{units[step]}" if scaled < 999.5 else f"{scaled:,.0f}{units[step]}"


def signed(number: float, decimals: int) -> str:
    """A number with its sign, a true minus: ``+0.37``. What rounds to zero is ``0.00``, without one."""
    text = f"{number:+.{decimals}f}".replace("-", "\N{MINUS SIGN}")
    return text if text.strip("+\N{MINUS SIGN}0.") else text[1:]


def dollars(amount: float) -> str:
    """An amount of US dollars with two digits at least, also where they are far behind the point: ``$0.000014``."""
    decimals = max(2, 1 - math.floor(math.log10(amount))) if amount > 0 else 2
    return f"${amount:,.{decimals}f}"


_BY_UNIT: dict[Unit, Callable[[float], str]] = {
    "percent": lambda number: f"{100 * number:.2f}%",
    "ms": lambda number: f"{number:.3g} ms" if number < 100 else f"{number:,.0f} ms",
    "s": duration,
    "bytes": size,
    "count": lambda number: f"{number:,.0f}",
    "per_s": lambda number: f"{number:,.0f}/s",
    "points": lambda number: signed(number, 2),
    "plain": lambda number: f"{number:.4g}",
    "joules": lambda number: f"{number:.3g} J" if number < 999.5 else _scaled(number, (" J", " kJ", " MJ")),
    "usd": dollars,
}


def value(metric: Metric, number: float | None) -> str:
    """A metric's stored value with its unit."""
    return DASH if number is None or math.isnan(number) else _BY_UNIT[metric.unit](number + 0.0)  # no minus zero


def over_seeds(metric: Metric, mean: float, spread: float, seeds: int) -> str:
    """A mean with its standard deviation: ``87.71% ± 0.06 over 3 seeds``, ``87.71%, one seed``."""
    if seeds < 2:
        return f"{value(metric, mean)}, one seed"
    around = f"{100 * spread:.2f}" if metric.unit == "percent" else f"{spread:.2g}"
    return f"{value(metric, mean)} ± {around} over {seeds} seeds"


def difference(metric: Metric, number: float) -> str:
    """A difference of two values with its sign, a true minus, in ``difference_unit``: ``+0.37``."""
    if metric.unit == "percent":
        return signed(100 * number, 2)
    return f"{number:+.3g}".replace("-", "\N{MINUS SIGN}") if number else "0"


def difference_unit(metric: Metric) -> str:
    """What differences of a metric are counted in: points for shares; nothing to add for other metrics."""
    return "points" if metric.unit == "percent" else ""
