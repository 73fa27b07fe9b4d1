"""Reading single values of unknown type, as people and files write them.

The first part gives what was hoped for, or None. The second part, for the fields of a claim, refuses what does not fit
with a ``ValueProblemError``. Nothing here looks deeper than one level into a value.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from typing import Any
from urllib.parse import urlsplit

from db.base.problems import Code, ValueProblemError
from db.importers import spelling
from db.importers.safe_json import quoted

MISSING = frozenset(
    {"", "-", "–", "—", "n/a", "n.a.", "na", "nan", "none", "null", "tbd", "not reported"}
    | {"n / a", "#n/a", "<na>", "tba", "(none)", "?", "--", "---", "없음", "해당 없음", "해당없음", "미보고", "미측정"}
)
"""What people write into a cell where a value is missing."""

LONGEST_NUMBER = 40
"""Characters of a number at most: reading a longer one costs more the longer it is."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")
_NUMBER = re.compile(r"[-+]?([0-9]{1,300}(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?")
_BLANK = frozenset({"", "-", "–", "—"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters by Unicode that show nothing, such as the Hangul fillers."""
_JOINERS = frozenset("\u200c\u200d")
"""Part of the spelling of some languages and of emoji."""
_PLAIN = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?([eE][+-]?\d{1,3})?", re.ASCII)
_SCALED = re.compile(r"(.*[0-9])\s*([^\W\d_]{1,10})")
_WITH_UNIT = re.compile(r"(.*[0-9])\s*([a-zA-Z]{1,3}|/s)")
_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "yes or no"),
    (str, "text"),
    (Real, "a number"),
    (Mapping, "an object"),
    (bytes | bytearray, "bytes"),
    (list | tuple | set, "a list"),
    (type(None), "nothing"),
)


# Lenient: the value that was hoped for, or None.


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is a dict, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def words(value: Any, limit: int = 2000) -> str | None:
    """Return the value, stripped, if it is a text that is not blank."""
    return value.strip()[:limit] if isinstance(value, str) and value.strip() else None


def number(value: Any) -> float | None:
    """Return the value if it is a finite number and no boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: Any, least: int = 0) -> int | None:
    """Return the value if it is a whole number of at least ``least``, also one written as 500.0."""
    result = number(value)
    if result is None or result != int(result) or not least <= result <= 2**53:
        return None
    return int(result)


def is_missing(value: Any) -> bool:
    """Whether a cell holds no value."""
    if isinstance(value, float) and math.isnan(value):
        return True
    return value is None or (isinstance(value, str) and unicodedata.normalize("NFC", value).strip().lower() in MISSING)


def plain(value: Any) -> Any:
    """Turn a text that spells a number into it; return anything else as it is, texts stripped."""
    if not isinstance(value, str):
        return value
    stripped = spelling.plain_number(value) if len(value) <= 2 * LONGEST_NUMBER else value.strip()
    if re.match(r"[-+]?0[0-9]", stripped):
        return stripped
    if _WHOLE.fullmatch(stripped):
        return int(stripped)
    if _NUMBER.fullmatch(stripped) and math.isfinite(float(stripped)):
        return float(stripped)
    return stripped


def hundredth(value: float) -> float:
    """Turn a percentage into a fraction of 1, exact in decimals: 87.84 gives 0.8784."""
    return float(Decimal(repr(value)) / 100)


# Strict: the value as a field of a claim takes it, or a ValueProblemError.


def kind(value: object) -> str:
    """Name the type of a value in words."""
    return next((name for type_, name in _KINDS if isinstance(value, type_)), "something else")


def is_blank(value: object) -> bool:
    """Whether a field is empty: none, blank, or a lone dash."""
    return value is None or (isinstance(value, str) and len(value) < LONGEST_NUMBER and value.strip() in _BLANK)


def text(value: object, limit: int, *, lines: bool = False) -> str:
    """Strip a text and bring it into Unicode's normal form C.

    Args:
        value: Anything.
        limit: Characters at most.
        lines: Whether line breaks and tabs are allowed.

    Raises:
        ValueProblemError: It is not text, too long, or has invisible characters or, in one line, letters in disguise.
    """
    if not isinstance(value, str):
        raise ValueProblemError(Code.NOT_TEXT, kind=kind(value))
    if len(value) > 4 * limit + 100:  # before any work on it
        raise ValueProblemError(Code.TOO_LONG, length=len(value), limit=limit)
    body = value.replace("\r\n", "\n") if lines else value
    for position, sign in enumerate(body.strip(), start=1):
        hidden = unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or sign in _FILLERS
        hidden = hidden and sign not in _JOINERS
        if hidden and not (lines and sign in "\n\t"):
            raise ValueProblemError(Code.HIDDEN_CHARACTER, character=f"U+{ord(sign):04X}", position=position)
    body = unicodedata.normalize("NFC", body).strip()
    if not lines and (disguised := spelling.look_alike(body)):
        raise ValueProblemError(Code.LOOK_ALIKE, **disguised)
    if len(body) > limit:
        raise ValueProblemError(Code.TOO_LONG, length=len(body), limit=limit)
    return body


def required_text(value: object, limit: int) -> str:
    """Read a text that must not be empty; see ``text``."""
    body = text(value, limit)
    if not body:
        raise ValueProblemError(Code.REQUIRED)
    return body


def url(value: object, limit: int = 500) -> str:
    """Read a web address; it is stored as text and never fetched."""
    address = text(value, limit)
    if not address:
        return address
    try:
        parts = urlsplit(address)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
        good = good and parts.password is None and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or any(sign.isspace() or sign in '<>"`\\' for sign in address):
        raise ValueProblemError(Code.NOT_URL)
    return address


def finite(value: object) -> float:
    """Read a finite number; texts may have commas between thousands."""
    if isinstance(value, str):
        return float(_decimal(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueProblemError(Code.NOT_NUMBER, kind=kind(value))
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueProblemError(Code.NOT_FINITE)
    return result + 0.0  # no negative zero


def _decimal(value: str) -> Decimal:
    digits = spelling.plain_number(value) if len(value) < 2 * LONGEST_NUMBER else value
    if len(digits) <= LONGEST_NUMBER and any(sign.isdigit() for sign in digits) and _PLAIN.fullmatch(digits):
        try:
            result = Decimal(digits.replace(",", ""))
        except InvalidOperation:
            result = Decimal("NaN")
        if result.is_finite() and math.isfinite(float(result)):
            return result + 0
    raise ValueProblemError(Code.UNREADABLE_NUMBER, value=quoted(value, 40))


def integer(value: object, low: int, high: int, *, scaled: bool = False) -> int:
    """Read a whole number between two bounds, both included.

    Args:
        value: Anything.
        low: Lower bound.
        high: Upper bound.
        scaled: Whether texts may end in a unit, such as ``110M`` or ``1.1억``.
    """
    scale = 1
    if scaled and isinstance(value, str) and len(value) <= LONGEST_NUMBER:
        match = _SCALED.fullmatch(value.strip())
        if match and match[2].lower() in spelling.COUNTS:
            value, scale = match[1], int(spelling.COUNTS[match[2].lower()])
    result: int | None
    if isinstance(value, str):
        exact = _decimal(value) * scale
        result = int(exact) if exact == exact.to_integral_value() and abs(exact) < 10**18 else None
    elif isinstance(value, Integral) and not isinstance(value, bool):
        result = int(value)
    else:
        real = finite(value)
        result = int(real) if real.is_integer() else None
    if result is None:
        raise ValueProblemError(Code.NOT_WHOLE)
    if not low <= result <= high:
        raise ValueProblemError(Code.OUT_OF_RANGE, low=f"{low:,}", high=f"{high:,}")
    return result


def seconds(value: object) -> float:
    """Read a duration in seconds: a number, ``00:49:15``, ``49:15`` or ``2 h 49 min``, of at most ten years."""
    result = spelling.duration(value.strip()) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None
    if result is None:
        try:
            result = finite(value)
        except ValueProblemError:
            shown = quoted(value, 40) if isinstance(value, str) else kind(value)
            raise ValueProblemError(Code.NOT_DURATION, value=shown) from None
    if not 0 <= result <= 10 * 366 * 86400:
        raise ValueProblemError(Code.DURATION_RANGE)
    return result


def measured(value: object, unit: str) -> float:
    """Read a number that may have the unit of its metric behind it, as the board prints it: ``12.3 ms``, ``22 MB``."""
    match = _WITH_UNIT.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None
    units = {
        "ms": spelling.SECONDS,
        "bytes": {"b": 1.0, **spelling.BYTES},
        "per_s": {"/s": 1.0},
        "usd": {"$": 1.0, "us$": 1.0, "usd": 1.0},
        "joules": {"j": 1.0, "kj": 1e3},  # in small letters a megajoule would be a millijoule
    }.get(unit, {})
    scale = units.get(match[2].lower()) if match else None
    if match is None or scale is None:
        return finite(value)
    return finite(match[1]) * scale * (1000 if unit == "ms" else 1)


def share(value: object) -> float:
    """Read a fraction of 1; a text may be in percent.

    A number from 1 to 100 is refused too: it is not clear whether it is a percentage.
    """
    body = spelling.plain_number(value) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None
    if body is not None and body.endswith("%"):
        result = float(_decimal(body[:-1].strip()) / 100)
        if not 0 <= result <= 1:
            raise ValueProblemError(Code.OUT_OF_RANGE, low="0%", high="100%")
        return result
    result = finite(value)
    if 1 < result <= 100:
        raise ValueProblemError(Code.PERCENT_OR_SHARE, percent=f"{result:.10g}", share=f"{result / 100:.10g}")
    if not 0 <= result <= 1:
        raise ValueProblemError(Code.SHARE_RANGE)
    return result


def correlation(value: object) -> float:
    """Read a number from -1 to 1; a text may be in percent."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    result = finite(value.strip()[:-1]) / 100 if percent and isinstance(value, str) else finite(value)
    if not -1 <= result <= 1:
        raise ValueProblemError(Code.OUT_OF_RANGE, low="-1", high="1")
    return result


def decimals(value: object) -> int:
    """Count the decimals that a metric's value is written with, as a fraction of 1; 0 where it is not a number."""
    body = repr(float(value)) if isinstance(value, Real) else ""
    if isinstance(value, str):
        body = spelling.plain_number(value[: 2 * LONGEST_NUMBER])
    try:
        exponent = _decimal(body.removesuffix("%").strip()).as_tuple().exponent
    except ValueProblemError:
        return 0
    return max(0, -exponent if isinstance(exponent, int) else 0) + 2 * body.endswith("%")
