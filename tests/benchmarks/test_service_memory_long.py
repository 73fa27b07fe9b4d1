"""Memory of a served process over 2,000 requests; see ``tests/engine/service/test_memory.py`` for the short look."""

from pathlib import Path

import pytest

from tests.engine.service.memory import resident

MOST_GROWTH = 16 * 1024**2
"""Bytes: a leak of 9 kB a request would be seen. The service runs as users start it, so the operations that are kept
for lengths of texts (see ``engine.cli.serve``) still grow a little, until some 2,000 requests are answered."""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_thousand_requests_leave_memory_as_it_was(tmp_path: Path) -> None:
    """After a warm-up of 1,000 requests 2,000 more add next to nothing."""
    before, after = resident(tmp_path, 1000, 2000)
    print(f"{before / 1e6:.1f} MB after 1,000 requests, {after / 1e6:.1f} MB after 3,000")
    assert after - before <= MOST_GROWTH, f"{(after - before) / 1e6:.1f} MB more"
