"""Reading single values of a claim, as people and files write them; every error is a sentence for a person.

Values come from outside and may be anything: nothing here looks deeper than one level into a value, and no error
repeats more than a few characters of it.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from urllib.parse import urlsplit

MISSING = frozenset({"", "-", "\N{EN DASH}", "\N{EM DASH}"})
"""Texts that say that a value is not known."""

LONGEST_NUMBER = 40
"""Characters of a number at most: a longer one is no figure, and reading it costs more the longer it is."""

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_PLAIN = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?([eE][+-]?\d{1,3})?", re.ASCII)
_SCALES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_CLOCK = re.compile(r"(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d+)?)", re.ASCII)
_UNITS = re.compile(
    r"(?:([0-9]+(?:\.[0-9]+)?)\s*(?:d(?:ays?)?|일))?\s*(?:([0-9]+(?:\.[0-9]+)?)\s*(?:h(?:ours?|rs?)?|시간))?\s*"
    r"(?:([0-9]+(?:\.[0-9]+)?)\s*(?:m(?:in(?:utes?|s)?)?|분))?\s*(?:([0-9]+(?:\.[0-9]+)?)\s*(?:s(?:ec(?:onds?|s)?)?|초))?",
    re.IGNORECASE,
)


class PartsError(ValueError):
    """What is wrong with which entries of a mapping."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        """Keep the sentences by the entries' names."""
        super().__init__("; ".join(f"{name}: {told}" for name, told in parts.items()))
        self.parts = dict(parts)


def kind(value: object) -> str:
    """What a value is, in words."""
    named = (
        (bool, "yes or no"),
        (str, "text"),
        (Real, "a number"),
        (Mapping, "an object"),
        (bytes | bytearray, "bytes"),
        (list | tuple | set, "a list"),
    )
    if value is None:
        return "nothing"
    return next((told for type_, told in named if isinstance(value, type_)), "something else")


def visible(value: str) -> str:
    """Somebody's text on one line, with a question mark for each character that a terminal cannot show."""
    return "".join(sign if sign.isprintable() else "?" for sign in value)


def shown(value: str, most: int = 40) -> str:
    """Somebody's text in a sentence: short, on one line, quoted."""
    more = "\N{HORIZONTAL ELLIPSIS}" if len(value) > most else ""
    return f'"{visible(value[:most])}{more}"'


def is_missing(value: object) -> bool:
    """Whether nothing is said: none, blank, or a dash alone."""
    return value is None or (isinstance(value, str) and len(value) < LONGEST_NUMBER and value.strip() in MISSING)


def text(value: object, most: int, *, lines: bool = False) -> str:
    """Somebody's words, trimmed and in one normal form.

    Args:
        value: Anything.
        most: Characters at most.
        lines: Line breaks and tabs may stand in it.

    Raises:
        ValueError: It is no text, too long, or has characters that cannot be shown.
    """
    if not isinstance(value, str):
        raise ValueError(f"must be text, and {kind(value)} was given")  # noqa: TRY004 - a sentence for a person
    if len(value) > 4 * most + 100:  # before any work on it
        raise ValueError(f"has {len(value):,} characters; {most:,} is the most")
    told = value.replace("\r\n", "\n") if lines else value
    for place, sign in enumerate(told.strip(), start=1):
        hidden = unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} or sign in _BIDI
        if hidden and not (lines and sign in "\n\t"):
            raise ValueError(f"holds a character that cannot be shown, U+{ord(sign):04X}, at place {place}")
    told = unicodedata.normalize("NFC", told).strip()
    if len(told) > most:
        raise ValueError(f"has {len(told):,} characters; {most:,} is the most")
    return told


def url(value: object, most: int = 500) -> str:
    """An address of the web; it is kept as text and never fetched.

    Raises:
        ValueError: It is none.
    """
    told = text(value, most)
    if not told:
        return told
    try:
        parts = urlsplit(told)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
        good = good and parts.password is None and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or any(sign.isspace() or sign in '<>"`\\' for sign in told):
        raise ValueError("must be an address that begins with https:// or http://, without a name or password in it")
    return told


