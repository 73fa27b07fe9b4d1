"""Count the files and the calls between files that one thing a user does passes through.

    python -m tests.contracts.journeys training      # featherboard train kobilstm-tiny
    python -m tests.contracts.journeys question      # featherboard ask
    python -m tests.contracts.journeys submission    # featherboard submit

Functions of this project that run are counted, in every thread of the process; what runs while a module is imported is
not. The board is made before, so that its making is no part of the journey.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(f"{ROOT}{os.sep}{package}{os.sep}" for package in ("db", "engine", "dashboard"))


@dataclass
class Trace:
    """Files that ran, and calls from one file into another, by their paths in the repository."""

    files: set[str] = field(default_factory=set)
    calls: set[tuple[str, str]] = field(default_factory=set)


@contextmanager
def traced() -> Iterator[Trace]:
    """Trace what runs inside the context."""
    trace = Trace()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(PACKAGES) or _importing(frame):
            return
        name = file[len(str(ROOT)) + 1 :]
        trace.files.add(name)
        caller = _caller(frame)
        if caller is not None and caller != name:
            trace.calls.add((caller, name))

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _importing(frame: FrameType) -> bool:
    """Whether a frame runs because some module of the project is imported: its classes and constants are no calls."""
    inner: FrameType | None = frame
    while inner is not None:
        if inner.f_code.co_name == "<module>" and inner.f_code.co_filename.startswith(PACKAGES):
            return True
        inner = inner.f_back
    return False


def _caller(frame: FrameType) -> str | None:
    """The nearest file of the project that called, past the libraries between."""
    outer = frame.f_back
    while outer is not None and not outer.f_code.co_filename.startswith(PACKAGES):
        outer = outer.f_back
    return outer.f_code.co_filename[len(str(ROOT)) + 1 :] if outer else None


def _run(*arguments: str) -> Callable[[Path], Trace]:
    def journey(folder: Path) -> Trace:
        from typer.testing import CliRunner

        from db.bootstrap.create import initialise
        from db.storage.store import Store
        from engine.cli.app import app

        os.environ["FEATHERBOARD_DB"] = str(folder / "featherboard.duckdb")
        initialise(Store(folder / "featherboard.duckdb"))
        results = {"results": {"accuracy": 0.87}, "model": "A model"}
        (folder / "results.json").write_text(json.dumps(results), "utf-8")
        (folder / "context.txt").write_text("The castle was built in 1371 by Albert of Sweden.", "utf-8")
        with traced() as trace:
            result = CliRunner().invoke(app, [argument.format(folder=folder) for argument in arguments])
        if result.exit_code:
            raise RuntimeError(f"{' '.join(arguments)}: {result.output}{result.exception!r}")
        return trace

    return journey


JOURNEYS: dict[str, Callable[[Path], Trace]] = {
    "training": _run("train", "kobilstm-tiny", "--set", "train.epochs=1", "--threads", "1"),
    "question": _run("ask", "--context", "{folder}/context.txt", "--question", "When was the castle built?"),
    "submission": _run("submit", "--set", "task=nsmc", "--set", "metrics.accuracy=0.87", "--set", "model=A model"),
}


def follow(journey: str) -> Trace:
    """Do what a journey's user does on a new board, and trace it."""
    before = os.environ.get("FEATHERBOARD_DB")
    with TemporaryDirectory() as folder:
        try:
            return JOURNEYS[journey](Path(folder))
        finally:
            os.environ.pop("FEATHERBOARD_DB", None)
            if before is not None:
                os.environ["FEATHERBOARD_DB"] = before


def main() -> None:
    """Print the figures of the journeys that the command line names, or of all."""
    for name in sys.argv[1:] or JOURNEYS:
        trace = follow(name)
        print(f"{name}: {len(trace.files)} files, {len(trace.calls)} calls from file to file")
        for file in sorted(trace.files):
            print(f"  {file} -> {', '.join(sorted(called for caller, called in trace.calls if caller == file))}")


if __name__ == "__main__":
    main()
