"""Values of unknown type, looked at with care: each function gives what was hoped for, or None."""

import math
import re
from decimal import Decimal
from typing import Any

MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "none", "null", "없음"})
"""What people write where they have nothing to say."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]{1,300}(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?")


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is a dict, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def words(value: Any, most: int = 2000) -> str | None:
    """The value where it is a text with something in it."""
    return value.strip()[:most] if isinstance(value, str) and value.strip() else None


def number(value: Any) -> float | None:
    """The value where it is a finite number; a boolean is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: Any, least: int = 0) -> int | None:
    """The value where it is a whole number of at least ``least``, also one written as 500.0."""
    found = number(value)
    if found is None or found != int(found) or not least <= found <= 2**53:
        return None
    return int(found)


def is_missing(value: Any) -> bool:
    """Whether a cell says nothing."""
    if isinstance(value, float) and math.isnan(value):
        return True
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING)


def plain(value: Any) -> Any:
    """A cell's text as the number that it spells, where it does; anything else as it is, without spaces around."""
    if not isinstance(value, str):
        return value
    stripped = value.strip()
    if _WHOLE.fullmatch(stripped) and not re.match(r"[-+]?0[0-9]", stripped):
        return int(stripped)
    if _NUMBER.fullmatch(stripped) and not re.match(r"[-+]?0[0-9]", stripped) and math.isfinite(float(stripped)):
        return float(stripped)
    return stripped


def hundredth(value: float) -> float:
    """A percentage as a fraction of 1, exact in decimals: 87.84 gives 0.8784."""
    return float(Decimal(repr(value)) / 100)
