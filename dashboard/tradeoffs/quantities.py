"""What can stand on an axis of the trade-off figure or be the size of a mark: costs of a model, and metrics."""

from dataclasses import dataclass
from typing import NamedTuple

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _
from db.registry import formats
from db.registry.metrics import Metric, Unit


class Cost(NamedTuple):
    """A cost of a model: the column of a board that has it, its name, an amount of it in a sentence, and its unit."""

    column: str
    label: str
    amount: str
    unit: Unit | None


TRADE_COSTS = {
    "params": Cost("params", N_("Parameters"), N_("{value} parameters"), None),
    "bytes": Cost("checkpoint_bytes", N_("Size on disk"), N_("{value} on disk"), "bytes"),
    "latency": Cost("latency_ms_p50", N_("Latency"), N_("{value} an example"), "ms"),
    "memory": Cost("peak_memory_bytes", N_("Peak memory"), N_("{value} of memory"), "bytes"),
    "time": Cost("train_seconds", N_("Train time"), N_("{value} of training"), "s"),
}
COSTS = {name: cost.column for name, cost in TRADE_COSTS.items()}
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
        return Quantity(key, _(TRADE_COSTS[key].label), TRADE_COSTS[key].unit)
    metric = task_names.metric(key)
    return Quantity(key, metric.label, metric.unit)
