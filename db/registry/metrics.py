"""The metrics that Featherboard knows: what each is called, its unit, and which direction is better."""

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Literal

Unit = Literal["percent", "ms", "s", "bytes", "per_s", "points", "plain", "count", "joules", "usd"]
Direction = Literal["max", "min"]


@dataclass(frozen=True)
class Metric:
    """One kind of figure.

    Attributes:
        name: The key in the metrics table.
        label: What a reader sees.
        unit: How the stored value is shown. ``percent`` values are stored as fractions of 1.
        direction: Whether more or less is better.
        help: One sentence for the reader who does not know the term.
    """

    name: str
    label: str
    unit: Unit
    direction: Direction
    help: str


CORRELATIONS = ("pearson", "spearman")
"""Rank tasks whose labels are numbers."""
BOUNDED = ("mcc", *CORRELATIONS)
"""From -1 to 1; papers print them times 100 as well."""

_FACTS = tomllib.loads((resources.files("db.registry") / "metrics.toml").read_text("utf-8"))

METRICS: dict[str, Metric] = {name: Metric(name, **facts) for name, facts in _FACTS.items()}

BOARD_METRICS = ("latency_ms_p50", "latency_ms_p95", "checkpoint_bytes", "examples_per_s")
"""Costs that stand beside every score."""


def register(metric: Metric) -> None:
    """Add a metric that a task file describes; one that is known under that name stays.

    Raises:
        ValueError: It has another unit or direction than the one that is known.
    """
    own = METRICS.setdefault(metric.name, metric)
    if (own.unit, own.direction) != (metric.unit, metric.direction):
        raise ValueError(f"{metric.name} is known in {own.unit}, of which {own.direction} is best")


def known(name: str) -> Metric:
    """The metric of a name; one that nobody described is shown under its own name, without a unit."""
    return METRICS.get(name) or Metric(name, name.replace("_", " "), "plain", "max", "A figure without a description.")
