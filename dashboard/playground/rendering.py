"""Answers as blocks that the browser draws: text from outside becomes text nodes there, never markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.markup import templates
from dashboard.ui.i18n import _

Block = dict[str, Any]

_COMPONENT = templates.component("reply", "reply", "reply")

_MAX_WHOLE = 4000
"""Characters of a text that is shown whole; of a longer one, what surrounds the answer."""

_AROUND_ANSWER, _AROUND_CANDIDATE = 700, 40
"""Characters on each side."""


def mount(key: str, blocks: Sequence[Block]) -> None:
    """Draw blocks under a key of their own."""
    _COMPONENT(key=key, data={"blocks": list(blocks)})


def headline(text: str, *, quiet: bool = False, detail: str = "") -> Block:
    """The answer in large."""
    return {"type": "headline", "text": text, "quiet": quiet, "beside": detail}


def note(text: str, *, warning: bool = False) -> Block:
    """A sentence in small; a warning stands out."""
    return {"type": "note", "text": text, "warning": warning}


def edited(text: str, fields: Sequence[tuple[str, str]]) -> Block:
    """A warning that is seen while a field, named by its key, holds another text than the one beside it."""
    return {"type": "edited", "text": text, "fields": [list(field) for field in fields]}


def bars(label: str, shares: Sequence[tuple[str, float]], strong: int = 0) -> Block:
    """Names and shares (0 to 1) as bars; the row of index ``strong`` stands out. Screen readers read the label."""
    rows = [
        {"label": name, "share": share, "value": percent(share), "strong": index == strong}
        for index, (name, share) in enumerate(shares)
    ]
    return {"type": "bars", "label": label, "rows": rows}


def marked(label: str, text: str, start: int, end: int) -> Block:
    """A text with a part of it marked; of a long text, the surroundings of that part."""
    first, last = 0, len(text)
    if len(text) > _MAX_WHOLE:
        first, last = max(0, start - _AROUND_ANSWER), min(len(text), end + _AROUND_ANSWER)
    pieces: list[dict[str, Any]] = [
        {"t": text[first:start]},
        {"t": text[start:end], "mark": "answer"},
        {"t": text[end:last]},
    ]
    if first:
        pieces.insert(0, {"t": _characters(first) + " … ", "mark": "gap"})
    if last < len(text):
        pieces.append({"t": " … " + _characters(len(text) - last), "mark": "gap"})
    return _text(label, pieces)


def _text(label: str, pieces: Sequence[dict[str, Any]]) -> Block:
    return {"type": "text", "label": label, "pieces": [piece for piece in pieces if piece["t"]]}


def _characters(count: int) -> str:
    return _("{n} characters").format(n=f"{count:,}")


@dataclass(frozen=True)
class Mark:
    """A marked part of a text.

    Attributes:
        start: Its first character.
        end: The one after its last.
        kind: ``for`` or ``against``, and ``turns`` after it; see the style sheet.
        strength: How deep its colour is, 0 to 1.
        title: Shown on hover.
    """

    start: int
    end: int
    kind: str
    strength: float
    title: str


def weighted(label: str, text: str, marks: Sequence[Mark], *, named: bool = False) -> Block:
    """A text with parts of it marked, under its label where it is ``named``.

    The text is cut into pieces before it goes to the browser: positions count code points here and UTF-16 units there.
    """
    pieces: list[dict[str, Any]] = []
    last = 0
    for mark in sorted(marks, key=lambda mark: mark.start):
        part = {"mark": mark.kind, "strength": round(mark.strength, 3), "title": mark.title}
        pieces += [{"t": text[last : mark.start]}, {"t": text[mark.start : mark.end], **part}]
        last = mark.end
    return {**_text(label, [*pieces, {"t": text[last:]}]), "named": named}


def effects(label: str, rows: Sequence[dict[str, str]]) -> Block:
    """What leaving out a part does, line by line.

    Args:
        label: What they are.
        rows: ``before``, ``t`` and ``after`` (the sentence around the part), ``value``, ``turns`` (the label it flips
            to, or empty) and ``title``, all of it in a sentence.
    """
    return {"type": "effects", "label": label, "rows": list(rows)}


def legend(rows: Sequence[tuple[str, str, str]]) -> Block:
    """The meaning of marks: rows of mark, sample word, meaning."""
    return {"type": "legend", "rows": [{"mark": mark, "t": word, "label": label} for mark, word, label in rows]}


def unmarked(label: str, text: str) -> Block:
    """A text without a mark; of a long one, the beginning."""
    return _text(label, [{"t": text if len(text) <= _MAX_WHOLE else f"{text[: 2 * _AROUND_ANSWER]} …"}])


def candidates(label: str, text: str, rows: Sequence[tuple[float, int, int, str]]) -> Block:
    """Parts of a text with their shares and a few characters of context.

    A row is a share, the first character, the one after the last, and a note at the end of the line.
    """
    around = _AROUND_CANDIDATE
    lines = [
        {
            "value": percent(share),
            "t": text[start:end],
            "before": ("… " if start > around else "") + text[max(0, start - around) : start],
            "after": text[end : end + around] + (" …" if end + around < len(text) else ""),
            "beside": remark,
        }
        for share, start, end, remark in rows
    ]
    return {"type": "list", "label": label, "rows": lines}


def percent(share: float) -> str:
    """Format a share; one that is only close to 100% or 0% is not rounded to it."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"
