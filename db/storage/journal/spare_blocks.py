"""The blocks of a database that DuckDB writes over while it writes the database to its end, copied beside it first.

New rows go to free blocks, and a header that is written last makes them count. But blocks with the lists of tables and
rows are filled up in place, 256 KB at a time: where a kill, a full disk or a power cut comes in the middle of one, the
file could not be opened any more.
"""

import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import duckdb
import numpy as np

_SECTOR_BYTES = 4096
HEADER_BYTES = 3 * _SECTOR_BYTES
"""A DuckDB file begins with its main header and two database headers; the one with the higher iteration counts."""
_BLOCK_BYTES = 256 * 1024
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
"""Of DuckDB's checksum: the words of a block, each multiplied by it modulo 2**64, in exclusive or with 5381."""
_SPAN = struct.Struct(">QQ")  # first byte in the database, number of bytes


def whole(block: bytes) -> bool:
    """Whether the checksum of a header or block is that of its bytes; one that was never written is all zeros."""
    words = np.frombuffer(block[: len(block) // 8 * 8], dtype="<u8")
    return not words.any() or bool(words[0] == np.bitwise_xor.reduce(words[1:] * _FACTOR) ^ np.uint64(5381))


def iteration(path: Path) -> int:
    """Count how often a database file was written to its end.

    Raises:
        ValueError: It has no whole header.
    """
    with path.open("rb") as file:
        return _iteration(file.read(HEADER_BYTES))


def _iteration(start: bytes) -> int:
    """The second field of the headers, after a checksum."""
    headers = [start[index * _SECTOR_BYTES :][:_SECTOR_BYTES] for index in (1, 2)]
    return max(int.from_bytes(header[8:16], "little") for header in headers if len(header) > 8 and whole(header))


def damaged(path: Path) -> tuple[int, int]:
    """Count the headers and blocks of a database file whose checksum is not that of their bytes, and all of them."""
    count = -(-(path.stat().st_size - HEADER_BYTES) // _BLOCK_BYTES)
    with path.open("rb") as file:
        sizes = (*[_SECTOR_BYTES] * 3, *[_BLOCK_BYTES] * count)
        return sum(not whole(file.read(size).ljust(size, b"\0")) for size in sizes), len(sizes)


def save(con: duckdb.DuckDBPyConnection, path: Path, folder: Path) -> None:
    """Copy the headers and the blocks that are to be filled up, to the disk.

    Args:
        con: Nobody else has the database open.
        path: Its file.
        folder: Its journal.

    Raises:
        OSError: There is no space for them.
    """
    blocks = con.execute("SELECT block_id FROM pragma_metadata_info() WHERE free_blocks > 0").fetchall()
    places = [(0, HEADER_BYTES), *((HEADER_BYTES + block * _BLOCK_BYTES, _BLOCK_BYTES) for (block,) in blocks)]
    content = bytearray(4)
    with path.open("rb") as file:
        for start, size in places:
            file.seek(start)
            part = file.read(size)
            content += _SPAN.pack(start, len(part)) + part
    content[:4] = zlib.crc32(memoryview(content)[4:]).to_bytes(4, "big")
    with (folder / "blocks").open("wb", buffering=0) as file:
        file.write(content)
        os.fdatasync(file.fileno())


def drop(folder: Path) -> None:
    """Delete the copies, now that the database is written to its end."""
    (folder / "blocks").unlink(missing_ok=True)


def put_back(path: Path, folder: Path) -> None:
    """Put the copies back where writing the database to its end began and did not end.

    Args:
        path: The database; nobody has it open for writing.
        folder: Its journal.

    Raises:
        OSError: The folder or the database cannot be written to.
    """
    try:
        content = (folder / "blocks").read_bytes()
    except FileNotFoundError:
        return
    parts, position = {}, 4
    if zlib.crc32(memoryview(content)[4:]).to_bytes(4, "big") == content[:4]:  # else the database was not touched yet
        while position < len(content):
            start, size = _SPAN.unpack_from(content, position)
            position += _SPAN.size + size
            parts[start] = content[position - size : position]
    if parts and _is_of(path, parts[0]):
        with path.open("r+b", buffering=0) as file:
            for start, part in parts.items():
                file.seek(start)
                file.write(part)
            os.fdatasync(file.fileno())
    drop(folder)


def _is_of(path: Path, headers: bytes) -> bool:
    """Whether copied headers are those of a database that was not written to its end since."""
    with suppress(OSError, ValueError):
        with path.open("rb") as file:
            present = file.read(HEADER_BYTES)
        return present[:_SECTOR_BYTES] == headers[:_SECTOR_BYTES] and _iteration(present) == _iteration(headers)
    return False
