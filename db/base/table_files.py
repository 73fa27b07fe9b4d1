"""The rows of files, whole: JSON lines, Parquet and the text files of NSMC. See also ``chunked_tables``.

Errors name the file, the line and what to do. Lines end at line feeds alone: texts hold other separators, such as
U+2028, which JSON does not escape.
"""

import codecs
import csv
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from db.base.encodings import is_cp949
from db.base.errors import DataError, one_line

_HEAD = 1_000_000
"""Bytes by which the encoding of a file is known."""

UnreadableRows = list[tuple[int, str]]
"""Rows that hold no text that can be read: their number and what is wrong with them."""


def read_frame(file: Path, unreadable: UnreadableRows | None = None) -> pd.DataFrame:
    """Read Parquet, JSON lines, or the official NSMC text files; the index numbers the rows of the file from 1.

    Args:
        file: Its suffix says the format.
        unreadable: Collects JSON lines that are not UTF-8, which are then left out; None refuses them.

    Raises:
        DataError: It cannot be read.
    """
    try:
        if file.suffix == ".jsonl":
            rows = dict(json_objects(file, unreadable))
            return pd.DataFrame(list(rows.values()), index=list(rows))
        # NSMC's documents hold lone quotation marks and empty strings; both are content, not syntax.
        types = {"id": str, "document": str}
        return numbered(
            pd.read_csv(file, sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False, dtype=types)
            if file.suffix == ".txt"
            else pd.read_parquet(file)
        )
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{file}: cannot be read ({one_line(error)}). Is it cut off, or another format?") from error


def delimiter(header: str) -> str:
    """What separates the columns of a CSV: outside of quotes the most frequent of comma, semicolon and tab."""
    outside = "".join(header.split('"')[::2])
    return max(",\t;", key=outside.count)


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its rows numbered from 1."""
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1))


def lines(file: Path, unreadable: UnreadableRows | None = None) -> Iterator[tuple[int, str]]:
    """Lines with their numbers and line ends; see ``read_frame``."""
    with file.open("rb") as content:
        if content.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise DataError(f"{file}: the text is in UTF-16; save it as UTF-8.")
    korean = unreadable is None and _is_cp949(file)
    if korean:
        logging.getLogger("featherboard").warning("%s was read as CP949, the encoding of Korean Windows.", file)
    with file.open("rb") as content:
        for number, line in enumerate(content, start=1):
            try:
                text = line.decode("cp949" if korean else "utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reason = f"not UTF-8 (byte 0x{line[error.start]:02x})"
                if unreadable is None:
                    raise DataError(
                        f"{file}, line {number}: {reason}. A Korean file is often CP949; convert it: "
                        "iconv -f cp949 -t utf-8."
                    ) from None
                unreadable.append((number, reason))
            else:
                yield number, text


def _is_cp949(file: Path) -> bool:
    """Whether the beginning of a file is Korean text in CP949."""
    with file.open("rb") as content:
        head = content.read(_HEAD)
    return is_cp949(head if len(head) < _HEAD else head.rpartition(b"\n")[0])


def json_objects(file: Path, unreadable: UnreadableRows | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """JSON lines with their line numbers; see ``read_frame``."""
    for number, line in lines(file, unreadable):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if "\\u" in line:  # a lone surrogate is JSON and no text
                json.dumps(row, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            raise DataError(
                f"{file}, line {number}: {error.msg} at character {error.pos + 1}; each line must be a JSON object."
            ) from None
        except (UnicodeEncodeError, RecursionError) as error:
            raise DataError(f"{file}, line {number}: cannot be used ({error}).") from None
        if not isinstance(row, dict):
            raise DataError(f"{file}, line {number}: is not a JSON object.")
        yield number, row
