"""Ending processes that tests started."""

import subprocess
from typing import Any


def end(process: "subprocess.Popen[Any]", timeout: float = 120.0) -> None:
    """Ask a process to end, and kill it if it does not."""
    process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout)
        raise
