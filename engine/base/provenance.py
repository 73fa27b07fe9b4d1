"""Versions of the code and the libraries that produced a run."""

import json
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from engine.base import device

_LIBRARIES = ("torch", "tokenizers", "transformers", "accelerate", "numpy", "scikit-learn", "duckdb")


@cache  # the modules in memory stay as they are
def code_version() -> str:
    """The package's version, with the commit in a checkout."""
    version = metadata.version("featherboard")
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return version
    return f"{version}+{described.stdout.strip()}"


@cache
def libraries() -> str:
    """Versions of Python and of the libraries that affect results, and the kind of processor, as JSON."""
    versions = {"python": platform.python_version(), "processor": device.processor_kind()}
    for name in _LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return json.dumps(versions)
