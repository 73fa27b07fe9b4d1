"""The leaderboard's table: which columns there are, in which units and decimals, and what they are ordered by."""

from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from dashboard.ui import i18n, task_names
from dashboard.ui.formatting import BOARD_UNITS, floats
from dashboard.ui.i18n import _
from dashboard.ui.labels import BOARD_COLUMNS, HELP
from db.leaderboard.board import Board, Order
from db.registry.metrics import Metric

Type = Literal["rank", "model", "score", "number", "tick", "source", "text"]


@dataclass(frozen=True)
class Column:
    """One column that a visitor can choose.

    Attributes:
        key: Its name, in the address too.
        label: Its header.
        unit: Of its figures, beside the header.
        type: What stands in its cells.
        help: One sentence for the reader who does not know the term.
        shown: Whether it is shown before anybody chose.
        scale: Stored values are divided by it to be in the unit.
        digits: Decimals, the same down the column; None for whole numbers as they are.
        order: The column of the board that it is ordered by.
        falling: Whether the first click on its header shows the highest first: where more is better.
    """

    key: str
    label: str
    unit: str = ""
    type: Type = "number"
    help: str = ""
    shown: bool = True
    scale: float = 1.0
    digits: int | None = 2
    order: str = ""
    falling: bool = False

    @property
    def by(self) -> str:
        """The column of the board that it is ordered by."""
        return self.order or self.key


_MADE: "WeakKeyDictionary[Board, dict[str, list[Column]]]" = WeakKeyDictionary()


def columns(board: Board, metric: Metric) -> list[Column]:
    """The columns of a board, in order; further metrics of its runs come last and are hidden at first.

    Worked out once for each board that is held, in each language: it looks at every figure of every run.
    """
    made = _MADE.setdefault(board, {})
    spoken = i18n.current_language()
    if spoken not in made:
        made[spoken] = _columns(board, metric)
    return made[spoken]


def _columns(board: Board, metric: Metric) -> list[Column]:
    rows, figures = board.rows, board.figures
    several = bool((floats(rows["seeds"]) > 1).any())
    of_latency = metric.name == "latency_ms_p50"  # models stand there once for each number format
    unfinished = bool((rows["status"] != "finished").any())
    # Minutes, or seconds where no training took ten minutes.
    seconds, time_unit = (1.0, "s") if _largest(rows["train_seconds"]) < 600 else (60.0, "min")
    points = {"unit": _(BOARD_UNITS["points"]), "scale": 0.01} if metric.unit == "percent" else {}

    def named(key: str, explained: str = "", **more: Any) -> Column:
        return Column(key, _(BOARD_COLUMNS[key]), help=_(HELP.get(explained, "")), **more)

    def latency(key: str, *, shown: bool = True) -> Column:
        return named(key, "latency", unit="ms", shown=shown, digits=_digits(rows[key]))

    def size(key: str, values: pd.Series | None, explanation: str) -> Column:
        return _size(key, _(BOARD_COLUMNS[key]), values, explanation)

    marks = _("A name opens its run. The mark before it: its colour is the family, its shape the source.")
    memory = "peak_memory_bytes"
    fixed = [
        named("rank", "rank", type="rank"),
        Column("model", _(BOARD_COLUMNS["model"]), type="model", help=marks),
        _of_metric(metric, rows["score"], key="score", kind="score", shown=True),
        named("params", "params", digits=None),
        size("checkpoint_bytes", rows["checkpoint_bytes"], _(HELP["size"])),
        latency("latency_ms_p50", shown=not of_latency),
        named("seeds", "seeds", shown=several, digits=None, falling=True),
        named("spread", "seeds", shown=several, **points),
        size(memory, figures.get(memory), task_names.metric(memory).help),
        named("train_seconds", "train", unit=_(BOARD_UNITS[time_unit]), scale=seconds, digits=1),
        named("source", "source", type="source"),
        named("dataset", "dataset", type="text"),
        named("family", type="text", shown=False),
        named("verified", "verified", type="tick", shown=False, falling=True),
        named("name", type="text", shown=of_latency),
        named("teacher", type="text", shown=False),
        named("seed", shown=False, digits=None),
        named("range", "seeds", type="text", shown=False, order="least", falling=True),
        named("device", type="text", shown=False),
        named("status", type="text", shown=unfinished),
        named("citation", "citation", type="text", shown=False),
        latency("latency_ms_p95", shown=False),
    ]
    covered = {column.key for column in fixed} | {metric.name}
    extra = sorted(set(figures.columns) - covered)
    return [*fixed, *(_of_metric(task_names.metric(name), figures[name], key=name) for name in extra)]


