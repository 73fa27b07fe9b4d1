"""Batches as bytes."""

import json
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import pyarrow as pa

from db.base.errors import BundleError
from db.storage import changes
from db.storage.changes import Change, Mode

OLDER = b"FBJ1"
"""How a batch of an older version begins: a checksum and Arrow streams follow, in a file of one batch."""


def encode(batch: Sequence[Change]) -> bytes:
    """Pack a batch: for each change its rows as a line of JSON, or a line and an Arrow stream."""
    parts = []
    for change in batch:
        head: dict[str, Any] = {"table": change.table, "mode": change.mode}
        if isinstance(change.rows, list):
            parts.append(json.dumps({**head, "rows": change.rows}, default=_time).encode() + b"\n")
            continue
        sink = pa.BufferOutputStream()
        rows = change.arrow().replace_schema_metadata(None)
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        content = sink.getvalue().to_pybytes()
        parts += [json.dumps({**head, "bytes": len(content)}).encode() + b"\n", content]
    return b"".join(parts)


def _time(value: object) -> str:
    """A time as DuckDB reads it."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    raise TypeError(f"a {type(value).__name__} cannot be written")


def decode(content: bytes, where: str) -> list[Change]:
    """Unpack a batch.

    Args:
        content: The whole batch.
        where: Its name, for messages.

    Raises:
        BundleError: The content is not what was written.
    """
    if content[:2] == b"PK":
        return changes.unpack(content, "spool batch", where)
    if content[:4] == OLDER:
        return _older(content, where)
    batch: list[Change] = []
    position = 0
    while position < len(content):
        end = content.index(b"\n", position) + 1
        head, position = json.loads(content[position:end]), end
        rows = head.get("rows")
        if rows is None:
            rows = pa.ipc.open_stream(pa.py_buffer(content[position : position + head["bytes"]])).read_all()
            position += head["bytes"]
        batch.append(Change(head["table"], rows, cast("Mode", head["mode"])))
    return batch


def _older(content: bytes, where: str) -> list[Change]:
    if zlib.crc32(content[8:]).to_bytes(4, "big") != content[4:8]:
        raise BundleError(f"{where}: is not a complete batch.")
    source = pa.BufferReader(content[8:])
    batch = []
    while source.tell() < source.size():
        with pa.ipc.open_stream(source) as stream:
            rows = stream.read_all()
        facts = rows.schema.metadata
        batch.append(Change(facts[b"table"].decode(), rows, cast("Mode", facts[b"mode"].decode())))
    return batch
