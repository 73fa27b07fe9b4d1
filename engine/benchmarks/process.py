"""Worker processes: start one, pass it a job, collect its messages, and explain its failure.

A worker is a new interpreter with nothing but ``engine.benchmarks.worker``. ``multiprocessing``'s own "spawn" imports
the main module of its parent again, which for this command is 226 MB of memory instead of 20 and would be counted as
memory of every model.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import Pipe

from engine.benchmarks import host
from engine.benchmarks.messages import Job, Loaded, Peak, Point, Refused
from engine.benchmarks.models import Subject

WORKER = (sys.executable, "-m", "engine.benchmarks.worker")

Result = Loaded | Point | Peak


def run(job: Job, take: Callable[[Result], None]) -> str | None:
    """Run one job in a fresh process; return why it failed, or None."""
    refused: Refused | None = None
    peak: int | None = None
    connection, remote = Pipe()
    with connection, tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        with remote:
            # In a session of its own, so that Ctrl-C reaches only the parent, which then decides what is kept.
            process = subprocess.Popen(
                [*WORKER, str(remote.fileno())],
                pass_fds=[remote.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
            )
        watch = host.MemoryWatch(process.pid, job.memory or sys.maxsize)
        try:
            if job.memory is not None:
                watch.start()
            connection.send(job)
            while True:
                message = connection.recv()
                if isinstance(message, Refused):
                    refused = message
                    continue
                if isinstance(message, Peak):
                    peak = message.bytes
                take(message)
        except (EOFError, OSError):
            code = process.wait()  # the worker has ended, perhaps in the middle of a message
        finally:
            process.kill()
            process.wait()
            watch.stop()
        output.seek(0)
        lines = [line.strip() for line in output if line.strip()]
    if watch.tripped or (peak or 0) > (job.memory or sys.maxsize) or (refused is not None and refused.memory):
        return _too_large(job)
    if refused is not None:
        return refused.reason
    if peak is not None:
        return None
    if code == -signal.SIGKILL or host.is_out_of_memory(Exception("\n".join(lines))):
        return _too_large(job)  # the system kills the process that takes too much
    return f"Its process ended with {code}; its last output: {lines[-1] if lines else 'nothing'}"


def peak_memory(subject: Subject, precision: str, tokens: int, threads: int) -> int | None:
    """Largest memory in bytes of a fresh process that loads a model and calls it a few times; None where it fails.

    Args:
        subject: A checkpoint or a folder.
        precision: See ``engine.networks.quantization``.
        tokens: Of each example.
        threads: Processor threads.
    """
    peaks: list[int] = []

    def take(message: Result) -> None:
        if isinstance(message, Peak):
            peaks.append(message.bytes)

    run(Job(subject.kind, str(subject.folder), precision, (tokens,), (threads,), repeats=3), take)
    return peaks[0] if peaks else None


def _too_large(job: Job) -> str:
    if job.memory is None:
        return "It does not fit this machine: its process was killed, or refused memory. Try --precision int8."
    alternative = "" if job.precision == "int8" else ", or use --precision int8"
    return f"It does not fit {host.format_size(job.memory)} of memory. Raise --limit-memory{alternative}."
