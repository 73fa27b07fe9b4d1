"""A model's score on a board as a picture for a README: ``NSMC | 87.89 ± 0.3, verified``."""

import html
import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np

from db.base.errors import NotFoundError
from db.leaderboard.board import Board
from db.registry import formats
from db.registry.metrics import known
from db.sharing import rendering
from db.sharing.words import benchmark

_WORDS = {
    "en": {"verified": "verified", "reported": "reported", "title": "{model}: {metric} {value} on {task}"},
    "ko": {"verified": "검증됨", "reported": "문헌 수치", "title": "{model}: {task}, {value} ({metric})"},
}

_VERIFIED, _PLAIN, _REPORTED = "#0F766E", "#475569", "#6B7280"
"""Grounds of the right half; white text on each has a contrast above 4.5."""

_NARROW, _WIDE = frozenset("fijlrtI1.,:;|!'()[] "), frozenset("mwMW%@±")
_EM, _PADDING = 11.0, 7.0


@dataclass(frozen=True)
class Badge:
    """A badge.

    Attributes:
        label: The left half, the name of the board.
        message: The right half, such as ``87.89 ± 0.3, verified``.
        title: The whole as a sentence, for screen readers and on hover.
        svg: The picture.
    """

    label: str
    message: str
    title: str
    svg: str


def width(text: str) -> float:
    """Estimate the width of a text in pixels at the badge's size; a Hangul syllable fills its square."""
    return sum(_share(sign) for sign in text) * _EM


def _share(sign: str) -> float:
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return 0.96
    if sign in _NARROW:
        return 0.34
    if sign in _WIDE or sign.isupper():
        return 0.86 if sign in _WIDE else 0.7
    return 0.6


def badge(shown: Board, model: str, language: str = "en") -> Badge:
    """Draw the badge of a model: its best row that was measured or submitted, else the best printed figure.

    Raises:
        NotFoundError: The model has no score on this board.
    """
    rows = shown.rows[(shown.rows["model"] == model) & shown.rows["score"].notna()]
    if rows.empty:
        raise NotFoundError(f"{model[:80]!r} has no score on the board {shown.task['task_id']}.")
    row = rows.sort_values("source", key=lambda source: source == "reported", kind="stable").iloc[0]
    words = _WORDS.get(language, _WORDS["en"])
    label = benchmark(shown.task, language)
    metric = known(str(shown.task["metric"]))
    value = _value(row, percent=metric.unit == "percent") or formats.value(metric, float(row["score"]))
    remark = "verified" if row["verified"] else "reported" if row["source"] == "reported" else ""
    message = f"{value}, {words[remark]}" if remark else value
    colour = {"verified": _VERIFIED, "reported": _REPORTED}.get(remark, _PLAIN)
    title = words["title"].format(model=model, metric=metric.label, value=message, task=label)
    left, right = (round(width(text) + 2 * _PADDING) for text in (label, message))
    svg = rendering.render(
        "badge.svg", label=label, message=message, title=title, left=left, right=right, colour=colour
    )
    return Badge(label, message, title, svg)


def snippets(made: Badge, image: str, page: str) -> dict[str, str]:
    """Return Markdown and HTML that show a badge by the address of its picture, and link to a page."""
    alt = f"{made.label} {made.message}"
    escaped = "".join(f"\\{sign}" if sign in "[]\\" else sign for sign in alt)
    image_html, page_html = html.escape(image), html.escape(page)
    return {
        "Markdown": f"[![{escaped}]({image})]({page})",
        "HTML": f'<a href="{page_html}"><img src="{image_html}" alt="{html.escape(alt)}" height="20"></a>',
    }


def _value(row: Any, *, percent: bool) -> str:
    """A share in percent with half of its interval; empty for any other unit."""
    if not percent:
        return ""
    low, high = float(row["low"]), float(row["high"])
    margin = "" if np.isnan(high - low) else f" ± {50 * (high - low):.1f}"
    return f"{100 * float(row['score']):.2f}{margin}"