def number(value: object) -> float:
    """A finite number; texts may have commas between thousands.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, str):
        return float(_decimal(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"must be a number, and {kind(value)} was given")  # noqa: TRY004 - a sentence for a person
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ValueError("must be a finite number; NaN and Infinity are no figures")
    return found + 0.0  # no negative zero


def _decimal(value: str) -> Decimal:
    told = value.strip() if len(value) < 2 * LONGEST_NUMBER else value
    if len(told) <= LONGEST_NUMBER and any(sign.isdigit() for sign in told) and _PLAIN.fullmatch(told):
        try:
            found = Decimal(told.replace(",", ""))
        except InvalidOperation:
            found = Decimal("NaN")
        if found.is_finite() and math.isfinite(float(found)):
            return found + 0
    raise ValueError(f"must be a finite number, and {shown(value)} is none")


def whole(value: object, least: int, most: int, *, scaled: bool = False) -> int:
    """A whole number between two ends, both included.

    Args:
        value: Anything.
        least: The lowest that passes.
        most: The highest.
        scaled: Texts may end in k, M or B, such as ``110M``.

    Raises:
        ValueError: It is none.
    """
    scale = 1
    if scaled and isinstance(value, str) and len(value) <= LONGEST_NUMBER and value.strip()[-1:].lower() in _SCALES:
        scale, value = _SCALES[value.strip()[-1].lower()], value.strip()[:-1]
    if isinstance(value, str):
        exact = _decimal(value) * scale
        found = int(exact) if exact == exact.to_integral_value() and abs(exact) < 10**18 else None
    elif isinstance(value, Integral) and not isinstance(value, bool):
        found = int(value)
    else:
        plain = number(value)
        found = int(plain) if plain.is_integer() else None
    if found is None:
        raise ValueError("must be a whole number")
    if not least <= found <= most:
        raise ValueError(f"must lie between {least:,} and {most:,}")
    return found


def seconds(value: object) -> float:
    """A duration in seconds: a number, ``00:49:15``, ``49:15`` or ``2 h 49 min``.

    Raises:
        ValueError: It is none, or longer than ten years.
    """
    found: float | None = None
    if isinstance(value, str) and len(value) <= LONGEST_NUMBER:
        told = value.strip()
        clock, units = _CLOCK.fullmatch(told), _UNITS.fullmatch(told)
        if clock:
            hours, minutes, rest = clock.groups(default="0")
            if float(rest) < 60 and (clock[1] is None or int(minutes) < 60):
                found = int(hours) * 3600 + int(minutes) * 60 + float(rest)
        elif units and any(units.groups()):
            sizes = (86400, 3600, 60, 1)
            found = sum(float(part or 0) * size for part, size in zip(units.groups(), sizes, strict=True))
    if found is None:
        try:
            found = number(value)
        except ValueError:
            what = f"{shown(value)} is none" if isinstance(value, str) else f"{kind(value)} was given"
            raise ValueError(f'must be a duration such as 2955, "00:49:15" or "2 h 49 min", and {what}') from None
    if not 0 <= found <= 10 * 366 * 86400:
        raise ValueError("must be a duration of no less than 0 s and no more than ten years")
    return found


def share(value: object) -> float:
    """A fraction of 1; a text may be in percent.

    Raises:
        ValueError: It is none. A number from 1 to 100 is refused too: nobody knows which of the two it is.
    """
    told = value.strip() if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None
    if told is not None and told.endswith("%"):
        found = float(_decimal(told[:-1].strip()) / 100)
        if not 0 <= found <= 1:
            raise ValueError("must lie between 0% and 100%")
        return found
    found = number(value)
    if 1 < found <= 100:
        percent = f"{found:.10g}"
        raise ValueError(f'is a share of 1: {percent}% is written {found / 100:.10g} or "{percent}%"')
    if not 0 <= found <= 1:
        raise ValueError("is a share of 1 and must lie between 0 and 1")
    return found


def decimals(value: object) -> int:
    """To how many decimals of a fraction of 1, or of its own unit, a figure is written; 0 where it cannot be told."""
    told = value.strip() if isinstance(value, str) else repr(float(value)) if isinstance(value, Real) else ""
    percent = told.endswith("%")
    try:
        exponent = _decimal(told.removesuffix("%").strip()).as_tuple().exponent
    except ValueError:
        return 0
    return max(0, -exponent if isinstance(exponent, int) else 0) + 2 * percent
