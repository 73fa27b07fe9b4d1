"""What a Parquet file unpacks to, read from its page headers, before anything is unpacked.

The sums in a file's footer are its maker's word, and a page of some kilobytes may unpack to two gigabytes. The headers
of the pages are what a reader allocates by, so they are added up here. Written from the format's own description
(parquet-format: PageHeader, in Thrift's compact protocol).
"""

from dataclasses import dataclass
from typing import Any

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_UNPACKED, _PACKED = 2, 3
_PAGES = {5: 2, 7: 2, 8: 4}
"""Fields of a page header that describe a data page, a dictionary and a data page of version 2: which of their own
fields names the encoding."""
GROWING = 7
"""DELTA_BYTE_ARRAY: each text repeats the beginning of the one before, so a few bytes may unpack to any size."""


@dataclass(frozen=True)
class Pages:
    """The pages of one column chunk: bytes when unpacked, and the encodings that they name."""

    unpacked: int
    encodings: frozenset[int]


class _Reader:
    """Thrift's compact protocol, as far as headers need it: numbers are kept, all else is passed over."""

    def __init__(self, content: bytes, position: int, end: int) -> None:
        self.content, self.position, self.end = content, position, end

    def byte(self) -> int:
        if not 0 <= self.position < self.end:
            raise ValueError("a page header reaches beyond its column")
        self.position += 1
        return self.content[self.position - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("a page header holds a number without end")

    def signed(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 8) -> dict[int, Any]:
        """The fields of a struct by their numbers: whole numbers and structs."""
        if not depth:
            raise ValueError("a page header lies too deep in itself")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self.byte()) & 0x0F != _STOP:
            number = number + (head >> 4) if head >> 4 else self.signed()
            fields[number] = self.value(head & 0x0F, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self.byte()
        if kind < _DOUBLE:
            return self.signed()
        if kind == _STRUCT:
            return self.struct(depth - 1)
        if kind in (_DOUBLE, _BINARY):
            length = 8 if kind == _DOUBLE else self.varint()
            self.position += length
            return None
        raise ValueError("a page header holds a list")  # none of its fields is one


def of_chunk(content: bytes, start: int, length: int) -> Pages:
    """The pages of a column chunk.

    Args:
        content: The whole file.
        start: Where the chunk begins.
        length: Its bytes, headers included.

    Raises:
        ValueError: A header is damaged or reaches beyond the chunk.
    """
    end = start + length
    if not 0 <= start <= end <= len(content):
        raise ValueError("a column lies outside the file")
    unpacked, encodings = 0, set()
    reader = _Reader(content, start, end)
    while reader.position < end:
        header = reader.struct()
        own, packed = header.get(_UNPACKED), header.get(_PACKED)
        if not isinstance(own, int) or not isinstance(packed, int) or own < 0 or packed < 0:
            raise ValueError("a page has no size")
        unpacked += own
        for field, encoding in _PAGES.items():
            page = header.get(field)
            if isinstance(page, dict) and isinstance(page.get(encoding), int):
                encodings.add(page[encoding])
        reader.position += packed
    if reader.position != end:
        raise ValueError("a page reaches beyond its column")
    return Pages(unpacked, frozenset(encodings))
