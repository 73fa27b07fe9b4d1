"""Memory: how much a process may take, how much it took, and what it says when there was too little."""

import re
import resource
import sys
import threading
from pathlib import Path

import psutil

from engine.base.errors import BenchError

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?\s*", re.IGNORECASE)
LEAST = 64 * 2**20


def parse(text: str) -> int:
    """Bytes of a size such as ``4G`` or ``512M``, in powers of 1,024.

    Raises:
        BenchError: It is no size, or one in which not even Python starts.
    """
    found = _SIZE.fullmatch(text)
    if not found:
        raise BenchError(f"{text!r} is no size; write 512M or 4G.")
    size = int(float(found.group(1)) * _UNITS[found.group(2).upper()])
    if size < LEAST:
        raise BenchError(f"{text} is too little for any process that computes; the least is {shown(LEAST)}.")
    return size


def shown(size: float) -> str:
    """A size as it is written on the command line: ``512M``, ``1.5G``."""
    return f"{size / 2**30:.3g}G" if size >= 2**30 else f"{size / 2**20:.0f}M"


class Watch(threading.Thread):
    """Ends a process that holds more memory than it may.

    Looked at from outside and not forbidden by ``setrlimit``: limits count addresses and not what is resident, and
    numeric libraries that are refused memory wait for it forever.
    """

    def __init__(self, pid: int, most: int) -> None:
        """Name the process and its limit in bytes; ``start`` begins to look."""
        super().__init__(daemon=True)
        self._pid, self._most, self._over = pid, most, threading.Event()
        self.tripped = False

    def run(self) -> None:
        """Look 50 times a second."""
        try:
            process = psutil.Process(self._pid)
            while not self._over.wait(0.02):
                if process.memory_info().rss > self._most:
                    self.tripped = True
                    process.kill()
                    return
        except psutil.Error:
            return  # it has ended

    def stop(self) -> None:
        """Look no longer."""
        self._over.set()
        if self.is_alive():
            self.join()


def peak() -> int:
    """The most bytes that this process has held in memory.

    Not ``ru_maxrss`` where it can be helped: that begins at the size of the process which started this one.
    """
    try:
        status = Path("/proc/self/status").read_text("utf-8")
        return int(re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE).group(1)) * 1024  # type: ignore[union-attr]
    except (OSError, AttributeError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def is_shortage(error: BaseException) -> bool:
    """Whether an error means that memory ran out."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(sign in text for sign in _SIGNS)


_SIGNS = (
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "bad_alloc",
    "out of memory",
    "failed to map",
)
