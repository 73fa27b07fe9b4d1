"""The state of the leaderboard and its address: short codes, no defaults, no labels.

A link must survive a new wording, and be the same in every language.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from db.leaderboard.board import Filter, Order
from db.leaderboard.filters import Range

WHOLE: Range = (None, None)

_LISTS = {
    "family": "families",
    "source": "sources",
    "status": "statuses",
    "device": "devices",
    "data": "datasets",
    "tag": "tags",
}
_RANGES = {"params": "params", "ms": "latency_ms", "bytes": "size_bytes"}
CODES = ("task", "every", "printed", "q", *_LISTS, "verified", *_RANGES, "sort", "col", "page", "open")
"""Every name that the leaderboard has in the address."""

_MAX_VALUES, _MAX_LENGTH = 60, 200  # values of one name, and characters of one value
_EVERYTHING = Filter()
_FILTERS = frozenset(field.name for field in fields(Filter))


@dataclass(frozen=True)
class View:
    """One state of the leaderboard; the default is the board as it opens.

    Attributes:
        task: The board; empty for the first one.
        every: Every run, instead of one row for each variant.
        printed: Rank printed rows among the others.
        filter: The rows that are shown.
        sort: What the rows are ordered by; the board's own order where empty.
        more: Columns that the visitor added to those that the board shows by itself.
        less: Columns that the visitor took away.
        page: From 1.
        opened: Beginnings of the ids of rows whose seeds are shown.
    """

    task: str = ""
    every: bool = False
    printed: bool = False
    filter: Filter = _EVERYTHING
    sort: tuple[Order, ...] = ()
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    page: int = 1
    opened: tuple[str, ...] = ()

    def changed(self, **parts: Any) -> "View":
        """Return the view with other parts, those of its filter among them."""
        filters = {name: parts.pop(name) for name in parts.keys() & _FILTERS}
        return replace(self, filter=replace(self.filter, **filters), **parts)

    def unfiltered(self) -> "View":
        """Return the view without filters, on the first page."""
        return replace(self, page=1, filter=_EVERYTHING)

    def on(self, task: str) -> "View":
        """Return the view of another board, without what names things of this one."""
        return self.changed(
            task=task, search="", families=(), statuses=(), devices=(), datasets=(), tags=(), sort=(), page=1, opened=()
        )


def encode(view: View) -> dict[str, list[str]]:
    """Return the address of a view, as values by name, without defaults."""
    rows = view.filter
    values: dict[str, list[str]] = {
        "task": [view.task] if view.task else [],
        "every": ["1"] if view.every else [],
        "printed": ["1"] if view.printed else [],
        "q": [rows.search] if rows.search else [],
        "verified": [] if rows.verified is None else [str(int(rows.verified))],
        "sort": [f"-{order.key}" if order.descending else order.key for order in view.sort],
        "col": [*view.more, *(f"-{key}" for key in view.less)],
        "page": [str(view.page)] if view.page > 1 else [],
        "open": list(view.opened),
    }
    values |= {code: list(getattr(rows, name)) for code, name in _LISTS.items()}
    ranges = {code: getattr(rows, name) for code, name in _RANGES.items()}
    values |= {code: [] if ends == WHOLE else ["..".join(map(_number, ends))] for code, ends in ranges.items()}
    return {code: values[code] for code in CODES if values[code]}


def parse(address: Mapping[str, Sequence[str]]) -> View:
    """Return the view of an address, ignoring what makes no sense in it."""
    values = {code: [text[:_MAX_LENGTH] for text in address.get(code, ()) if text][:_MAX_VALUES] for code in CODES}
    first = {code: texts[0] if texts else "" for code, texts in values.items()}
    columns = values["col"]
    return View(
        task=first["task"],
        every=first["every"].lower() in {"1", "true"},
        printed=first["printed"].lower() in {"1", "true"},
        filter=Filter(
            search=first["q"],
            verified={"1": True, "0": False}.get(first["verified"]),
            **{name: _unique(values[code]) for code, name in _LISTS.items()},  # type: ignore[arg-type]
            **{name: _range(first[code]) for code, name in _RANGES.items()},  # type: ignore[arg-type]
        ),
        sort=_orders(values["sort"]),
        more=_unique(key for key in columns if not key.startswith("-")),
        less=_unique(key[1:] for key in columns if key.startswith("-") and key != "-"),
        page=_page(first["page"]),
        opened=_unique(values["open"]),
    )


def query(view: View) -> str:
    """Return the address as one text, for links and saved views."""
    return urlencode(encode(view), doseq=True)


def parsed(text: str) -> View:
    """Return the view of such a text."""
    return parse(parse_qs(text, max_num_fields=1000) if text.count("&") < 1000 else {})


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _orders(codes: Sequence[str]) -> tuple[Order, ...]:
    orders = [Order(code.removeprefix("-"), code.startswith("-")) for code in codes]
    return tuple({order.key: order for order in reversed(orders) if order.key}.values())[::-1]


def _page(code: str) -> int:
    return int(code) if code.isascii() and code.isdecimal() and 0 < len(code) < 8 and int(code) > 0 else 1


def _number(end: float | None) -> str:
    return "" if end is None else f"{end:.15g}"


def _range(code: str) -> Range:
    low, between, high = code.partition("..")
    ends = (_end(low), _end(high)) if between else WHOLE
    lowest, highest = ends
    return WHOLE if lowest is not None and highest is not None and lowest > highest else ends


def _end(code: str) -> float | None:
    try:
        value = float(code)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
