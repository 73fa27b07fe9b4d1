"""Numbers and units as people write them: decimal commas, groups of thousands, full-width digits, units in headers."""

import re
import unicodedata
from collections.abc import Sequence

_SPREAD = re.compile(r"(?<=[\d%])\s*(?:(?:±|\+/-|\+-)\s*[\d.,]+\s*%?|\(\s*±?\s*[\d.,]+\s*%?\s*\))$")
_GROUPED = re.compile(r"(?<=\d)[ '’_](?=\d{3}(?!\d))")
_ENGLISH = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?:,\d+)?|(?:\.\d{3})+,\d+)")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

_UNIT = re.compile(r"(?P<name>.*?)[\s_]*[(\[]\s*(?P<unit>[^()\[\]]{1,12})\s*[)\]]\s*")
_PERCENT = re.compile(
    r"%\s*(?P<before>\w.*)|(?P<name>.+?)(?:(?:[\s_-]+in)?[\s_-]*%|[\s_-]+(?:in\s+)?(?:percent|percentage|pct|퍼센트))\s*",
    re.IGNORECASE,
)
_PERCENTS = {"%", "percent", "per cent", "percentage", "pct", "퍼센트", "in %", "in percent", "단위: %", "단위:%"}
_PERCENTS |= {"×100", "x100", "*100", "× 100", "x 100"}
_ARROWS = " \t↑↓⬆⬇▲▼"
_PARAMETERS = re.compile(
    r"(?P<name>.*(?:param\w*|파라미터(?:[\s_]*수)?))(?:[\s_/]+|\s+in\s+)(?P<unit>[kmb]|thousands?|millions?|billions?)",
    re.IGNORECASE,
)

PERCENT = "%"
COUNTS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
COUNTS |= {"thousands": 1e3, "millions": 1e6, "billions": 1e9}
COUNTS |= {"천": 1e3, "만": 1e4, "백만": 1e6, "천만": 1e7, "억": 1e8, "십억": 1e9}
SECONDS = {
    **dict.fromkeys(("ms", "밀리초"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "seconds", "초"), 1.0),
    **dict.fromkeys(("min", "mins", "minutes", "분"), 60.0),
    **dict.fromkeys(("h", "hrs", "hours", "시간"), 3600.0),
}
BYTES = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30}
_UNITS = {*COUNTS, *SECONDS, *BYTES}
_TIMED = re.compile(
    r"(?P<name>.*(?:time|runtime|latency|시간|p50|p95|p99))[\s_](?P<unit>ms|s|sec|min|minutes|h|hours|밀리초|초|분)"
)
_WORD = re.compile(r"[^\W\d_]+")
_NOT_CONFUSED = frozenset({"LATIN", "HANGUL", "CJK", "HIRAGANA", "KATAKANA"})
"""Scripts whose letters are not looked up; Korean and Latin letters share words in good names."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A cell that begins so is a formula to a spreadsheet, which runs it: a name from outside must not be able to."""
_PASSED_OVER = {"Zs", "Zl", "Zp", "Cc", "Cf", "Mn"}
_SUMMARIES = frozenset(
    {"mean", "average", "avg", "median", "std", "stdev", "deviation", "min", "max", "minimum", "maximum", "total"}
    | {"sum", "count", "overall", "sd", "sem", "평균", "표준편차", "중앙값", "최대", "최소", "합계", "총계"}
)
_QUANTILE = re.compile(r"\s*\d{1,2}(?:\.\d+)?\s*%\s*")
"""As pandas names the rows of ``describe``."""
_CONNECTORS = frozenset(
    {"standard", "dev", "error", "and", "of", "over", "macro", "all", "seeds", "runs", "표준", "편차", "및"}
)
"""Words that may stand beside one that sums up, numbers among them: ``Average (3 seeds)``."""


_MARKUP = re.compile(r"\*\*|__|`|\$|\\(?:textbf|mathbf|underline|text|textit)\b|\\(?=%)|[{}]")
_SINGLE_COMMA = re.compile(r"[+-]?\d+,\d+\s*%?")
_SURE_COMMA = re.compile(r"[+-]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))\s*%?")
_LOCAL = re.compile(r"(?:[A-Za-z]:)?[\\/]|~[\\/]|\.{1,2}(?:[\\/]|$)|file:", re.IGNORECASE)
_CLOCK = re.compile(r"(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d+)?)", re.ASCII)
_PARTS = re.compile(
    r"(?:([0-9]+(?:\.[0-9]+)?)\s*(?:d(?:ays?)?|일))?\s*(?:([0-9]+(?:\.[0-9]+)?)\s*(?:h(?:ours?|rs?)?|시간))?\s*"
    r"(?:([0-9]+(?:\.[0-9]+)?)\s*(?:m(?:in(?:utes?|s)?)?|분))?\s*(?:([0-9]+(?:\.[0-9]+)?)\s*(?:s(?:ec(?:onds?|s)?)?|초))?",
    re.IGNORECASE,
)


def without_markup(text: str) -> str:
    """Take away what Markdown and LaTeX put around a number: bold, mathematics, an escaped percent sign."""
    body = text.replace("_{\\pm", "\\pm").replace("\\pm", "±")
    return _MARKUP.sub("", body) if body.count("*") > 1 or set(body) & set("$\\`{") else body


def decimal_commas(cells: Sequence[object]) -> list[object]:
    """Spell a column whose commas are decimal with points; other cells stay as they are."""
    return [
        cell.replace(",", ".") if isinstance(cell, str) and _SINGLE_COMMA.fullmatch(cell.strip()) else cell
        for cell in cells
    ]


