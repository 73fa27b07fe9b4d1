"""Parquet files from strangers, read in a process of its own, which may be ended by one of them.

A page of some kilobytes may unpack to gigabytes, whatever the file's footer says, and on some damaged footers pyarrow
ends the process that it runs in. So this one bounds its own memory and time, and nothing but it is lost. It imports
nothing of the project, so that it starts in a moment.

In: a line with the lengths of the files as a JSON list, then the files. Out: a line of JSON a file, with ``columns``
and ``unread``, or ``refused`` or ``damaged`` with the reason.
"""

import json
import math
import resource
import sys
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

MEMORY = 1536 * 1024 * 1024
SECONDS = 60
MOST_COLUMNS = 500
MOST_ROWS = 500_000
MOST_CELLS = 3_000_000
CHARACTERS = 50_000_000
"""Of all texts together: one long text may stand in every row of a small file."""


class RefusedError(Exception):
    """The file is whole and is not taken; the message says why."""


def columns(content: bytes) -> dict[str, Any]:
    """The flat columns of texts and numbers of a file, and the names of the others.

    Raises:
        RefusedError: It has too much of something, a column twice, or an infinite number.
    """
    file = pq.ParquetFile(pa.BufferReader(content))
    arrow = file.schema_arrow
    if len(set(arrow.names)) < len(arrow.names):
        raise RefusedError("a column stands twice; keep one.")
    usable = [field.name for field in arrow if _usable(field.type)]
    _check_size(file.metadata.num_rows, len(file.schema), len(usable))
    texts = [field.name for field in arrow if _is_text(field.type)]
    # Texts stay in their dictionaries until they are measured.
    again = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    data = again.read(columns=usable, use_threads=False)
    _check_size(data.num_rows, len(file.schema), len(usable))
    made: dict[str, list[Any]] = {}
    characters = 0
    for name in usable:
        characters += sum(_characters(chunk) for chunk in data.column(name).chunks)
        if characters > CHARACTERS:
            raise RefusedError(f"more than {CHARACTERS:,} characters in all; split the file.")
        made[name] = [cell for chunk in data.column(name).chunks for cell in _cells(chunk)]
    for name, cells in made.items():
        for row, cell in enumerate(cells):
            if isinstance(cell, float) and not math.isfinite(cell):
                if math.isinf(cell):
                    raise RefusedError(
                        f"row {row + 1:,}, column {name[:60]!r}: an infinite number; leave the cell empty."
                    )
                cells[row] = None
    return {"columns": made, "unread": [name for name in arrow.names if name not in made]}


def _check_size(count: int, leaves: int, columns: int) -> None:
    if leaves > MOST_COLUMNS:
        raise RefusedError(f"{leaves:,} columns; at most {MOST_COLUMNS} are read.")
    if count > MOST_ROWS or count * columns > MOST_CELLS:
        message = f"{count:,} rows of {columns} columns; at most {MOST_ROWS:,} rows and {MOST_CELLS:,} cells are read; "
        raise RefusedError(message + "split the file.")


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _usable(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is_text(inner) or bool(
        pa.types.is_integer(inner) or pa.types.is_floating(inner) or pa.types.is_boolean(inner)
    )


def _characters(chunk: Any) -> int:
    if not pa.types.is_dictionary(chunk.type):
        return 0
    lengths = [len(text) if isinstance(text, str) else 0 for text in chunk.dictionary.to_pylist()]
    return sum(lengths[index] for index in chunk.indices.to_pylist() if index is not None)


def _cells(chunk: Any) -> list[Any]:
    if not pa.types.is_dictionary(chunk.type):
        return list(chunk.to_pylist())
    known = chunk.dictionary.to_pylist()
    return [None if index is None else known[index] for index in chunk.indices.to_pylist()]


def answer(content: bytes) -> dict[str, Any]:
    """The columns of a file, or why there are none."""
    try:
        return columns(content)
    except RefusedError as why:
        return {"refused": str(why)}
    except MemoryError:
        return {"refused": f"it unpacks to more than {MEMORY // 2**20} MiB; split the file."}
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError) as error:
        return {"damaged": str(error)[:200] or type(error).__name__}


def main(source: BinaryIO, target: BinaryIO) -> None:
    """Answer for each file, within this process's limits."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for length in json.loads(source.readline()):
        target.write(json.dumps(answer(source.read(length)), ensure_ascii=False).encode() + b"\n")
        target.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