def chosen(offered: list[Column], more: tuple[str, ...], less: tuple[str, ...]) -> list[Column]:
    """The columns to draw: those that show themselves, with what the visitor added and took away."""
    return [column for column in offered if column.key in more or (column.shown and column.key not in less)]


def keep_choice(
    offered: list[Column], keys: list[str], more: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a visitor added and took away, from the columns that are chosen now.

    What was added on another board and does not exist on this one is still there when the visitor goes back.
    """
    present = {column.key for column in offered}
    added = [column.key for column in offered if column.key in keys and not column.shown]
    taken = [column.key for column in offered if column.shown and column.key not in keys]
    return (*added, *(key for key in more if key not in present)), tuple(taken)


def orders(offered: list[Column], sort: tuple[Order, ...]) -> list[Order]:
    """What the rows are ordered by; columns that this board does not have are passed over."""
    by = {column.key: column.by for column in offered}
    return [Order(by[order.key], order.descending) for order in sort if order.key in by]


def shown_order(offered: list[Column], sort: tuple[Order, ...]) -> tuple[Order, ...]:
    """What the headers say: the board's own order is that of its score, the best first."""
    present = {column.key: column for column in offered}
    known = tuple(order for order in sort if order.key in present)
    return known or (Order("score", present["score"].falling),)


def clicked(offered: list[Column], sort: tuple[Order, ...], key: str, *, add: bool) -> tuple[Order, ...]:
    """The order after a click on a header: first the way that is better, then the other, then the board's own.

    With ``add`` it becomes a further key, behind those of ``sort``, which is empty for the board's own order.
    """
    column = next((column for column in offered if column.key == key), None)
    if column is None:
        return sort
    own = shown_order(offered, ())
    before = shown_order(offered, sort)
    mine = next((order for order in before if order.key == key), None)
    if mine is None:
        after = (*(before if add else ()), Order(key, column.falling))
    elif mine.descending == column.falling:
        turned = Order(key, not column.falling)
        after = tuple(turned if order.key == key else order for order in before) if add else (turned,)
    else:  # both ways were shown
        after = tuple(order for order in before if order.key != key) if add else ()
    return () if after == own else after


def _of_metric(metric: Metric, values: pd.Series, *, key: str, kind: Type = "number", shown: bool = False) -> Column:
    if metric.unit == "bytes":
        return _size(key, metric.label, values, metric.help, shown=shown)
    factor = 0.01 if metric.unit == "percent" else 1.0
    digits = {"percent": 2, "points": 2, "ms": _digits(values), "s": 1, "count": None, "per_s": 0}.get(
        metric.unit, _digits(values)
    )
    return Column(
        key,
        metric.label,
        _(BOARD_UNITS[metric.unit]),
        kind,
        metric.help,
        shown,
        scale=factor,
        digits=digits,
        falling=metric.direction == "max",
    )


def _size(key: str, label: str, values: pd.Series | None, help_text: str, shown: bool = True) -> Column:
    scale = 1e6 if values is not None and _largest(values) >= 1e7 else 1e3
    present = values is not None and bool(values.notna().any())
    return Column(
        key,
        label,
        "MB" if scale == 1e6 else "kB",
        help=help_text,
        shown=shown and (present or key == "checkpoint_bytes"),
        scale=scale,
        digits=0 if values is None else min(2, _digits(values / scale)),
    )


def _largest(values: pd.Series) -> float:
    known = floats(values.dropna())
    return float(known.max()) if len(known) else 0.0


def _digits(values: pd.Series) -> int:
    """Decimals that show the middle value of a column with three digits."""
    known = np.abs(floats(values))
    known = known[~np.isnan(known) & (known > 0)]
    if not len(known):
        return 2
    return int(np.clip(2 - np.floor(np.log10(np.median(known))), 0, 4))
