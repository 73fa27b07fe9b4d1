"""Energy of a machine by its own counters: those of its processor (RAPL), or the power chip of a Raspberry Pi 5.

Linux shows the counters of a processor below ``/sys/class/powercap``; they hold everything that a package does, other
programs included, and most systems let only root read them. The Pi's chip tells the current and the voltage of every
rail behind it at one moment, so it is sampled. Who has neither states a wattage instead.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

POWERCAP = Path("/sys/class/powercap")

VCGENCMD = "vcgencmd"
"""The command that reads the power chip of a Raspberry Pi."""

INTERVAL_S = 0.5
"""Between two samples of the power chip; each takes a process of its own."""

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


_RAIL = re.compile(r"(\w+)_([AV])\s+(?:current|volt)\(\d+\)=([0-9.]+)[AV]")


def rail_watts(command: str) -> float | None:
    """Read what all rails of the power chip deliver now, in watts; None where they cannot be read.

    Args:
        command: As ``VCGENCMD``; empty for none.
    """
    program = shutil.which(command) if command else None
    if program is None:
        return None
    try:
        output = subprocess.run(
            [program, "pmic_read_adc"], capture_output=True, text=True, timeout=5, check=True
        ).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    amperes: dict[str, float] = {}
    volts: dict[str, float] = {}
    for rail, quantity, number in _RAIL.findall(output):
        (amperes if quantity == "A" else volts)[rail] = float(number)
    # EXT5V and BATT have a voltage alone: they are the inputs of the chip.
    return sum(current * volts[rail] for rail, current in amperes.items()) if amperes.keys() <= volts.keys() else None


class RailSampler:
    """The mean power of the rails while a block runs."""

    def __init__(self, command: str) -> None:
        """Take no sample yet; see ``rail_watts``."""
        self._command, self._samples = command, list[float]()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "RailSampler":
        """Take the first sample; where there is none, no other is tried."""
        if self._sample():
            self._thread = threading.Thread(target=self._run, name="power", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the last sample."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._sample()

    def _sample(self) -> bool:
        watts = rail_watts(self._command)
        if watts:
            self._samples.append(watts)
        return bool(watts)

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL_S):
            self._sample()

    def joules(self, seconds: float) -> float | None:
        """Return the energy of so many seconds at the mean of the samples; None without any."""
        return seconds * sum(self._samples) / len(self._samples) if self._samples else None
