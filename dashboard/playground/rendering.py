"""What a model said, as blocks that the browser draws: all words from outside are text nodes there, never markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.ui.i18n import _

Block = dict[str, Any]

_ASSETS = Path(__file__).parent.parent / "assets"
_COMPONENT = st.components.v2.component(
    "featherboard.reply",
    html='<div id="reply"></div>',
    css=(_ASSETS / "reply.css").read_text("utf-8"),
    js=(_ASSETS / "reply.js").read_text("utf-8"),
)

_WHOLE = 4000
"""Characters of a text that is shown whole; of a longer one, the surroundings of the answer."""

_AROUND = 700
_NEAR = 40
"""Characters on each side of a candidate."""


def mount(key: str, blocks: Sequence[Block]) -> None:
    """Draw blocks under a key of their own."""
    _COMPONENT(key=key, data={"blocks": list(blocks)})


def headline(words: str, *, quiet: bool = False, beside: str = "") -> Block:
    """The answer in large."""
    return {"type": "headline", "text": words, "quiet": quiet, "beside": beside}


def note(words: str, *, warning: bool = False) -> Block:
    """A sentence in small; a warning stands out."""
    return {"type": "note", "text": words, "warning": warning}


def bars(label: str, rows: Sequence[tuple[str, float]], strong: int = 0) -> Block:
    """Shares as bars.

    Args:
        label: For those who do not see them.
        rows: Name and share, 0 to 1.
        strong: The row that stands out.
    """
    told = [
        {"label": name, "share": share, "value": percent(share), "strong": place == strong}
        for place, (name, share) in enumerate(rows)
    ]
    return {"type": "bars", "label": label, "rows": told}


def marked(label: str, words: str, start: int, end: int) -> Block:
    """A text with a part of it marked; of a long text, the surroundings of that part."""
    first, last = 0, len(words)
    if len(words) > _WHOLE:
        first, last = max(0, start - _AROUND), min(len(words), end + _AROUND)
    pieces: list[dict[str, Any]] = [
        {"t": f"{_('{n} characters').format(n=f'{first:,}')} … ", "mark": "gap"} if first else {"t": ""},
        {"t": words[first:start]},
        {"t": words[start:end], "mark": "answer"},
        {"t": words[end:last]},
        {"t": f" … {_('{n} characters').format(n=f'{len(words) - last:,}')}", "mark": "gap"}
        if last < len(words)
        else {"t": ""},
    ]
    return {"type": "text", "label": label, "pieces": [piece for piece in pieces if piece["t"]]}


@dataclass(frozen=True)
class Mark:
    """A marked part of a text.

    Attributes:
        start: Its first character.
        end: The one after its last.
        kind: ``for`` or ``against``, and ``turns`` after it; see the style sheet.
        strength: How deep its colour is, 0 to 1.
        title: What is told of it on hover.
    """

    start: int
    end: int
    kind: str
    strength: float
    title: str


def weighed(label: str, words: str, marks: Sequence[Mark], *, named: bool = False) -> Block:
    """A text with parts of it marked.

    The text is cut here and goes to the browser in pieces: places count code points here and UTF-16 units there.

    Args:
        label: What the text is.
        words: The text.
        marks: Parts, which do not overlap.
        named: The label is shown too.
    """
    pieces: list[dict[str, Any]] = []
    last = 0
    for one in sorted(marks, key=lambda mark: mark.start):
        pieces += [
            {"t": words[last : one.start]},
            {"t": words[one.start : one.end], "mark": one.kind, "strength": round(one.strength, 3), "title": one.title},
        ]
        last = one.end
    pieces.append({"t": words[last:]})
    return {"type": "text", "label": label, "named": named, "pieces": [piece for piece in pieces if piece["t"]]}


def effects(label: str, rows: Sequence[tuple[str, str, str, str, str, str]]) -> Block:
    """What happens without a part, line by line.

    Args:
        label: What they are.
        rows: Words before the part, the part, words after it, what happens, what the verdict turns into (empty where
            it stays), and both in a sentence.
    """
    names = ("before", "t", "after", "value", "turns", "title")
    return {"type": "effects", "label": label, "rows": [dict(zip(names, row, strict=True)) for row in rows]}


def legend(rows: Sequence[tuple[str, str, str]]) -> Block:
    """What marks mean.

    Args:
        rows: The mark, a word that wears it, what it means.
    """
    return {"type": "legend", "rows": [{"mark": mark, "t": word, "label": label} for mark, word, label in rows]}


def unmarked(label: str, words: str) -> Block:
    """A text without a mark; of a long one, the beginning."""
    shown = words if len(words) <= _WHOLE else f"{words[: 2 * _AROUND]} …"
    return {"type": "text", "label": label, "pieces": [{"t": shown}]}


def candidates(label: str, words: str, rows: Sequence[tuple[float, int, int, str]]) -> Block:
    """Parts of a text with their shares and a little of what stands around them.

    Args:
        label: What they are.
        words: The text.
        rows: Share, first character, the one after the last, and what stands at the end of the line.
    """
    told = [
        {
            "value": percent(share),
            "t": words[start:end],
            "before": _before(words, start),
            "after": _after(words, end),
            "beside": beside,
        }
        for share, start, end, beside in rows
    ]
    return {"type": "list", "label": label, "rows": told}


def _before(words: str, start: int) -> str:
    return ("… " if start > _NEAR else "") + words[max(0, start - _NEAR) : start]


def _after(words: str, end: int) -> str:
    return words[end : end + _NEAR] + (" …" if end + _NEAR < len(words) else "")


def percent(share: float) -> str:
    """A share as it is read: never 100% or 0% of what is only near it."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"
