"""What can be wrong with a database file, in words that say what was kept and what to do."""

import os
import time
import zlib
from pathlib import Path

import duckdb

from db.base.atomic import atomic_write
from db.base.errors import StoreDamagedError, StoreError, one_line
from db.storage.journal import spare_blocks

_RESTORE = "New results wait beside it. Restore a copy with `featherboard db restore FILE`"
_REMEDY = (
    f"It is read as far as that goes and not written to. {_RESTORE}, or go on from what can be read with `featherboard "
    "db check --repair`, which keeps the files."
)


def record(path: Path, folder: Path, log: int = 0) -> None:
    """Note how often a database file was written to its end, and its length; ``missing`` compares.

    Args:
        path: The database.
        folder: Its journal.
        log: Bytes of its write-ahead log that hold what is nowhere else.
    """
    facts = spare_blocks.iteration(path), path.stat().st_size, log
    descriptor = os.open(folder / "size", os.O_WRONLY | os.O_CREAT, 0o666)
    try:
        os.pwrite(descriptor, "{:>20} {:>20} {:>20}\n".format(*facts).encode("ascii"), 0)
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def forget(folder: Path) -> None:
    """Drop what was noted about a database that is gone or was replaced."""
    for name in ("size", "damaged", "blocks", "replacement"):
        (folder / name).unlink(missing_ok=True)


def announce(part: Path, folder: Path) -> None:
    """Note which file is about to replace a database: what was noted about the former one does not count for it."""
    with atomic_write(folder / "replacement") as note:
        note.write_text(_identity(part), "ascii")


def replaced(path: Path, folder: Path) -> bool:
    """Whether a database is the announced file, and the notes in the folder are still those about the former one."""
    try:
        return (folder / "replacement").read_text("ascii") == _identity(path)
    except (OSError, ValueError):
        return False


def _identity(path: Path) -> str:
    with path.open("rb") as file:
        return f"{zlib.crc32(file.read(spare_blocks.HEADER_BYTES))} {path.stat().st_size}"


def mark(folder: Path, text: str) -> None:
    """Note that a database is damaged: it is not written to until it is repaired or replaced."""
    (folder / "damaged").write_text(text, "utf-8")


def missing(path: Path, folder: Path) -> str | None:
    """Say what of a database is damaged or missing; None where nothing is, or nothing is known."""
    if replaced(path, folder):
        return None
    text = None
    try:
        if (folder / "damaged").exists():
            text = (folder / "damaged").read_text("utf-8")
        note = folder / "size"
        written, expected, log = (*map(int, note.read_text("ascii").split()), 0)[:3]
        now, size = spare_blocks.iteration(path), path.stat().st_size
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(note.stat().st_mtime))
        if now < written:
            text = (
                f"{path} is an older copy: it was written to its end {now} times, and {written} times by {since}. What "
                "was written in between is missing"
            )
        elif now == written and size < expected:
            return f"{path} is cut off: it has {size:,} of its {expected:,} bytes, and may not be readable. {_RESTORE}."
        elif now == written and log_bytes(path) < log:
            text = (
                f"The write-ahead log of {path} has {log_bytes(path):,} of its {log:,} bytes: changes of {since} are "
                "missing. A log that was set aside can be renamed back"
            )
    except (OSError, ValueError):
        pass
    return text and f"{text}. {_REMEDY}"


def log_bytes(path: Path) -> int:
    """The length of a database's write-ahead log; 0 where there is none."""
    log = path.with_name(path.name + ".wal")
    return log.stat().st_size if log.exists() else 0


def explained(error: Exception, path: Path, *, read_only: bool) -> StoreDamagedError:
    """Word why a database cannot be opened; a write-ahead log that is corrupt is set aside for a writer."""
    text = str(error)
    if any(reason in text for reason in ("Read-only file system", "Permission denied")):
        return StoreDamagedError(
            f"{path} may not be {'read' if read_only else 'written to'} ({one_line(error)}). Nothing was changed; give "
            "this user the right to, or name another file with FEATHERBOARD_DB."
        )
    if "WAL file" not in text:
        return StoreDamagedError(
            f"{path} cannot be opened as a database ({one_line(error)}). The file was left as it is; restore a "
            "copy with `featherboard db restore FILE`, or name another file with FEATHERBOARD_DB and run "
            "`featherboard db init`."
        )
    if not corrupt_log(error):
        return StoreDamagedError(
            f"The write-ahead log of {path} could not be replayed for now ({one_line(error)}). Database and log are "
            "as they were; run the command again once there is memory and space on the disk."
        )
    if read_only:
        return StoreDamagedError(
            f"The write-ahead log of {path} could not be replayed ({one_line(error)}). Nothing was changed; "
            "`featherboard db init` sets the log aside and goes on from the last checkpoint."
        )
    log = path.with_name(path.name + ".wal")
    saved = log.rename(log.with_name(f"{log.name}.damaged-{time.time_ns()}"))
    return StoreDamagedError(
        f"The write-ahead log of {path} could not be replayed. It was saved as {saved.name} and can be renamed back; "
        "the database holds all up to its last checkpoint. Run the command again, then `featherboard db check`."
    )


def corrupt_log(error: Exception) -> bool:
    """Whether the write-ahead log itself is damaged: short memory or a full disk while it is read is no damage."""
    return isinstance(error, duckdb.SerializationException) or "Corrupt WAL file" in str(error)


BROKEN = (
    duckdb.IOException,
    duckdb.TransactionException,  # a full disk at the commit
    duckdb.FatalException,
    duckdb.OutOfMemoryException,
    MemoryError,
)
"""With what reading or writing stops half-way."""


def broken(error: BaseException, path: Path) -> StoreError:
    """Word that reading or writing stopped half-way."""
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        return StoreError(
            f"There was not enough memory to read or change {path} ({one_line(error)}). Nothing was changed; free "
            "some, then try again."
        )
    return StoreDamagedError(
        f"{path} could not be read or written to its end ({one_line(error)}). Nothing was changed; look at "
        "the disk, or restore a copy with `featherboard db restore FILE`."
    )
