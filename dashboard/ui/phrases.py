"""Figures inside sentences, in the visitor's language."""

from collections.abc import Sequence

from dashboard.ui import text
from db.registry import formats
from db.registry.metrics import Metric


def count(number: int, forms: tuple[str, str]) -> str:
    """A number of things: ``1 run``, ``1,234 runs``; the forms are those for one and for any other number."""
    return forms[number != 1].format(n=f"{number:,}")


def over_seeds(metric: Metric, mean: float, spread: float, seeds: int) -> str:
    """A mean with its standard deviation: ``87.71% ± 0.06 over 3 seeds``, ``87.71%, one seed``."""
    value = formats.value(metric, mean)
    if seeds < 2:
        return text.BOARD_ONE_SEED.format(score=value)
    around = f"{100 * spread:.2f}" if metric.unit == "percent" else f"{spread:.2g}"
    return text.BOARD_OVER_SEEDS.format(score=value, spread=around, n=seeds)


def difference(metric: Metric, number: float) -> str:
    """A difference with its sign and its unit: ``+0.37 points``."""
    told = formats.difference(metric, number)
    return text.BOARD_POINTS.format(n=told) if metric.unit == "percent" else told


def difference_unit(metric: Metric) -> str:
    """What differences of a metric are counted in: points for shares; nothing to add for other metrics."""
    return text.BOARD_UNITS["points"] if metric.unit == "percent" else ""


def listed(names: Sequence[str]) -> str:
    """Names in a row: ``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return text.BOARD_AND.format(first=", ".join(names[:-1]), last=names[-1])
