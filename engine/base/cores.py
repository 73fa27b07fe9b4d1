"""The processor cores of this process, and how many threads compute where no command says; without torch."""

import os


def count() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_threads() -> int:
    """``OMP_NUM_THREADS``, as with OpenMP and torch, or the cores of this process."""
    limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(limit) if limit.isdecimal() and int(limit) else count()
