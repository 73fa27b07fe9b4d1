"""The state that the machine is in at one moment. Imports little: it is asked for in the process that is measured."""

import os
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class State:
    """The machine at one moment; None where it does not tell.

    Attributes:
        load_average: Processes that ran or waited during the last minute.
        celsius: Of the hottest sensor.
        clock_mhz: Of the first core.
    """

    load_average: float | None
    celsius: float | None
    clock_mhz: float | None


def state() -> State:
    """The state right now; takes a millisecond."""
    return State(os.getloadavg()[0] if hasattr(os, "getloadavg") else None, _celsius(), _clock())


def _celsius() -> float | None:
    try:
        sensors = psutil.sensors_temperatures()  # type: ignore[attr-defined, unused-ignore]  # not on every system
    except (AttributeError, OSError):
        return None
    found = [float(sensor.current) for group in sensors.values() for sensor in group if sensor.current]
    return max(found, default=None)


def _clock() -> float | None:
    try:
        return float(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq").read_text("utf-8")) / 1e3 or None
    except (OSError, ValueError):
        pass
    try:
        found = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        return None
    return float(found.current) if found and found.current else None
