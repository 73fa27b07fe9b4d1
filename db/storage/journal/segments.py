"""The files of a journal: each process appends its batches to one of its own.

A batch is a frame: a magic, a checksum, a length, a stamp and the content. It is acknowledged when the file is on the
disk up to its end; the name of the file was brought there when it was made. The writer holds a lock on its file while
it appends. A file whose batches are all in the database is deleted under that lock, and its writer, which sees that,
begins another one.
"""

import fcntl
import os
import struct
import threading
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from db.base.atomic import sync

SUFFIX = ".segment"
_MAGIC = b"FBJ2"
_HEAD = struct.Struct(">4sIQQ")  # magic, checksum of all behind it, bytes of the content, stamp
_LOCK = threading.Lock()
_OPEN: dict[Path, "_Segment"] = {}


@dataclass(frozen=True)
class Frame:
    """A part of a file.

    Attributes:
        content: A batch, or bytes that are none because they were damaged.
        stamp: Orders the batches of all processes: whoever begins after another was acknowledged has a higher one.
        start: Where it begins in the file.
        end: Where the next one begins.
    """

    content: bytes
    stamp: int
    start: int
    end: int


@dataclass
class _Segment:
    path: Path
    descriptor: int
    clock: int
    count: int = 0


def append(folder: Path, content: bytes) -> tuple[Path, int]:
    """Append a batch and return its file and how many batches this process has appended to it.

    Raises:
        OSError: It could not be written; nothing of it was left.
    """
    with _LOCK:
        segment = _locked(folder)
        start = os.fstat(segment.descriptor).st_size
        try:
            stamp = _stamp(segment.clock)
            rest = struct.pack(">QQ", len(content), stamp) + content
            frame = memoryview(_MAGIC + zlib.crc32(rest).to_bytes(4, "big") + rest)
            while frame:
                frame = frame[os.write(segment.descriptor, frame) :]
            os.fdatasync(segment.descriptor)
        except BaseException:  # nothing may follow what is half a batch
            with suppress(OSError):
                os.ftruncate(segment.descriptor, start)
            _forget(folder)
            raise
        fcntl.flock(segment.descriptor, fcntl.LOCK_UN)
        segment.count += 1
        return segment.path, segment.count


def own(folder: Path) -> Path | None:
    """The file to which this process appends; None where it has none."""
    with _LOCK:
        return _OPEN[folder].path if folder in _OPEN else None


def _locked(folder: Path) -> _Segment:
    """This process's file, locked and still in its place; a new one where it is not."""
    while True:
        segment = _OPEN.get(folder) or _new(folder)
        with suppress(OSError):  # in use by who deletes it, or gone
            fcntl.flock(segment.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if segment.path.stat().st_ino == os.fstat(segment.descriptor).st_ino:
                return segment
        _forget(folder)


def _new(folder: Path) -> _Segment:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        sync(folder.parent)
    path = folder / f"{time.time_ns():020d}-{uuid.uuid4().hex}{SUFFIX}"
    clock = os.open(folder / "clock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
    except BaseException:
        os.close(clock)
        raise
    _OPEN[folder] = _Segment(path, descriptor, clock)
    sync(folder)
    return _OPEN[folder]


def _stamp(clock: int) -> int:
    """A time behind that of every batch acknowledged so far, even if the clock of the machine has gone back."""
    last = os.pread(clock, 8, 0)
    stamp = max(time.time_ns(), int.from_bytes(last, "big") + 1)
    os.pwrite(clock, stamp.to_bytes(8, "big"), 0)
    return stamp


def _forget(folder: Path) -> None:
    segment = _OPEN.pop(folder, None)
    if segment is not None:
        os.close(segment.descriptor)
        os.close(segment.clock)


def _after_fork() -> None:
    """A child writes to files of its own: a lock that was taken before the fork belongs to both."""
    global _LOCK  # noqa: PLW0603 - it may be held by a thread that the child does not have
    _LOCK = threading.Lock()
    for folder in list(_OPEN):
        _forget(folder)


os.register_at_fork(after_in_child=_after_fork)


def frames(path: Path, start: int) -> Iterator[Frame]:
    """Yield what is complete in a file from some byte on; the last batch may still be on its way."""
    with path.open("rb") as file:
        file.seek(start)
        content = file.read()
    position = 0
    while frame := _frame(content, position, start):
        yield frame
        position = frame.end - start


def _frame(content: bytes, position: int, offset: int) -> Frame | None:
    """The frame at a position; where none is, all before the next one as damaged."""
    begin = position
    while True:
        if len(content) - position >= _HEAD.size:
            magic, checksum, length, stamp = _HEAD.unpack_from(content, position)
            body = position + _HEAD.size
            whole = magic == _MAGIC and len(content) - body >= length
            if whole and zlib.crc32(content[position + 8 : body + length]) == checksum:
                if position > begin:
                    return Frame(content[begin:position], stamp, offset + begin, offset + position)
                return Frame(content[body : body + length], stamp, offset + begin, offset + body + length)
        position = content.find(_MAGIC, position + 1)
        if position < 0:
            return None


def retire(path: Path, taken: int) -> bytes | None:
    """Delete a file whose batches are in the database, unless its writer is appending or has appended more.

    Args:
        path: The file.
        taken: How many of its bytes are in the database.

    Returns:
        What is left of a batch that was never acknowledged, or was damaged since; None where nothing is.
    """
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left = os.pread(descriptor, os.fstat(descriptor).st_size - taken, taken)
            if _frame(left, 0, 0) is None:
                path.unlink()
                return left or None
        finally:
            os.close(descriptor)
    return None
