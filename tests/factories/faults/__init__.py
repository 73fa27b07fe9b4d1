"""Operations whose n-th system call fails, or is the last one before a kill or a power cut, for every n.

``run`` starts ``server`` with the preloaded library of ``interpose.c``; it forks a process for each trial, which is
quicker than starting one, and another that looks at what is left.
"""

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests import paths
from tests.factories.faults import power

NOTHING = {name: {"runs": [], "half": [], "rejected": 0, "copied": None} for name in ("state", "again")} | {"left": []}
KINDS = {
    "no space": errno.ENOSPC,
    "disk error": errno.EIO,
    "kill before": -1,
    "kill half-way": -2,
    "interrupt": -3,
    "clock back a day": -4,
    "read-only": errno.EROFS,
    "short memory": errno.ENOMEM,
    "power cut": 0,
}
"""Interrupt: Ctrl-C, and SIGTERM, which commands take alike. Short memory: an allocation of 64 KB or more fails. Power
cut: the folder as one may leave it after each call; see ``power``."""


@dataclass(frozen=True)
class Trial:
    """One operation with one fault, and what was seen afterwards.

    Attributes:
        n: Which call it was.
        fired: Whether the operation made so many calls.
        error: The type and the message of what it raised; None where nothing was, or it was killed.
        for_people: Whether that is one of the errors that are printed in one line.
        acknowledged: What returned before the fault.
        state: What ``Operation.look`` says afterwards, in another process.
        again: What it says after the operation was repeated there without a fault.
        left: Files of a part that were left.
        crashed: Whether the process ended by a signal that it did not get from the trial, as after an abort.
    """

    n: int
    fired: bool
    error: str | None
    for_people: bool
    acknowledged: list[str] = field(default_factory=list)
    state: Any = None
    again: Any = None
    left: list[str] = field(default_factory=list)
    crashed: bool = False


@cache
def library() -> Path | None:
    """The built library; None where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    import tempfile

    target = Path(tempfile.mkdtemp(prefix="featherboard-faults-")) / "interpose.so"
    source = Path(__file__).with_name("interpose.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", target, source, "-ldl"], check=True)
    return target


def run(operation: str, kind: str, folder: Path, at_most: int | None = None, timeout_s: float = 600.0) -> list[Trial]:
    """Try an operation with a fault at each of its calls.

    Args:
        operation: A name of ``tests.factories.faults.operations``.
        kind: Of ``KINDS``.
        folder: An empty one.
        at_most: Trials, spread evenly over the calls; None for every call.
        timeout_s: For all of them.
    """
    built = library()
    assert built is not None
    process = subprocess.run(
        [sys.executable, "-m", "tests.factories.faults", operation, kind, folder, str(at_most or 0)],
        env={**os.environ, "PYTHONPATH": str(paths.REPO), "LD_PRELOAD": str(built), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=timeout_s,
        check=True,
    )
    return [Trial(**json.loads(line)) for line in process.stdout.splitlines()]


def server(operation: Any, kind: str, folder: Path, at_most: int) -> None:
    """Make the trials of one operation and print each as a line of JSON."""
    armed = ctypes.CDLL(os.environ["LD_PRELOAD"])
    armed.faults_count.restype = ctypes.c_long
    base = folder / "base"
    base.mkdir()
    forked(lambda _: operation.prepare(base))

    def look(target: Path, say: Callable[[Any], None]) -> None:
        say(["state", operation.look(target)])
        left = [str(file.relative_to(target)) for file in target.rglob("*") if ".part" in file.name]
        say(["left", left])
        operation.act(target, lambda _: None)
        say(["again", operation.look(target)])

    def judged(n: int, target: Path, during: Sequence[Any], *, fired: bool, ended: bool) -> Trial:
        """Look at what is left in a folder."""
        after = forked(lambda say: look(target, say))
        shutil.rmtree(target)
        error = next((value for name, value in during if name == "error"), None)
        seen = {**NOTHING, **dict(after)}
        if "error" in seen:  # what is left cannot be used
            error = seen["error"][0], False
        return Trial(
            n,
            fired=fired,
            error=error and error[0],
            for_people=bool(error and error[1]),
            acknowledged=[value for name, value in during if name == "acknowledged"],
            state=seen["state"],
            again=seen["again"],
            left=seen["left"],
            crashed=any(name == "signal" for name, _ in (*([] if ended else during), *after)),
        )

    def trial(n: int) -> Trial:
        target = folder / f"trial-{n}"
        shutil.copytree(base, target)

        def act(say: Callable[[Any], None]) -> None:
            armed.faults_arm(os.fsencode(target), ctypes.c_long(n), KINDS[kind])
            try:
                operation.act(target, lambda name: say(["acknowledged", name]))
            finally:
                calls = armed.faults_count()
                armed.faults_arm(b"", ctypes.c_long(0), 0)
                say(["calls", calls])

        during = forked(act)
        calls = next((value for name, value in during if name == "calls"), None)
        fired = calls is None or calls >= n > 0
        return judged(n, target, during, fired=fired, ended=kind.startswith("kill"))

    def cut(n: int) -> Trial:
        image, target = images[n - 1], folder / f"trial-{n}"
        image.build(target)
        return judged(n, target, [["acknowledged", name] for name in image.acknowledged], fired=True, ended=True)

    calls, images = _recorded(operation, KINDS[kind], base, folder, armed)
    count, attempt = (len(images), cut) if kind == "power cut" else (calls, trial)
    step = max(1, -(-count // at_most)) if at_most else 1
    for n in range(1, count + 1, step):
        print(json.dumps(asdict(attempt(n))), flush=True)


def _recorded(
    operation: Any, how: int, base: Path, folder: Path, armed: ctypes.CDLL
) -> tuple[int, Sequence[power.Image]]:
    """Let the operation run without a fault; return how many calls it made, and what a power cut may leave."""
    target, trace = folder / "counted", folder / "trace"
    shutil.copytree(base, target)

    def act(say: Callable[[Any], None]) -> None:
        armed.faults_arm(os.fsencode(target), ctypes.c_long(0), how)
        armed.faults_record(os.fsencode(trace))
        operation.act(target, lambda name: armed.faults_acknowledge(name.encode()))
        armed.faults_record(b"")
        say(["calls", armed.faults_count()])

    lines = forked(act)
    images = [] if how else list(power.images(base, power.recorded(trace, target)))
    shutil.rmtree(target)
    return next(value for name, value in lines if name == "calls"), images


def forked(work: Callable[[Callable[[Any], None]], None]) -> list[Any]:
    """Run something in a forked process, and return what it says before it ends or is killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)

        def say(value: Any) -> None:
            os.write(writer, json.dumps(value).encode() + b"\n")

        try:
            work(say)
        except BaseException as error:
            from db.base.errors import FeatherboardError

            text = f"{type(error).__name__}: {error}"
            for_people = isinstance(error, (FeatherboardError, OSError, KeyboardInterrupt, MemoryError))
            if not for_people:
                traceback.print_exc()
            say(["error", [text, for_people]])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        lines = file.read().splitlines()
    _, status = os.waitpid(child, 0)
    ended = [["signal", os.WTERMSIG(status)]] if os.WIFSIGNALED(status) else []
    return [*(json.loads(line) for line in lines), *ended]
