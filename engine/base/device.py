"""The processor that computes: its choice, threads, number formats, name and load."""

import os
import platform
from pathlib import Path

import torch

from engine.base import cores, processes
from engine.base.progress import say


def pin_threads(threads: int | None = None) -> int:
    """Set the number of processor threads, by default to ``OMP_NUM_THREADS`` or all cores, and return it.

    Processes of torchrun share the cores: it sets the variable to one for each of them.
    """
    sharing = processes.on_this_machine()
    count = threads or (max(1, cores.count() // sharing) if sharing > 1 else cores.default_threads())
    torch.set_num_threads(count)
    return count


def best() -> torch.device:
    """A CUDA GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def halves(precision: str) -> bool:
    """Whether a recipe's ``precision`` is bfloat16 and the processor multiplies in it.

    A processor that does not would be far slower in it, so it computes in single precision instead.
    """
    if precision != "bfloat16":
        return False
    supported = torch.cuda.is_bf16_supported() if torch.cuda.is_available() else cpu_multiplies_bfloat16()
    if not supported:
        say("This processor does not multiply in bfloat16; single precision is used, with slightly different results.")
    return supported


def cpu_multiplies_bfloat16() -> bool:
    """Whether the CPU multiplies in bfloat16 faster than in single precision.

    On x86 the library also computes in it with AVX-512 alone, by conversion: a product of 2,048 then takes over four
    times as long as one in single precision.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return cpu_has_bfloat16()
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return bool(native and cpu_has_bfloat16())


def cpu_has_bfloat16() -> bool:
    """Whether the CPU has instructions for bfloat16."""
    mkldnn = torch.backends.mkldnn
    return bool(mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())  # type: ignore[no-untyped-call]


def describe() -> str:
    """Name of the GPU, or of the CPU with its number of threads; and the processes that share a training."""
    shared = f", {processes.count()} processes" if processes.count() > 1 else ""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name(0) + shared
    return f"{_cpu_name()}, {torch.get_num_threads()} thread(s){shared}"


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model")))
    return next(names, "") or platform.machine()


def processor_kind() -> str:
    """What decides the last digits of results: the maker of the processor, and the instructions that torch uses."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name(0)
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    makers = (line.partition(":")[2].strip() for line in lines if line.startswith(("vendor_id", "CPU implementer")))
    return f"{next(makers, platform.machine())} {torch.backends.cpu.get_cpu_capability()}"


def load_average() -> float:
    """Number of processes that ran or waited during the last minute."""
    return os.getloadavg()[0]
