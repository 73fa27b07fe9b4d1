"""Memory of a served process stays flat while it is asked."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine.cli.options import SHAPES
from tests.engine.service.memory import resident

MAX_GROWTH = 3 * 1024**2
"""Bytes that 100 requests may add, 30 kB each. A process of PyTorch holds over 500 MB."""

FEW_SHAPES = {SHAPES: "16"}
"""Operations for lengths of texts that were never met are kept on purpose, 0.6 MB each; kept in a few places only, they
cannot be taken for a leak, nor hide one."""


@pytest.mark.slow
def test_three_hundred_requests_leave_memory_as_it_was(tmp_path: Path) -> None:
    """After a warm-up of 100 requests 300 more, with answers, refusals, batches and boards, add next to nothing.

    Allocators take memory in steps of megabytes, at any time; a leak grows with every hundred: the least growth tells.
    """
    looks = resident(tmp_path, 100, 100, 100, 100, **FEW_SHAPES)
    growth = [after - before for before, after in pairwise(looks)]
    print("MB:", *(f"{bytes_held / 1e6:.1f}" for bytes_held in looks))
    assert min(growth) <= MAX_GROWTH, f"{[round(each / 1e6, 1) for each in growth]} MB more with each hundred"
