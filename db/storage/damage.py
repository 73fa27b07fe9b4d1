"""What can be wrong with a database file, in words that say what was kept and what to do."""

import time
from pathlib import Path

import duckdb

from db.base.errors import StoreDamagedError, one_line

_HEADER_BYTES = 4096
_HEADERS = 3
"""A DuckDB file begins with its main header and two database headers; the one with the higher iteration counts."""


def record(path: Path, folder: Path) -> None:
    """Note how long a database file is now that it is written to its end, for ``truncation``."""
    (folder / "size").write_text(f"{_iteration(path)} {path.stat().st_size}", "ascii")


def truncation(path: Path, folder: Path) -> str | None:
    """Say how much of a database file is missing; None where nothing is, or nothing is known.

    Args:
        path: The database.
        folder: Where ``record`` left the length. It says nothing about a file that was written again since then.
    """
    try:
        iteration, expected = map(int, (folder / "size").read_text("ascii").split())
        size = path.stat().st_size
        if size >= expected or iteration != _iteration(path):
            return None
    except (OSError, ValueError):
        return None
    return (
        f"{path} is cut off: it has {size:,} of its {expected:,} bytes. It is read as far as that goes and not written "
        "to; new results wait beside it. Restore a copy with `featherboard db restore FILE`."
    )


def _iteration(path: Path) -> int:
    """Count how often a database file was written to its end: the second field of its headers, after a checksum."""
    with path.open("rb") as file:
        start = file.read(_HEADERS * _HEADER_BYTES)
    if len(start) < _HEADERS * _HEADER_BYTES:
        raise ValueError("shorter than its headers")
    return max(int.from_bytes(start[8 + index * _HEADER_BYTES :][:8], "little") for index in (1, 2))


def explained(error: Exception, path: Path, *, read_only: bool) -> StoreDamagedError:
    """Word why a database cannot be opened; a write-ahead log that is corrupt is set aside for a writer."""
    text = str(error)
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


def broken(error: Exception, path: Path) -> StoreDamagedError:
    """Word that reading or writing stopped half-way."""
    return StoreDamagedError(
        f"{path} could not be read or written to its end ({one_line(error)}). Nothing was changed; look at "
        "the disk, or restore a copy with `featherboard db restore FILE`."
    )
