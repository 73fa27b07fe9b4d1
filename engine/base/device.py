"""Which processor computes, and what it is called in a run."""

import os
import platform
from pathlib import Path

import torch

from engine.base.progress import say


def pin_threads(threads: int | None = None) -> int:
    """Fix the number of processor threads, by default to the cores that this process may use, and return it."""
    wanted = threads or len(os.sched_getaffinity(0))
    torch.set_num_threads(wanted)
    return wanted


def best() -> torch.device:
    """The processor that computes: a CUDA GPU where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def halves(precision: str) -> bool:
    """Whether a recipe's ``precision`` means bfloat16 here: asked for, and known to the processor.

    A processor without it would compute the same far more slowly; it computes in single precision instead.
    """
    if precision != "bfloat16":
        return False
    there = torch.cuda.is_bf16_supported() if torch.cuda.is_available() else cpu_has_bfloat16()
    if not there:
        say("This processor has no bfloat16; single precision is used, with slightly other figures.")
    return there


def cpu_has_bfloat16() -> bool:
    """Whether the CPU computes in bfloat16 by instructions of its own."""
    mkldnn = torch.backends.mkldnn
    return bool(mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())  # type: ignore[no-untyped-call]


def describe() -> str:
    """The device in words: a GPU's name, or the CPU's with its threads."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name(0)
    return f"{_cpu_name()}, {torch.get_num_threads()} thread(s)"


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))), "")
    return named or platform.machine()


def load_average() -> float:
    """Processes that ran or waited during the last minute."""
    return os.getloadavg()[0]