def has_decimal_commas(cells: Sequence[object]) -> bool:
    """Whether a comma in a column of numbers can only be a decimal one: ``0,345``, ``12,5``."""
    return any(isinstance(cell, str) and _SURE_COMMA.fullmatch(cell.strip()) for cell in cells)


def is_local_path(text: str) -> bool:
    """Whether a text is a path on somebody's machine."""
    return bool(_LOCAL.match(text.strip()))


def plain_number(text: str) -> str:
    """Spell a number with a decimal point and without groups; a text that is no number stays as it is.

    A single comma before three digits groups thousands (``1,234``), unless a zero stands before it (``0,345``); every
    other single comma is a decimal one. A spread after the number (``87.3 ± 0.2``) is cut off.
    """
    body = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
    body = _SPREAD.sub("", without_markup(body).strip())
    percent = body.endswith(PERCENT)
    number = _GROUPED.sub("", body.removesuffix(PERCENT).strip())
    if _ENGLISH.fullmatch(number):
        number = number.replace(",", "")
    elif _CONTINENTAL.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    if not re.fullmatch(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?", number, re.ASCII):
        return text.strip()
    return f"{number}{PERCENT}" if percent else number


def split_unit(header: str) -> tuple[str, str]:
    """Split the name of a column from its unit, ``Accuracy (%)`` or ``#Params (M)``; the unit is "" where none is."""
    name = without_markup(unicodedata.normalize("NFKC", header)).strip(_ARROWS)
    match = _UNIT.fullmatch(name)
    if match and match["name"]:
        unit = match["unit"].strip().lower()
        if unit in _PERCENTS:
            return match["name"], PERCENT
        if unit in _UNITS:
            return match["name"], unit
    match = _PERCENT.fullmatch(name)
    if match:
        return match["before"] or match["name"], PERCENT
    match = _TIMED.fullmatch(name.lower()) or _PARAMETERS.fullmatch(name.lower())
    return (name[: len(match["name"])], match["unit"]) if match else (header, "")


def is_summary(name: object) -> bool:
    """Whether the name of a row says that it sums up other rows: ``Mean``, ``Standard deviation``, ``평균``."""
    if not isinstance(name, str):
        return False
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).lower())
    if _QUANTILE.fullmatch(name):
        return True
    return (
        bool(_SUMMARIES & {*words})
        and all(word in _SUMMARIES or word in _CONNECTORS or word.isdigit() for word in words)
    ) or words == ["표준", "편차"]


def look_alike(text: str) -> dict[str, str | int] | None:
    """Describe a letter of another script that passes for a Latin one; None where there is none.

    It stands in a word with Latin letters, or in a word of such letters alone beside Latin words: ``B\u0415RT``. Names
    in other scripts, and Greek letters on their own such as in ``\u03b1-BERT``, are what they seem.
    """
    if text.isascii():
        return None
    words = list(_WORD.finditer(text))
    latin = any(_script(sign) == "LATIN" for word in words for sign in word[0])
    for word in words if latin else ():
        foreign = [sign for sign in word[0] if _script(sign) not in _NOT_CONFUSED]
        passing = {sign: letter for sign in foreign if (letter := _passes_for(sign))}
        alone = len(word[0]) > 1 and len(passing) == len(set(word[0]))
        if passing and (alone or any(_script(sign) == "LATIN" for sign in word[0])):
            sign, letter = next(iter(passing.items()))
            position = word.start() + word[0].index(sign) + 1
            return {"character": f"{sign} (U+{ord(sign):04X})", "latin": letter, "position": position}
    return None


def _script(sign: str) -> str:
    """Return the first word of a letter's name in Unicode, which is its script."""
    return unicodedata.name(sign, "").partition(" ")[0]


def _passes_for(sign: str) -> str | None:
    """Return the letter of ASCII that a letter may be taken for, by Unicode's list of confusable characters."""
    from confusable_homoglyphs import confusables  # noqa: PLC0415 - its table takes 60 ms, and few names need it

    result = confusables.is_confusable(sign, preferred_aliases=["latin"], greedy=True)
    similar = [entry["c"] for entry in result[0]["homoglyphs"]] if result else []
    return next((letter for letter in similar if letter.isascii() and letter.isalpha()), None)


def inert(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return f"'{text}" if _is_formula(text) else text


def from_inert(text: str) -> str:
    """Undo ``inert``."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    """Whether a text is a formula to a spreadsheet, or would be without the apostrophes before it."""
    text = text.lstrip("'")
    # Some spreadsheets pass over spaces and signs without width before they look whether it is a formula.
    first = next((sign for sign in text if unicodedata.category(sign) not in _PASSED_OVER), "")
    return text.startswith(_FORMULA) or first in _FORMULA


def duration(body: str) -> float | None:
    """Seconds of a duration such as ``00:49:15``, ``49:15`` or ``2 h 49 min``; None where it is written otherwise."""
    clock, units = _CLOCK.fullmatch(body), _PARTS.fullmatch(body)
    if clock:
        hours, minutes, rest = clock.groups(default="0")
        valid = float(rest) < 60 and (clock[1] is None or int(minutes) < 60)
        return int(hours) * 3600 + int(minutes) * 60 + float(rest) if valid else None
    if units and any(units.groups()):
        return sum(float(part or 0) * size for part, size in zip(units.groups(), (86400, 3600, 60, 1), strict=True))
    return None
