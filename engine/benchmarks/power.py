"""Energy of the processor by its own counters (RAPL), as Linux shows them below ``/sys/class/powercap``.

The counters of a package hold everything that it does, other programs included. Most systems let only root read them;
who cannot read them states a wattage instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")

MIN_SECONDS = 0.1
"""A shorter measurement says little: counters move about a thousand times a second."""


@dataclass(frozen=True)
class Counter:
    """The energy counter of one processor package.

    Attributes:
        file: Holds the microjoules so far.
        wraps_at: Microjoules at which it begins again from 0.
    """

    file: Path
    wraps_at: int


def counters(folder: Path) -> tuple[Counter, ...]:
    """Find the counters of all processor packages; none where one of them cannot be read.

    Args:
        folder: As ``POWERCAP``. Zones below a package, such as its cores, are part of it and left out.
    """
    packages = []
    for zone in sorted(folder.glob("intel-rapl:*")):  # AMD's processors have this name too
        try:
            if zone.name.count(":") == 1 and (zone / "name").read_text().startswith("package"):
                packages.append(Counter(zone / "energy_uj", int((zone / "max_energy_range_uj").read_text())))
        except (OSError, ValueError):
            return ()
    return tuple(packages) if read(packages) is not None else ()


def read(packages: Sequence[Counter]) -> list[int] | None:
    """Read all counters, in microjoules; None where there is none, or one cannot be read."""
    try:
        return [int(counter.file.read_text()) for counter in packages] or None
    except (OSError, ValueError):
        return None


def joules(packages: Sequence[Counter], before: list[int] | None, after: list[int] | None) -> float | None:
    """Energy between two readings, in joules; None where one is missing. A counter may have wrapped once."""
    if before is None or after is None:
        return None
    used = (
        end - start if end >= start else end - start + counter.wraps_at
        for counter, start, end in zip(packages, before, after, strict=True)
    )
    return sum(used) / 1e6
