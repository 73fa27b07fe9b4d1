"""Figures inside sentences, in the visitor's language."""

from collections.abc import Sequence

from dashboard.ui.i18n import N_, _
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
}


def over_seeds(metric: Metric, mean: float, spread: float, seeds: int) -> str:
    """A mean with its standard deviation: ``87.71% ± 0.06 over 3 seeds``, ``87.71%, one seed``."""
    value = formats.value(metric, mean)
    if seeds < 2:
        return _("{score}, one seed").format(score=value)
    around = f"{100 * spread:.2f}" if metric.unit == "percent" else f"{spread:.2g}"
    return _("{score} ± {spread} over {n} seeds").format(score=value, spread=around, n=seeds)


def difference(metric: Metric, number: float) -> str:
    """A difference with its sign and its unit: ``+0.37 points``."""
    told = formats.difference(metric, number)
    return _("{n} points").format(n=told) if metric.unit == "percent" else told


def difference_unit(metric: Metric) -> str:
    """What differences of a metric are counted in: points for shares; nothing to add for other metrics."""
    return _(BOARD_UNITS["points"]) if metric.unit == "percent" else ""


def listed(names: Sequence[str]) -> str:
    """Names in a row: ``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])
