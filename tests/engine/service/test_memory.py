"""Memory of a served process stays flat while it is asked."""

from pathlib import Path

from engine.cli.options import SHAPES
from tests.engine.service.memory import grown

MOST_GROWTH = 8 * 1024**2
"""Bytes that 300 requests may add, 28 kB each. A process of PyTorch holds over 500 MB, and allocators take some of them
in steps of a megabyte or two."""

FEW_SHAPES = {SHAPES: "16"}
"""Operations for lengths of texts that were never met are kept on purpose, 0.6 MB each; kept in a few places only, they
cannot be taken for a leak, nor hide one."""


def test_three_hundred_requests_leave_memory_as_it_was(tmp_path: Path) -> None:
    """After a warm-up of 100 requests 300 more, with answers, refusals, batches and boards, add next to nothing."""
    before, after = grown(tmp_path, 100, 300, **FEW_SHAPES)
    print(f"{before / 1e6:.1f} MB after 100 requests, {after / 1e6:.1f} MB after 400")
    assert after - before <= MOST_GROWTH, f"{(after - before) / 1e6:.1f} MB more"
