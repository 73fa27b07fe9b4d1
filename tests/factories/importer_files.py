"""Files as people have them: those under ``tests/importers`` by name, and binary ones made on the spot."""

import io
import json
import struct
import zipfile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from db.importers import ImportedFile, read
from tests import paths

FOLDER = paths.REPO / "tests" / "db" / "importers" / "samples"
NAMES = sorted(path.name for path in FOLDER.iterdir() if path.is_file())


def content(name: str, *, malformed: bool = False) -> bytes:
    """The bytes of a fixture, or of its malformed twin."""
    return (FOLDER / "malformed" / name if malformed else FOLDER / name).read_bytes()


def read_example(name: str) -> ImportedFile:
    """What a fixture says."""
    return read(name, content(name))


def as_json(value: Any) -> bytes:
    """A JSON text."""
    return json.dumps(value, ensure_ascii=False).encode()


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    """A Parquet file of columns."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def safetensors(tensors: dict[str, Any], *, weights: bool = True, length: int | None = None) -> bytes:
    """A safetensors file of zeros: tensors as (dtype, shape), or a whole entry of the header as it is."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, tensor in tensors.items():
        if not isinstance(tensor, tuple):
            header[name] = tensor
            continue
        dtype, shape = tensor
        size = {"F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I8": 1}[dtype]
        for side in shape:
            size *= side
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    packed = json.dumps(header).encode()
    start = struct.pack("<Q", len(packed) if length is None else length)
    return start + packed + (bytes(end) if weights else b"")


def zipped(members: dict[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip of members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, inside in members.items():
            archive.writestr(name, inside)
    return buffer.getvalue()


def unzipped(content: bytes) -> dict[str | zipfile.ZipInfo, bytes]:
    """The members of a zip by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
