"""The machine that is measured: its description, its state at one moment, and the memory of processes.

Everything is optional: a container reports little, a Raspberry Pi a lot. Workers import this module, and what they
import counts as memory of their model, so nothing large is imported at the top.
"""

import json
import os
import platform
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.base import cores
from engine.base.errors import BenchError

if TYPE_CHECKING:
    from db.runs.timings import Machine

BUSY_SHARE = 0.15
"""Share of all cores used by other programs from which a warning is added to the times."""

MIN_MEMORY = 64 * 2**20
"""Bytes without which no process that computes can start."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?\s*", re.IGNORECASE)

_THROTTLING = {
    0: "under-voltage now",
    1: "clock capped now",
    2: "throttled now",
    3: "soft temperature limit now",
    16: "under-voltage since boot",
    17: "clock capped since boot",
    18: "throttled since boot",
    19: "soft temperature limit since boot",
}
"""Bits of the Raspberry Pi firmware's answer to ``vcgencmd get_throttled``."""

_OUT_OF_MEMORY = (
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "bad_alloc",
    "out of memory",
    "failed to map",
)


@dataclass(frozen=True)
class State:
    """The machine at one moment; None where it does not report.

    Attributes:
        load_average: Processes that ran or waited during the last minute.
        celsius: Of the hottest sensor.
        clock_mhz: Of the first core.
    """

    load_average: float | None
    celsius: float | None
    clock_mhz: float | None


def state() -> State:
    """Read the machine's state; takes a millisecond."""
    return State(os.getloadavg()[0] if hasattr(os, "getloadavg") else None, _celsius(), _clock())


def busy_share(seconds: float = 0.3) -> float:
    """Share of all cores, 0 to 1, that was busy while this process waited."""
    return float(psutil.cpu_percent(interval=seconds)) / 100


def describe(name: str | None = None, **facts: object) -> "Machine":
    """Describe the machine that this process runs on.

    Args:
        name: What its owner calls it; by default the board's own name, or that of the processor.
        facts: Stored with it.
    """
    from db.runs.timings import Machine  # noqa: PLC0415 - pandas comes with it

    cpu, board = cpu_name(), _text("/proc/device-tree/model")
    return Machine(
        name=(name or board or f"{cpu}, {cores.count()} cores").strip(),
        cpu=cpu,
        architecture=platform.machine(),
        cores=cores.count(),
        memory_bytes=int(psutil.virtual_memory().total),
        os=_os(),
        facts={
            "board": board,
            "clock_mhz_max": _megahertz("cpuinfo_max_freq"),
            "python": platform.python_version(),
            **facts,
        },
    )


def busy_warning(shares: Sequence[float], load: float | None) -> str | None:
    """Warning for the case that other programs kept the machine busy; None if they did not.

    Args:
        shares: Results of ``busy_share`` while nothing was measured.
        load: The load average before the first measurement.
    """
    highest = max(shares, default=0.0)
    signs = []
    if highest >= BUSY_SHARE:
        signs.append(f"up to {highest:.0%} of its cores")
    if load is not None and load >= 0.5 * cores.count():
        signs.append(f"a load average of {load:.1f} on {cores.count()} core(s) before the first measurement")
    if not signs:
        return None
    return (
        f"The machine was busy with other work ({', '.join(signs)}): these times are longer than those of a quiet "
        "machine. Ratios of models that were measured together hold better."
    )


def throttling() -> list[str]:
    """What the firmware of a Raspberry Pi reports as slowing it down; empty elsewhere, or if nothing does."""
    try:
        return parse_throttling(_output("vcgencmd", "get_throttled"))
    except (OSError, subprocess.SubprocessError, ValueError):
        return []


def parse_throttling(output: str) -> list[str]:
    """Decode the firmware's answer, such as ``throttled=0x50005``.

    Raises:
        ValueError: It has another form.
    """
    bits = int(output.strip().partition("=")[2], 16)
    return [label for bit, label in _THROTTLING.items() if bits >> bit & 1]


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name: from the kernel, or on Arm as decoded by ``lscpu``."""
    match = re.search(r"^model name\s*:\s*(.+)$", _text(cpuinfo) or "", re.MULTILINE)
    if match:
        return match.group(1).strip()
    try:
        fields = {row["field"]: row["data"] for row in json.loads(_output("lscpu", "-J"))["lscpu"]}
        return str(fields["Model name:"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return platform.processor() or platform.machine()


def parse_size(text: str) -> int:
    """Bytes of a size such as ``4G`` or ``512M``, in powers of 1,024.

    Raises:
        BenchError: It is not a size, or too small even to start Python.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise BenchError(f"{text!r} is not a size; write 512M or 4G.")
    size = int(float(match.group(1)) * _UNITS[match.group(2).upper()])
    if size < MIN_MEMORY:
        raise BenchError(f"{text} is too little for any process that computes; use at least {format_size(MIN_MEMORY)}.")
    return size


def format_size(size: float) -> str:
    """A size as written on the command line: ``512M``, ``1.5G``."""
    return f"{size / 2**30:.3g}G" if size >= 2**30 else f"{size / 2**20:.0f}M"


class MemoryWatch(threading.Thread):
    """Kill a process that holds more memory than its limit.

    It is observed from outside because ``setrlimit`` counts addresses instead of resident memory, and numeric libraries
    that are refused memory wait for it forever.
    """

    def __init__(self, pid: int, limit: int) -> None:
        """Set the process and its limit in bytes; ``start`` begins to watch."""
        super().__init__(daemon=True)
        self._pid, self._limit, self._stopped = pid, limit, threading.Event()
        self.tripped = False

    def run(self) -> None:
        """Check 50 times a second."""
        try:
            process = psutil.Process(self._pid)
            while not self._stopped.wait(0.02):
                if process.memory_info().rss > self._limit:
                    self.tripped = True
                    process.kill()
                    return
        except psutil.Error:
            return  # it has ended

    def stop(self) -> None:
        """Stop watching."""
        self._stopped.set()
        if self.is_alive():
            self.join()


def peak_memory() -> int:
    """The largest memory, in bytes, that this process has held.

    ``ru_maxrss`` is the last resort: it starts at the size of the process which started this one.
    """
    match = re.search(r"^VmHWM:\s*(\d+) kB", _text("/proc/self/status") or "", re.MULTILINE)
    if match:
        return int(match.group(1)) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out."""
    return isinstance(error, MemoryError) or any(phrase in str(error).lower() for phrase in _OUT_OF_MEMORY)


def _celsius() -> float | None:
    try:
        sensors = psutil.sensors_temperatures()  # type: ignore[attr-defined, unused-ignore]  # not on every system
    except (AttributeError, OSError):
        return None
    return max(
        (float(sensor.current) for group in sensors.values() for sensor in group if sensor.current), default=None
    )


def _clock() -> float | None:
    current = _megahertz("scaling_cur_freq")
    if current:
        return current
    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        return None
    return float(frequency.current) if frequency and frequency.current else None


def _megahertz(name: str) -> float | None:
    try:
        return float(_text(f"/sys/devices/system/cpu/cpu0/cpufreq/{name}") or "") / 1e3
    except ValueError:
        return None


def _os() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def _text(path: str | Path) -> str | None:
    try:
        return Path(path).read_text("utf-8", errors="replace").strip("\0 \n") or None
    except OSError:
        return None


def _output(*command: str) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True, env=environment).stdout
