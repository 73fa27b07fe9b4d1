"""Files of other people, decoded under limits by another process; this one never sees their Parquet."""

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from db.base.errors import BundleError, StoreBusyError, one_line
from db.storage.changes import Change

_CHILD = Path(__file__).with_name("untrusted_child.py")
_SECONDS = 150
"""Of silence; the process of a request ends itself before."""
_ATTEMPTS = 3


class Decoder:
    """A process that forks one for each request; it is started when one comes and none is there."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def answer(self, request: Mapping[str, object], content: bytes) -> bytes:
        """What the process of a request writes behind its first line, which is cut off where it was ended.

        Args:
            request: The line of JSON; see ``untrusted_child``.
            content: The files.

        Raises:
            StoreBusyError: No process can be forked now, whatever the files hold.
            TimeoutError: Nothing comes.
        """
        for _ in range(_ATTEMPTS):  # after a time without files the process ends, perhaps just now
            own, other = socket.socketpair()
            with own:
                own.settimeout(_SECONDS)
                process = self._hand_over(other)
                with suppress(ConnectionError):  # it may end before it has read everything, and its answer counts
                    own.sendall(json.dumps(request).encode() + b"\n")
                    own.sendall(content)
                    own.shutdown(socket.SHUT_WR)
                pieces = []
                with suppress(ConnectionError):
                    while piece := own.recv(2**20):
                        pieces.append(piece)
            if pieces:
                return b"".join(pieces)[1:]
            self.close(process)
        raise StoreBusyError("No process can be started that decodes files. Nothing was read; try again later.")

    def _hand_over(self, connection: socket.socket) -> "subprocess.Popen[bytes]":
        """Let a process be forked for a connection, which is closed here."""
        with self._lock, connection:
            process, control = self._running = self._running or _start()
            with suppress(OSError):  # then nothing answers
                socket.send_fds(control, [b"-"], [connection.fileno()])
            return process

    def close(self, process: "subprocess.Popen[bytes] | None" = None) -> None:
        """End the process that forks, but not those that it forked.

        Args:
            process: Only if it is this one.
        """
        with self._lock:
            if self._running is not None and process in {None, self._running[0]}:
                running, control = self._running
                self._running = None
                control.close()
                running.kill()
                running.wait()


def _start() -> "tuple[subprocess.Popen[bytes], socket.socket]":
    control, other = socket.socketpair()
    # One allocator without reserves of its own, so that the limit on memory counts what is used.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    with other:
        process = subprocess.Popen(
            [sys.executable, "-I", str(_CHILD)],
            stdin=other.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    return process, control


DECODER = Decoder()
atexit.register(DECODER.close)


def unpack(content: bytes, kind: str, where: str) -> list[Change]:
    """The changes of a packed file, decoded by a process of its own with limits on members, rows, memory and time.

    Raises:
        BundleError: The file is not of this kind, cannot be read, or exceeds a limit.
        StoreBusyError: No process can be started now.
    """
    try:
        head, body = DECODER.answer({"kind": kind}, content).split(b"\n", 1)
        answer = json.loads(head)
        whole = sum(entry["bytes"] for entry in answer.get("changes", ())) == len(body)
    except TimeoutError:
        raise BundleError(f"{where}: it takes too long to decode; nothing was read.") from None
    except ValueError:
        whole = False
    if not whole:
        raise BundleError(f"{where}: it cannot be decoded within the limits of memory and time; nothing was read.")
    if "refused" in answer:
        raise BundleError(f"{where}: {one_line(ValueError(answer['refused']))}; nothing was read.")
    made, start = [], 0
    try:
        for entry in answer["changes"]:
            stream = pa.ipc.open_stream(pa.py_buffer(body[start : start + entry["bytes"]]))
            made.append(Change(entry["table"], stream.read_pandas(), entry["mode"]))
            start += entry["bytes"]
    except (pa.ArrowException, ValueError, TypeError, KeyError) as error:
        raise BundleError(f"{where}: {one_line(error)}; nothing was read.") from error
    return made
