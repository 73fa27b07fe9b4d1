"""Progress of long steps in a log file."""

import io

import pytest
from rich.console import Console

from engine.base import progress


def test_a_log_file_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """None in the first ten seconds, and fewer and fewer after that."""
    file, now = io.StringIO(), [0.0]
    monkeypatch.setattr(progress, "console", Console(file=file, force_terminal=False, width=200, soft_wrap=True))
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Bar("training", 1000) as bar:
        for second in range(1000):
            now[0] = float(second)
            bar.advance(1, f"loss {second}")
    lines = [line for line in file.getvalue().splitlines() if " left" in line]
    assert lines[0].startswith("training 1%, ")
    assert lines[0].endswith("loss 10")
    assert 15 <= len(lines) <= 35
