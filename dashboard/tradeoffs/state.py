"""What a visitor of the trade-off page has chosen, and how the address says it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dashboard.tradeoffs.quantities import COSTS

_LIMITS = {"params": "params", "bytes": "bytes", "latency": "ms", "memory": "memory", "time": "seconds"}
_SWITCH = {"1": True, "0": False}

NAMES = ("task", "x", "y", "size", *_LIMITS.values(), "family", "every", "arrows")
"""What the address may hold."""


@dataclass(frozen=True)
class State:
    """The choices: task, cost, score, size of the marks, most of each cost, families, every run, arrows to students.

    None and empty stand for what the page takes by itself.
    """

    task: str
    x: str | None = None
    y: str | None = None
    size: str | None = None
    budget: Mapping[str, float] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    every: bool = False
    arrows: bool = False

    def address(self) -> dict[str, str | list[str]]:
        """The address of these choices; what the page takes by itself is not in it."""
        values: dict[str, str | list[str]] = {"task": self.task}
        values |= {name: value for name, value in (("x", self.x), ("y", self.y), ("size", self.size)) if value}
        values |= {_LIMITS[cost]: f"..{limit:.15g}" for cost, limit in self.budget.items()}
        if self.families:
            values["family"] = list(self.families)
        if self.every:
            values["every"] = "1"
        if self.arrows:
            values["arrows"] = "1"
        return values


def read(address: Mapping[str, Sequence[str]]) -> State | None:
    """The choices of an address; None where it names no task, and so says nothing of the page.

    What makes no sense in it counts as not said. Whether a task, a metric or a family exists is not looked at here.
    """
    last = {name: values[-1] for name, values in address.items() if values}
    if not last.get("task"):
        return None
    limits = {cost: _limit(last[name]) for cost, name in _LIMITS.items() if name in last}
    return State(
        task=last["task"],
        x=last["x"] if last.get("x") in COSTS else None,
        y=last.get("y") or None,
        size=last.get("size") or None,
        budget={cost: limit for cost, limit in limits.items() if limit is not None},
        families=tuple(dict.fromkeys(address.get("family", ()))),
        every=_SWITCH.get(last.get("every", ""), False),
        arrows=_SWITCH.get(last.get("arrows", ""), False),
    )


def _limit(text: str) -> float | None:
    """The upper end of a range that has no lower one, as the leaderboard writes it too."""
    try:
        value = float(text.removeprefix(".."))
    except ValueError:
        return None
    return value if 0 < value < math.inf else None
