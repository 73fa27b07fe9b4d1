"""Text and JSON from strangers, read under limits.

What comes out is made of dicts with text keys, lists, texts, whole numbers of 64 bits, finite floats, booleans and
None, at most ``DEPTH`` deep; everything else is refused with the place where it stands. Nothing is ever unpickled.
"""

import codecs
import json
import math
import re
from typing import Any, Literal

from db.base.errors import SubmissionError

LIMIT_BYTES = 50 * 1024 * 1024
"""Of one file."""
DEPTH = 64
MOST_VALUES = 3_000_000
"""Values in one file: 10,570 questions with 20 answers each have 1.3 million."""

_WHOLE = 2**63 - 1
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


FileCode = Literal["invalid", "unmapped"]
"""Whether a file cannot be used, or its columns must be mapped first."""


class FileError(SubmissionError):
    """A file that cannot be used; the message names the file and the location in it, and says what to do."""

    def __init__(self, name: str, location: str, problem: str, code: FileCode = "invalid") -> None:
        """Keep the code, the location and the problem."""
        super().__init__(": ".join(part for part in (shown(name, 120), location, problem) if part))
        self.location = location
        self.problem = problem
        self.code: FileCode = code


def shown(value: object, limit: int = 60) -> str:
    """Something from a file inside a message: printable, on one line, at most ``most`` characters."""
    words = value if isinstance(value, str) else repr(value)
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words[: limit + 1])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def quoted(value: object, limit: int = 60) -> str:
    """The same in quotation marks."""
    return f'"{shown(value, limit)}"'


def check_size(name: str, content: bytes) -> None:
    """Refuse a file that is empty or too large.

    Raises:
        SubmissionError: It is.
    """
    if not content:
        raise FileError(name, "", "the file is empty.")
    if len(content) > LIMIT_BYTES:
        raise FileError(name, "", f"{len(content):,} bytes; a file may have {LIMIT_BYTES:,} (50 MiB).")


def text(name: str, content: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    Raises:
        SubmissionError: It is in another encoding, or no text.
    """
    check_size(name, content)
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            raise FileError(name, "", f"the text is in {encoding}; save it as UTF-8.")
    body = content.removeprefix(codecs.BOM_UTF8)
    if b"\0" in body:
        raise FileError(name, _line(body, body.index(b"\0")), _zeros(body))
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(name, _line(body, error.start), "a byte that is not UTF-8; save the file as UTF-8.") from None


def _line(body: bytes, position: int) -> str:
    return f"line {body.count(10, 0, position) + 1}"


def _zeros(body: bytes) -> str:
    head = body[:2000]
    halves = (head[::2], head[1::2])
    if any(half.count(0) > 0.3 * len(half) for half in halves) and not all(half.count(0) for half in halves):
        return "the text looks like UTF-16; save it as UTF-8."
    return "a zero byte; this is no text file, or a damaged one."


class _Wrong:
    """Stands in a parsed value where something is refused, until its place is known."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why


def json_value(name: str, words: str, where: str = "", *, drop_nan: bool = False) -> Any:
    """The value of a JSON text.

    Args:
        name: The file's name, for messages.
        words: The text.
        where: What stands before the place in messages, such as the line of a JSON Lines file.
        drop_nan: Read NaN and Infinity as null, as in the log of a training that goes on after them.

    Raises:
        SubmissionError: It is no JSON; a key stands twice; a number is not finite or has more than 64 bits; it lies
            too deep in itself or has too many values; a text holds half a character.
    """
    if words.count(",") + words.count("[") + words.count("{") > MOST_VALUES:
        raise FileError(name, where, f"more than {MOST_VALUES:,} values; split the file.")
    try:
        constant = (lambda _: None) if drop_nan else _constant
        value = json.loads(words, parse_constant=constant, parse_float=_float, parse_int=_int, object_pairs_hook=_dict)
    except json.JSONDecodeError as error:
        position = where or f"line {error.lineno}, column {error.colno}"
        raise FileError(
            name, position, f"no valid JSON ({error.msg}); write the file again with a JSON library."
        ) from None
    except RecursionError:
        raise FileError(name, where, f"it lies more than {DEPTH} levels deep in itself.") from None
    return checked(name, value, where)


def json_lines(name: str, words: str) -> list[Any]:
    """The values of a JSON Lines text, of which empty lines are skipped and NaN is null.

    Raises:
        SubmissionError: As for ``json_value``; the message names the line.
    """
    lines = ((number, line) for number, line in enumerate(words.split("\n"), 1) if line.strip())
    return [json_value(name, line, f"line {number:,}", drop_nan=True) for number, line in lines]


def _constant(word: str) -> _Wrong:
    return _Wrong(f"{word} is no number that can be compared; leave the key out or write null.")


def _float(digits: str) -> float | _Wrong:
    value = float(digits)
    return value if math.isfinite(value) else _Wrong(f"{shown(digits, 20)} is too large a number.")


def _int(digits: str) -> int | _Wrong:
    value = int(digits) if len(digits) <= 20 else _WHOLE + 1
    return value if -_WHOLE - 1 <= value <= _WHOLE else _Wrong(f"{shown(digits, 20)} is too large a whole number.")


def _dict(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Wrong:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen: set[str] = set()
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return _Wrong(f"the key {quoted(twice)} stands twice; keep one.")


def checked(name: str, value: Any, where: str = "") -> Any:
    """The value itself, if all of it may be used.

    Raises:
        SubmissionError: Some of it may not; the message names its place.
    """
    wrong = _first_wrong(value, DEPTH)
    if wrong is None:
        return value
    why, path = wrong
    position = "".join(reversed(path)).removeprefix(".")
    raise FileError(name, ": ".join(part for part in (where, shown(position, 200)) if part), why)


def _first_wrong(value: Any, depth: int) -> tuple[str, list[str]] | None:
    """Why the first wrong value is refused, and the path to it from within; None where all is right."""
    if isinstance(value, dict | list):
        return _wrong_inside(value, depth)
    why = None
    if isinstance(value, _Wrong):
        why = value.why
    elif isinstance(value, str):
        why = _wrong_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        why = f"{value} is no number that can be compared; leave the key out."
    elif isinstance(value, int) and not -_WHOLE - 1 <= value <= _WHOLE:
        why = "too large a whole number."
    return (why, []) if why else None


def _wrong_inside(value: dict[str, Any] | list[Any], depth: int) -> tuple[str, list[str]] | None:
    if not depth:
        return f"it lies more than {DEPTH} levels deep in itself.", []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        wrong = _first_wrong(inner, depth - 1)
        if wrong is None and isinstance(key, str) and _FORBIDDEN.search(key):
            wrong = "the key holds half a character or a zero.", []
        if wrong is not None:
            wrong[1].append(f".{shown(key, 40)}" if isinstance(key, str) else f"[{key}]")
            return wrong
    return None


def _wrong_text(words: str) -> str | None:
    if words.isascii() and "\x00" not in words:
        return None
    match = _FORBIDDEN.search(words)
    if match is None:
        return None
    return f"the text holds U+{ord(match[0]):04X}, which is no character of a text; remove it."
