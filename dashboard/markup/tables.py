"""Tables as markup whose heads sort: columns, rows and cells, and the template that draws them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from dashboard.markup import templates
from dashboard.ui.i18n import _


@dataclass(frozen=True)
class Column:
    """A column; ``first`` is the direction of its first click."""

    label: str
    css: str = "number"
    first: str = "descending"
    unit: str = ""
    help: str = ""
    sorted: str = ""

    @property
    def type(self) -> str:
        """What its cells are sorted as."""
        return "text" if "text" in self.css.split() else "number"


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: Empty where a value is missing.
        value: What it is sorted by; empty comes last.
        css: Its classes.
        title: Shown on hover.
        href: Where its text leads.
        page: The page of the app that this is; empty for any other address.
        sub: Smaller, beside the text.
        caveat: What must be known beside its figures, behind a mark.
        below: Smaller, in the name of a row, on a line of its own.
        tags: Labels beside it.
        shade: Closeness to the best, 0 to 100.
        ends: Low end, value and high end of an interval, 0 to 100.
        dots: Other values on the same scale.
        colour: Of the mark before the text.
        mark: What that mark means.
        shape: Of that mark, where it says the source: ``circle-open``, ``circle`` or ``diamond``.
        verified: Whether the tick stands behind the text.
    """

    text: str
    value: float | str = ""
    css: str = "number"
    title: str = ""
    href: str = ""
    page: str = ""
    sub: str = ""
    caveat: str = ""
    below: str = ""
    tags: Sequence[str] = ()
    shade: int | None = None
    ends: tuple[float, float, float] | None = None
    dots: Sequence[float] = ()
    colour: str = ""
    mark: str = ""
    shape: str = ""
    verified: bool = False

    @property
    def key(self) -> str:
        """Return the value as text."""
        if isinstance(self.value, str):
            return self.value
        return "" if math.isnan(self.value) else f"{self.value:.6g}"


@dataclass(frozen=True)
class Row:
    """A row: its name, and a cell for each further column."""

    name: Cell
    cells: Sequence[Cell] = field(default_factory=tuple)


def words() -> dict[str, str]:
    """Return the texts that every table has."""
    return {"verified": _("Scored again here from its predictions"), "missing": _("No score")}


def render(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    *,
    app: bool,
    css: str = "",
    template: str = "table",
    **more: Any,
) -> Markup:
    """Draw a table.

    With ``app`` links open pages of the app in place; ``css`` are classes of the frame, ``more`` the values of a
    template that includes ``table``.
    """
    fixed: Mapping[str, Any] = {"caption": caption, "columns": columns, "rows": rows, "app": app, "frame": css}
    return templates.render(template, words=words(), **fixed, **more)


def shares(values: tuple[float, float, float], low: float, high: float) -> tuple[float, float, float]:
    """Return where an interval lies between two ends; see ``share``."""
    first, middle, last = (share(value, low, high) for value in values)
    return first, middle, last


def share(value: float, low: float, high: float) -> float:
    """Return where a value lies between two ends, 3 to 97; outside of them it stays at the edge."""
    return round(min(100.0, max(0.0, 3 + 94 * (value - low) / max(high - low, 1e-9))), 1)
