"""What can stand on an axis of the trade-off figure or be the size of a mark: costs of a model, and metrics."""

from dataclasses import dataclass

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _
from db.registry import formats
from db.registry.metrics import Metric, Unit

TRADE_COSTS = {
    "params": N_("Parameters"),
    "bytes": N_("Size on disk"),
    "latency": N_("Latency"),
    "memory": N_("Peak memory"),
    "time": N_("Train time"),
}

COSTS = {
    "params": "params",
    "bytes": "checkpoint_bytes",
    "latency": "latency_ms_p50",
    "memory": "peak_memory_bytes",
    "time": "train_seconds",
}
"""The costs of a model, and the column of a board that has each."""

_COST_UNITS: dict[str, Unit] = {"bytes": "bytes", "latency": "ms", "memory": "bytes", "time": "s"}

_LOGARITHMIC: tuple[Unit, ...] = ("bytes", "ms", "s", "per_s", "count", "joules", "usd")


@dataclass(frozen=True)
class Quantity:
    """What can stand on an axis or be the size of a mark.

    Attributes:
        key: A key of ``COSTS``, or the name of a metric.
        label: What a reader sees.
        unit: Of ``db.registry.metrics``; None counts parameters.
    """

    key: str
    label: str
    unit: Unit | None

    def text(self, value: float) -> str:
        """A value with its unit."""
        if self.unit is None:
            return formats.short(value)
        return formatting.value(Metric(self.key, self.label, self.unit, "min", ""), value)

    @property
    def log(self) -> bool:
        """Whether its values belong on a logarithmic axis."""
        return self.unit is None or self.unit in _LOGARITHMIC


def quantity(key: str) -> Quantity:
    """The quantity of a key, in the visitor's language."""
    if key in COSTS:
        return Quantity(key, _(TRADE_COSTS[key]), _COST_UNITS.get(key))
    metric = task_names.metric(key)
    return Quantity(key, metric.label, metric.unit)
