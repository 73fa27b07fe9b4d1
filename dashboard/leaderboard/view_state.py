"""What a visitor looks at on the leaderboard, and how the address says it: short codes, no defaults.

A label never stands in the address: a link must survive a new wording, and be the same in every language.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from urllib.parse import parse_qs, urlencode

from db.leaderboard.board import Filter, Order
from db.leaderboard.filters import Range

WHOLE: Range = (None, None)

_LISTS = {"family": "families", "source": "sources", "status": "statuses", "device": "devices", "data": "datasets"}
_RANGES = {"params": "params", "ms": "latency_ms", "bytes": "size_bytes"}
CODES = ("task", "every", "q", *_LISTS, "verified", *_RANGES, "sort", "col", "page", "open")
"""Every name that the leaderboard has in the address."""

_MOST, _LONGEST = 60, 200  # values of one name, and characters of one value: an address is not a place for books


@dataclass(frozen=True)
class View:
    """One state of the leaderboard; the default is what a visitor sees who asked for nothing.

    Attributes:
        task: The board; empty for the first one.
        every: Every run, instead of one row for each variant.
        search: See ``db.leaderboard.filters.Filter``, as are the fields up to ``size_bytes``.
        sort: What the rows are ordered by; the board's own order where empty.
        more: Columns that the visitor added to those that the board shows by itself.
        less: Columns that the visitor took away.
        page: From 1.
        opened: Beginnings of the ids of rows whose seeds are shown.
    """

    task: str = ""
    every: bool = False
    search: str = ""
    families: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    verified: bool | None = None
    devices: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    params: Range = WHOLE
    latency_ms: Range = WHOLE
    size_bytes: Range = WHOLE
    sort: tuple[Order, ...] = ()
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    page: int = 1
    opened: tuple[str, ...] = ()

    def filter(self) -> Filter:
        """The part that chooses rows."""
        return Filter(**{one.name: getattr(self, one.name) for one in fields(Filter)})

    def unfiltered(self) -> "View":
        """The same without filters, from the first page."""
        free = Filter()
        return replace(self, page=1, **{one.name: getattr(free, one.name) for one in fields(Filter)})

    def on(self, task: str) -> "View":
        """Another board; what a visitor asks of every board comes along, what names things of this one does not."""
        return replace(
            self, task=task, search="", families=(), statuses=(), devices=(), datasets=(), sort=(), page=1, opened=()
        )


def encode(view: View) -> dict[str, list[str]]:
    """The address of a view, as values by name; nothing that equals the default."""
    told: dict[str, list[str]] = {
        "task": [view.task] if view.task else [],
        "every": ["1"] if view.every else [],
        "q": [view.search] if view.search else [],
        "verified": [] if view.verified is None else [str(int(view.verified))],
        "sort": [f"-{order.key}" if order.descending else order.key for order in view.sort],
        "col": [*view.more, *(f"-{key}" for key in view.less)],
        "page": [str(view.page)] if view.page > 1 else [],
        "open": list(view.opened),
    }
    told |= {code: list(getattr(view, name)) for code, name in _LISTS.items()}
    ranges = {code: getattr(view, name) for code, name in _RANGES.items()}
    told |= {code: [] if ends == WHOLE else ["..".join(map(_number, ends))] for code, ends in ranges.items()}
    return {code: told[code] for code in CODES if told[code]}


def parse(address: Mapping[str, Sequence[str]]) -> View:
    """The view of an address; what makes no sense in it is passed over."""
    told = {code: [value[:_LONGEST] for value in address.get(code, ()) if value][:_MOST] for code in CODES}
    one = {code: values[0] if values else "" for code, values in told.items()}
    columns = told["col"]
    return View(
        task=one["task"],
        every=one["every"].lower() in {"1", "true"},
        search=one["q"],
        verified={"1": True, "0": False}.get(one["verified"]),
        sort=_orders(told["sort"]),
        more=_once(key for key in columns if not key.startswith("-")),
        less=_once(key[1:] for key in columns if key.startswith("-") and key != "-"),
        page=_page(one["page"]),
        opened=_once(told["open"]),
        **{name: _once(told[code]) for code, name in _LISTS.items()},  # type: ignore[arg-type]
        **{name: _range(one[code]) for code, name in _RANGES.items()},  # type: ignore[arg-type]
    )


def query(view: View) -> str:
    """The address as one text, for links and for views that are kept."""
    return urlencode(encode(view), doseq=True)


def parsed(text: str) -> View:
    """The view of such a text."""
    return parse(parse_qs(text, max_num_fields=1000) if text.count("&") < 1000 else {})


def _once(values: Iterable[str]) -> tuple[str, ...]:
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
    least, most = ends
    return WHOLE if least is not None and most is not None and least > most else ends


def _end(code: str) -> float | None:
    try:
        value = float(code)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
