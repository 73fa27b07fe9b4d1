"""What the machine is, how busy others keep it, and whether it slowed itself down.

Everything here is asked for and may be unknown: a container tells little, a Raspberry Pi a lot.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psutil

from db.runs.timings import Machine

BUSY_SHARE = 0.15
"""Of all cores, kept busy by other programs: from here on times are told to be doubtful."""

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


def busy_share(seconds: float = 0.3) -> float:
    """The share of all cores that was busy while this process waited: 0 to 1."""
    return float(psutil.cpu_percent(interval=seconds)) / 100


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe(name: str | None = None, **facts: object) -> Machine:
    """The machine of this process.

    Args:
        name: What its owner calls it; else the board's own name, or its processor's.
        facts: Anything else to keep beside it.
    """
    cpu = cpu_name()
    board = _board()
    return Machine(
        name=(name or board or f"{cpu}, {cores()} cores").strip(),
        cpu=cpu,
        architecture=platform.machine(),
        cores=cores(),
        memory_bytes=int(psutil.virtual_memory().total),
        os=_os(),
        facts={"board": board, "clock_mhz_max": _clock_max(), "python": platform.python_version(), **facts},
    )


def busy_warning(shares: Sequence[float], load: float | None) -> str | None:
    """A sentence where other programs kept the machine busy.

    Args:
        shares: Of ``busy_share``, each taken while nothing was measured.
        load: The load average before the first measurement.
    """
    worst = max(shares, default=0.0)
    signs = []
    if worst >= BUSY_SHARE:
        signs.append(f"up to {worst:.0%} of its cores")
    if load is not None and load >= 0.5 * cores():
        signs.append(f"a load average of {load:.1f} on {cores()} core(s) before the first measurement")
    if not signs:
        return None
    return (
        f"The machine was busy with other work ({', '.join(signs)}): these times are longer than those of a quiet "
        "machine. Ratios of models that were measured together hold better."
    )


def throttling() -> list[str]:
    """What the firmware of a Raspberry Pi says against its own speed; empty elsewhere, or when all is well."""
    try:
        told = subprocess.run(["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=5, check=True)
        return throttling_of(told.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return []


def throttling_of(told: str) -> list[str]:
    """The words for an answer such as ``throttled=0x50005``.

    Raises:
        ValueError: It is no such answer.
    """
    bits = int(told.strip().partition("=")[2], 16)
    return [words for bit, words in _THROTTLING.items() if bits >> bit & 1]


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name: as the kernel has it, or on Arm as ``lscpu`` decodes it."""
    try:
        named = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text("utf-8", errors="replace"), re.MULTILINE)
    except OSError:
        named = None
    if named:
        return named.group(1).strip()
    try:
        listed = subprocess.run(
            ["lscpu", "-J"], capture_output=True, text=True, timeout=5, check=True, env={**os.environ, "LC_ALL": "C"}
        )
        fields = {row["field"]: row["data"] for row in json.loads(listed.stdout)["lscpu"]}
        return str(fields["Model name:"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return platform.processor() or platform.machine()


def _board() -> str | None:
    try:
        return Path("/proc/device-tree/model").read_text("utf-8", errors="replace").strip("\0 \n") or None
    except OSError:
        return None


def _os() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def _clock_max() -> float | None:
    try:
        return float(Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").read_text("utf-8")) / 1e3
    except (OSError, ValueError):
        return None
