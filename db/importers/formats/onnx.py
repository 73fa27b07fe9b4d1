"""Parameters of an ONNX model, counted from the shapes of its weights; the weights are skipped and nothing is run.

Only what counting needs is read of the protocol buffer (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto): the
graph is field 7 of a model, an initializer field 5 of a graph, and its dimensions and type are fields 1 and 2.
"""

import io
import math
from collections.abc import Iterator
from typing import BinaryIO

from db.importers.result import ImportedFile
from db.importers.safe_json import FileError

_FLOATS = {1, 10, 11, 16}
_SMALL = {2, 3, 17, 18, 19, 20, 21, 22}
"""Types of 4 and 8 bits, in which quantised weights are stored."""
_MOST_TENSORS = 200_000
_MOST_DIMENSIONS = 16
_LIMIT = 10**15


class _BrokenError(Exception):
    """The file ends too early, or is no protocol buffer."""


def read(name: str, content: BinaryIO) -> ImportedFile:
    """The number of parameters of an open file, which is read from its beginning; large weights are skipped.

    Raises:
        SubmissionError: It is no ONNX model, or has no weights.
    """
    try:
        floats, small = _counts(content)
    except (_BrokenError, OverflowError):
        raise FileError(name, "", "no ONNX model that can be read; export it again.") from None
    params = floats + small
    if not 0 < params <= _LIMIT:
        raise FileError(name, "", "the model holds no weights of a number type; send safetensors or config.json.")
    notes = (f"{small:,} of the parameters are quantised.",) if small else ()
    draft: dict[str, object] = {"params": params, "params_source": "config"}
    return ImportedFile("onnx", (draft,), params=params, notes=notes)


def read_bytes(name: str, content: bytes) -> ImportedFile:
    """The same for a file in memory."""
    return read(name, io.BytesIO(content))


def _counts(file: BinaryIO) -> tuple[int, int]:
    """Numbers in tensors of floats, and in quantised ones of two dimensions or more."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    floats = small = tensors = 0
    for field, end in _fields(file, size):
        if field != 7:
            continue
        for inner, inner_end in _fields(file, end):
            if inner != 5:
                continue
            tensors += 1
            kind, dimensions = _tensor(file, inner_end)
            if tensors > _MOST_TENSORS:
                raise _BrokenError
            count = math.prod(dimensions)
            floats += count if kind in _FLOATS and dimensions else 0
            small += count if kind in _SMALL and len(dimensions) > 1 else 0
    return floats, small


def _tensor(file: BinaryIO, end: int) -> tuple[int, list[int]]:
    kind, dimensions = 0, []
    while file.tell() < end:
        tag = _varint(file, end)
        field, wire = tag >> 3, tag & 7
        if wire == 0:
            value = _varint(file, end)
            kind = value if field == 2 else kind
            dimensions += [value] if field == 1 else []
        else:
            stop = _skip_to(file, wire, end)
            while field == 1 and file.tell() < stop:
                dimensions.append(_varint(file, stop))
            file.seek(stop)
        if len(dimensions) > _MOST_DIMENSIONS:
            raise _BrokenError
    return kind, dimensions


def _fields(file: BinaryIO, end: int) -> Iterator[tuple[int, int]]:
    """The numbers and ends of the fields that hold messages or texts; others are skipped."""
    while file.tell() < end:
        tag = _varint(file, end)
        if tag & 7 == 0:
            _varint(file, end)
            continue
        stop = _skip_to(file, tag & 7, end)
        if tag & 7 == 2:
            yield tag >> 3, stop
        file.seek(stop)


def _skip_to(file: BinaryIO, wire: int, end: int) -> int:
    """The end of a field that is no varint."""
    length = {1: 8, 2: None, 5: 4}.get(wire, -1)
    length = _varint(file, end) if length is None else length
    stop = file.tell() + length
    if length < 0 or stop > end:
        raise _BrokenError
    return stop


def _varint(file: BinaryIO, end: int) -> int:
    value = shift = 0
    while shift < 64 and file.tell() < end:
        byte = file.read(1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7
    raise _BrokenError
