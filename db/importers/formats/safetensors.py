"""The header of a safetensors file: parameters are counted from shapes, and weights are not read."""

import math
import re
import struct
from pathlib import Path
from typing import Any, TypeGuard

from db.importers import safe_json
from db.importers.result import ImportedFile
from db.importers.safe_json import FileError, shown

MOST_HEADER = 10 * 1024 * 1024
"""Bytes; the header of a model with 10,000 tensors takes one."""
_LENGTH = 8
_MOST_PARAMS = 10**15
_TYPES = {
    4: ("F4",),
    6: ("F6_E2M3", "F6_E3M2"),
    8: ("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"),
    16: ("I16", "U16", "F16", "BF16"),
    32: ("I32", "U32", "F32"),
    64: ("I64", "U64", "F64", "C64"),
}
_BITS = {name: bits for bits, names in _TYPES.items() for name in names}
_COUNTERS = ("position_ids", "num_batches_tracked", "token_type_ids")
_LORA = re.compile(r"\blora_[AB]\b|\blora_(?:down|up)\b|\bhada_")
_PART = re.compile(r"-(\d+)-of-(\d+)\.safetensors$")


def takes(content: bytes) -> bool:
    """Whether a file begins as one does: the length of a header, and the brace that opens it."""
    if len(content) <= _LENGTH or content[_LENGTH : _LENGTH + 1] != b"{":
        return False
    # A text has no zero byte, and no header is so long that its length has none.
    return 0 in content[:_LENGTH]


def head(path: Path) -> bytes:
    """The header of a file of any size, which ``read`` takes in place of the whole.

    Raises:
        SubmissionError: It is too short, or its header too long.
    """
    with path.open("rb") as file:
        start = file.read(_LENGTH)
        return start + file.read(_header_length(path.name, start))


def _header_length(name: str, content: bytes) -> int:
    if len(content) < _LENGTH:
        raise FileError(name, "", "too short for a safetensors file; send it again.")
    length = int(struct.unpack("<Q", content[:_LENGTH])[0])
    if not 2 <= length <= MOST_HEADER:
        raise FileError(name, "bytes 0 to 7", f"a header of {length:,} bytes; at most {MOST_HEADER:,} are read.")
    return length


def read(name: str, content: bytes) -> ImportedFile:
    """The number of parameters; the file may end behind its header.

    Raises:
        SubmissionError: The header is damaged, or a tensor in it.
    """
    length = _header_length(name, content)
    if len(content) < _LENGTH + length:
        message = f"the header has {length:,} bytes and {len(content) - _LENGTH:,} are there; send the file again."
        raise FileError(name, "header", message)
    header = safe_json.json_value(
        name, safe_json.text(f"{name}, header", content[_LENGTH : _LENGTH + length]), "header"
    )
    if not isinstance(header, dict):
        raise FileError(name, "header", "it must be a JSON object of tensors.")
    tensors = {key: _tensor(name, key, value) for key, value in header.items() if key != "__metadata__"}
    if not tensors:
        raise FileError(name, "header", "no tensor in it.")
    counters = [key for key in tensors if key.endswith(_COUNTERS)]
    params = sum(size for key, (_, size) in tensors.items() if key not in counters)
    notes = []
    if counters:
        notes.append(
            f"{len(counters)} tensor(s) that only count positions or batches are no parameters: "
            f"{shown(counters[0])}, say."
        )
    if any(
        kind in ("I8", "U8", "I32", "U32", "I16", "F4") for key, (kind, _) in tensors.items() if key not in counters
    ):
        notes.append(
            "Some weights are whole numbers, as in a quantised model, where one may hold several; they are "
            "counted as stored."
        )
    if params > _MOST_PARAMS:
        raise FileError(name, "header", f"more than {_MOST_PARAMS:,} parameters, which no model has.")
    counted = params or None
    why = _not_whole(name, tensors)
    if why or counted is None:
        return ImportedFile("safetensors", notes=(*notes, why or "The file has no parameters."))
    draft: dict[str, object] = {"params": counted, "params_source": "safetensors"}
    return ImportedFile("safetensors", (draft,), params=counted, notes=tuple(notes))


def _not_whole(name: str, tensors: dict[str, Any]) -> str | None:
    """Why the count is not that of a model; None where it is."""
    part = _PART.search(name)
    if part and int(part[2]) > 1:
        return f"The file is part {int(part[1])} of {int(part[2])} of a model; parameters were not counted."
    if any(_LORA.search(key) for key in tensors):
        return "The file is an adapter, and the model under it lies elsewhere; parameters were not counted."
    return None


def _tensor(name: str, key: str, facts: Any) -> tuple[str, int]:
    """Type and number of elements."""
    location = f"header: {shown(key, 80)}"
    if not isinstance(facts, dict) or not isinstance(facts.get("dtype"), str) or facts["dtype"] not in _BITS:
        raise FileError(name, location, "a tensor without a known dtype.")
    shape, ends = facts.get("shape"), facts.get("data_offsets")
    if not _counts(shape) or len(shape) > 16:
        raise FileError(name, f"{location}: shape", "it must be a list of sizes, none negative.")
    if not _counts(ends) or len(ends) != 2 or ends[0] > ends[1]:
        raise FileError(name, f"{location}: data_offsets", "it must be two places, the first before the second.")
    size = math.prod(shape)
    if math.ceil(size * _BITS[facts["dtype"]] / 8) != ends[1] - ends[0]:
        raise FileError(name, location, "its shape and its bytes do not agree.")
    return facts["dtype"], size


def _counts(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(count) is int and 0 <= count < 2**63 for count in value)
