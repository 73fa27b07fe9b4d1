"""Decode files of somebody else, each in a process of its own, which may be ended by it.

A page of some kilobytes may unpack to gigabytes whatever the file's footer says, and some damaged footers end the
process that reads them. Starting Python with pyarrow takes many times as long as decoding one run. So this process
stays, decodes nothing itself, and forks a copy for each request, which bounds its own memory and time. No copy has seen
another file, and what becomes of one changes nothing for the next. It imports nothing of the project.

Standard input: a socket, over which the connection of each request comes as a descriptor. Connection in: a line of
JSON, then the files, to their end. The line may name a ``decoder``, a Python file with ``MEMORY``, ``SECONDS`` and
``respond``; else this file decodes packed tables of the ``kind`` that it names. Out: an empty line once the copy runs,
then what the decoder answers. Of packed tables that is a line of JSON, ``{"refused": reason}`` or ``{"changes":
[{"table", "mode", "bytes"}]}``, then the tables as Arrow streams, one after another.
"""

import importlib.util
import io
import json
import os
import resource
import signal
import socket
import sys
import zipfile
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

MEMORY = 2 * 1024 * 1024 * 1024
SECONDS = 60
WALL_SECONDS = 120
"""While a file's process waits for a processor too, or for whoever reads its answer."""
IDLE_SECONDS = 600
"""After which the process that forks ends, so that it holds no memory where no files come."""
MAX_MEMBERS = 64
MAX_BYTES = 256 * 1024 * 1024
"""Of all members unpacked, and of all tables decoded."""
MAX_ROWS = 2_000_000
"""Of all tables together: eight runs of 50,000 predictions and their curves have half a million."""
MAX_COLUMNS = 200
_BATCH_ROWS = 8192
_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class RefusedError(Exception):
    """The file is not taken; the message says why."""


def decode(content: bytes, kind: str) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The changes of a packed file and their tables as Arrow streams.

    Raises:
        RefusedError: It is of another kind, or has too much of something.
    """
    if content.count(_ENTRY) > MAX_MEMBERS:  # the list of members is built whole before it can be looked at
        raise RefusedError(f"more than {MAX_MEMBERS} members")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = {info.filename: info for info in archive.infolist()}
        if sum(info.file_size for info in infos.values()) > MAX_BYTES:
            raise RefusedError(f"more than {MAX_BYTES // 2**20} MiB unpacked")
        if any(info.compress_type not in _METHODS or info.flag_bits & 1 for info in infos.values()):
            raise RefusedError("an encrypted member, or one compressed by an unknown method")
        manifest = json.loads(archive.read(infos["manifest.json"]))
        if manifest.get("featherboard") != kind or manifest.get("format") != 1:
            raise RefusedError(f"not a Featherboard {kind} of format 1")
        heads: list[dict[str, Any]] = []
        tables: list[bytes] = []
        rows = size = 0
        for entry in manifest["changes"]:
            info = infos.pop(entry["member"])  # a member named twice is missing the second time
            table = _table(archive.read(info), MAX_ROWS - rows, MAX_BYTES - size)
            rows, size = rows + table.num_rows, size + table.nbytes
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            tables.append(sink.getvalue().to_pybytes())
            heads.append({"table": entry["table"], "mode": entry["mode"], "bytes": len(tables[-1])})
    return heads, tables


def _table(content: bytes, rows: int, size: int) -> pa.Table:
    file = pq.ParquetFile(pa.BufferReader(content))
    if len(file.schema_arrow) > MAX_COLUMNS:
        raise RefusedError(f"a table of more than {MAX_COLUMNS} columns")
    nested = [field.name for field in file.schema_arrow if pa.types.is_nested(field.type)]
    nested += [field.name for field in file.schema_arrow if pa.types.is_dictionary(field.type)]
    if nested:
        raise RefusedError(f"the column {nested[0][:60]!r} is neither of texts, numbers nor times")
    batches = []
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        rows, size = rows - batch.num_rows, size - batch.nbytes
        if rows < 0 or size < 0:
            raise RefusedError(f"more than {MAX_ROWS:,} rows or {MAX_BYTES // 2**20} MiB of tables")
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow)


def respond(request: dict[str, Any], source: BinaryIO, target: BinaryIO) -> None:
    """Decode packed tables of the ``kind`` that a request names."""
    kind = request["kind"]
    tables: list[bytes] = []
    head: dict[str, Any]
    try:
        heads, tables = decode(source.read(), kind)
        head = {"changes": heads}
    except RefusedError as error:
        head = {"refused": str(error)}
    except MemoryError:
        head = {"refused": f"it unpacks to more than {MAX_BYTES // 2**20} MiB"}
    except Exception as error:  # whatever a damaged file raises in zipfile, json or pyarrow
        head = {"refused": f"not a readable Featherboard {kind} ({str(error)[:200] or type(error).__name__})"}
    target.write(json.dumps(head).encode() + b"\n")
    for table in tables:
        target.write(table)


def answer(source: BinaryIO, target: BinaryIO) -> None:
    """Let the decoder of a request answer it, within this process's limits."""
    signal.alarm(WALL_SECONDS)
    target.write(b"\n")
    target.flush()
    request = json.loads(source.readline())
    decoder = _loaded(request["decoder"]) if "decoder" in request else sys.modules[__name__]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (decoder.SECONDS, decoder.SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (decoder.MEMORY, decoder.MEMORY))
    decoder.respond(request, source, target)


def _loaded(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("decoder", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    decoder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(decoder)
    return decoder


def main(control: socket.socket) -> None:
    """Fork a process for each connection that comes, until the other side closes or long sends nothing."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets each that ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which still answers what it has taken
    control.settimeout(IDLE_SECONDS)
    while True:
        try:
            _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        except TimeoutError:
            return
        if not descriptors:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            if os.fork() == 0:
                try:
                    control.close()
                    connection.settimeout(None)
                    with connection.makefile("rb") as source, connection.makefile("wb") as target:
                        answer(source, target)
                finally:  # whatever happened, only the first process goes on
                    os._exit(0)


if __name__ == "__main__":
    main(socket.socket(fileno=sys.stdin.fileno()))
