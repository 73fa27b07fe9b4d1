"""Packed files of other people, decoded under limits; this process never sees their Parquet."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from db.base.errors import BundleError, one_line
from db.storage.changes import Change

_CHILD = Path(__file__).with_name("untrusted_child.py")
_SECONDS = 120
"""The child bounds its computing itself; this counts while it waits for a processor too."""


def unpack(content: bytes, kind: str, where: str) -> list[Change]:
    """The changes of a packed file, decoded by a child process with limits on members, rows, memory and time.

    Args:
        content: The whole file.
        kind: The kind that is expected.
        where: The file's name, for messages.

    Raises:
        BundleError: The file is not of this kind, cannot be read, or exceeds a limit.
    """
    # One allocator without reserves of its own, so that the limit on memory counts what is used.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_CHILD), kind],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BundleError(f"{where}: it takes too long to decode; nothing was read.") from None
    head, _, body = done.stdout.partition(b"\n")
    if done.returncode or not head:
        raise BundleError(f"{where}: it cannot be decoded within the limits of memory and time; nothing was read.")
    answer = json.loads(head)
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
