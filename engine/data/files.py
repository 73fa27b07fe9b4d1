"""Files of texts as data frames: Parquet, JSON lines, the official text files of NSMC.

The index of a frame is the number of the row in its file, from 1, whatever was left out before it.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from engine.base.errors import DataError

Spoiled = list[tuple[int, str]]
"""Rows that hold no text that can be read: their number and what is wrong with them."""


def read(file: Path, spoiled: Spoiled | None = None) -> pd.DataFrame:
    """A table of Parquet, JSONL, or the official NSMC text files.

    Args:
        file: Its suffix tells the form.
        spoiled: Takes rows of JSONL that are not UTF-8, which are then left out; None refuses them.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return _READERS[file.suffix](file, spoiled)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(f"{file}: cannot be read ({reason}). Is it cut off, or another format?") from error


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its rows numbered from 1."""
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1))


def _read_parquet(file: Path, _: Spoiled | None) -> pd.DataFrame:
    return numbered(pd.read_parquet(file))


def _read_nsmc_tsv(file: Path, _: Spoiled | None) -> pd.DataFrame:
    # Documents hold lone quotation marks and empty strings; both are content, not syntax.
    types = {"id": str, "document": str}
    return numbered(pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False, dtype=types))


def _read_jsonl(file: Path, spoiled: Spoiled | None) -> pd.DataFrame:
    rows, numbers = [], []
    with file.open("rb") as lines:
        # A file opened as bytes ends its lines at line feeds alone: a text may hold other separators, such as U+2028,
        # which JSON does not escape.
        for number, line in enumerate(lines, start=1):
            row = _parsed(number, line, spoiled)
            if row is not None:
                rows.append(row)
                numbers.append(number)
    return pd.DataFrame(rows, index=numbers)


def _parsed(number: int, line: bytes, spoiled: Spoiled | None) -> dict[str, object] | None:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        why = f"not UTF-8 (byte 0x{line[error.start]:02x})"
        if spoiled is None:
            raise ValueError(f"row {number}: {why}") from None
        spoiled.append((number, why))
        return None
    if not text.strip():
        return None
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"row {number}: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(row, dict):
        raise ValueError(f"row {number} is not a JSON object")  # noqa: TRY004 - told as an unreadable file
    return row


_READERS: dict[str, Callable[[Path, Spoiled | None], pd.DataFrame]] = {
    ".parquet": _read_parquet,
    ".txt": _read_nsmc_tsv,
    ".jsonl": _read_jsonl,
}
