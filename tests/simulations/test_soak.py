"""Concurrent writers, importers and readers under faults lose nothing, and the checker would notice if they did."""

from pathlib import Path
from typing import Any

import pytest

from tests.factories.faults import library
from tests.simulations.history import GONE, check
from tests.simulations.soak import soak


def _write(moment: int, version: int, kind: str = "ok") -> list[dict[str, Any]]:
    return [{"time": moment, "kind": "invoke", "run": "a", "version": version}] + (
        [{"time": moment + 1, "kind": kind, "run": "a", "version": version}] if kind else []
    )


def _read(moment: int, version: int | None, **facts: Any) -> list[dict[str, Any]]:
    seen = {} if version is None else {"a": version}
    return [
        {"time": moment, "kind": "begin"},
        {"time": moment + 1, "kind": "read", "seen": seen, "torn": [], "late": False, **facts},
    ]


@pytest.mark.parametrize(
    ("history", "violation"),
    [
        ([*_write(0, 1), *_read(5, 1)], None),
        ([*_write(0, 1), *_read(5, None)], "was acknowledged"),
        ([*_write(0, 1), *_read(5, None, late=True)], None),
        ([*_write(0, 1), *_write(2, 2), *_read(5, 1)], "was acknowledged"),
        ([*_write(0, 1), *_write(2, 2, ""), *_read(5, 1), *_read(7, 2)], None),
        ([*_write(0, 1), *_write(2, 2, ""), *_read(5, 2), *_read(7, 1)], "ended before it began"),
        ([*_write(0, 1, "fail"), *_read(5, 1)], "failed and was seen"),
        ([*_read(0, 1), *_write(5, 1)], "before anybody wrote it"),
        ([*_write(0, 1), *_write(2, GONE), *_read(5, None)], None),
        ([*_write(0, 1), *_write(2, GONE), *_read(5, 1)], "was acknowledged"),
        ([*_write(0, 1), *_read(5, 1, torn=["a"])], "torn"),
        ([{"time": 0, "kind": "raw", "text": "ValueError"}], "no words"),
    ],
)
def test_the_checker_notices(history: list[dict[str, Any]], violation: str | None) -> None:
    """Each kind of violation, and histories that are right."""
    violations = check([history]).violations
    assert len(violations) == (violation is not None)
    assert violation is None or violation in violations[0]


@pytest.mark.timeout(300)
def test_a_short_soak(tmp_path: Path) -> None:
    """Eight seconds of seven processes, which are killed, stopped or have no space; `make soak` takes longer."""
    result = soak(8, tmp_path, seed=1)
    assert result.violations == []
    assert result.counts["ok"] > 0
    assert result.counts["pushed"] > 0
    assert result.counts["clock back"] > 0 or library() is None
    assert result.counts["read"] > 0
