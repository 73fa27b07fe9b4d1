"""What stands in each cell of the leaderboard: figures in their units, intervals on a scale, ranks with ties."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.leaderboard.columns import Column
from dashboard.ui import formatting
from dashboard.ui.formatting import BOARD_UNITS, Scale
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import SOURCES, VERIFIED_MARK
from dashboard.ui.markdown import cited_title
from db.leaderboard.board import Board
from db.leaderboard.filters import Range
from db.registry import formats
from db.registry.citations import resolve
from db.registry.metrics import Metric
from db.registry.validation_split import CAVEATS, joined

MINUS = "\N{MINUS SIGN}"


def score_cell(metric: Metric, column: Column, shared: Scale, score: float, low: float, high: float) -> list[Any]:
    """The figure, the places of low end, score and high end on the scale, and the interval in words."""
    if np.isnan(score):
        return [""]
    known = not (np.isnan(low) or np.isnan(high))
    text = _("95% interval {low} to {high}").format(
        low=formatting.value(metric, low), high=formatting.value(metric, high)
    )
    ends = (low, score, high) if known else (score,) * 3
    places = [shared.position(value) for value in ends]
    return [
        number(column, score),
        places,
        text if known else _("No interval: how many examples were scored is not known"),
    ]


def column(board: Board, shown: Column, positions: NDArray[np.intp], metric: Metric, shared: Scale) -> list[list[Any]]:
    """What stands in a column at some positions of the board; a figure that nobody gave is an empty text."""

    def of(name: str) -> pd.Series:  # not all columns of all rows, for each column that is drawn
        return board.rows[name].iloc[positions]

    def together(*names: str) -> list[list[float]]:
        columns = [formatting.floats(of(name)) for name in names]
        return [list(ends) for ends in zip(*(values.tolist() for values in columns), strict=True)]

    made: dict[str, Callable[[], list[list[Any]]]] = {
        "rank": lambda: [_rank(board, position) for position in positions.tolist()],
        "model": lambda: [[] for _unused in positions],
        "score": lambda: [score_cell(metric, shown, shared, *ends) for ends in together("score", "low", "high")],
        "params": lambda: [
            [number(shown, value), formats.short(value)] for value in formatting.floats(of("params")).tolist()
        ],
        "source": lambda: [
            [source_text(source, owner), bool(verified)]
            for source, owner, verified in zip(of("source"), of("owner"), of("verified"), strict=True)
        ],
        "verified": lambda: [[VERIFIED_MARK if value else ""] for value in of("verified")],
        "status": lambda: [[formatting.status(*pair)] for pair in zip(of("status"), of("heartbeat"), strict=True)],
        "seeds": lambda: [[seeds_text(seeds, failed)] for seeds, failed in together("seeds", "failed")],
        "citation": lambda: [_cited(value) for value in of("citation")],
        "dataset": lambda: [[formatting.stored(value) if isinstance(value, str) else ""] for value in of("dataset")],
        "device": lambda: [[formatting.stored(value) if isinstance(value, str) else ""] for value in of("device")],
        "range": lambda: [[_range(metric, least, highest)] for least, highest in together("least", "most")],
    }
    if shown.key in made:
        return made[shown.key]()
    values = (
        of(shown.key)
        if shown.key in board.rows
        else board.figures[shown.key].iloc[positions]
        if shown.key in board.figures
        else pd.Series(np.nan, index=board.rows.index[positions])
    )
    if shown.type == "text":
        return [["" if pd.isna(value) else str(value)] for value in values]
    present = board.partial.get(shown.key, pd.Series(0, index=board.rows.index)).iloc[positions]
    return [
        [partial(number(shown, value), count, seeds)]
        for value, count, seeds in zip(formatting.floats(values).tolist(), present, of("seeds"), strict=True)
    ]


def number(column: Column, value: float) -> str:
    """A stored value in the unit of its column."""
    if np.isnan(value):
        return ""
    text = f"{value / column.scale:,.{column.digits or 0}f}"
    sign = "+" if value > 0 and column.type == "score" and column.unit == _(BOARD_UNITS["points"]) else ""
    return sign + text.replace("-", MINUS)


def named_range(ends: Range, text: Callable[[float], str]) -> str:
    """A range in words: ``up to 1 MB``, ``from 5 ms``, ``1k to 30k``."""
    low, high = ends
    if low is None:
        return _("up to {high}").format(high=text(high or 0.0))
    if high is None:
        return _("from {low}").format(low=text(low))
    return _("{low} to {high}").format(low=text(low), high=text(high))


def _rank(board: Board, position: int) -> list[str]:
    first, last = board.ranks.ends[position].tolist()
    about = int(board.ranks.about[position])
    if about:
        return [
            _("about {rank}").format(rank=about),
            _("By its score alone: without an interval there is no telling which rows it ties with."),
        ]
    if not first:
        printed = board.rows["source"].iat[position] == "reported"
        return ["", _("Printed rows are ranked on request.")] if printed else [""]
    if first == last:
        return [str(first)]
    tested, overlapping = board.ranks.ties[position].tolist()
    reasons = []
    if tested:
        rows = ngettext("{n} other row", "{n} other rows", tested)
        reasons.append(_("a paired test on the same examples finds no difference from {rows}").format(rows=rows))
    if overlapping:
        rows = ngettext("{n} other row", "{n} other rows", overlapping)
        reasons.append(_("its interval overlaps with that of {rows}").format(rows=rows))
    return [
        f"{first}–{last}",
        _("Ranks {first} to {last}: {reasons}.").format(first=first, last=last, reasons="; ".join(reasons)),
    ]


def seeds_text(seeds: float, failed: float) -> str:
    """``3``, or ``3 of 4`` where seeds gave no score; empty for a row without seeds."""
    if np.isnan(seeds):
        return ""
    return _("{count} of {all}").format(count=int(seeds), all=int(seeds + failed)) if failed > 0 else f"{int(seeds)}"


def source_text(source: str, owner: object) -> str:
    """Where a row comes from, with the beginning of the id of another installation."""
    return f"{_(SOURCES[source])} ({owner[:8]})" if isinstance(owner, str) else _(SOURCES[source])


def others(count: int) -> list[str]:
    """Runs of the same variant that are not behind its row, with what to do to see them."""
    if not count:
        return []
    return [
        ngettext("+{n} run", "+{n} runs", count),
        _(
            "Further runs of this model, source and data set: with other settings, or earlier ones of a seed. Every "
            "run shows them."
        ),
    ]


def caveat(row: Any) -> str:
    """What must be known of a row of a board beside its figure; empty where nothing must."""
    choice = CAVEATS[0 if pd.isna(row.choice) else int(row.choice)]
    return joined(row.caveat, choice and _(choice)) or ""


def tags(stored: object) -> list[str]:
    """What moderators tagged a row with."""
    return stored.split() if isinstance(stored, str) else []


def partial(text: str, count: int, seeds: float) -> str:
    """A figure that some seeds of a row have, with how many."""
    if not count:
        return text
    share = _("{count} of {all}").format(count=count, all=int(seeds))
    return f"{text} ({share})" if text else share


def _cited(stored: object) -> list[Any]:
    """Title and address of a document, and the file that its figures were copied from."""
    if not isinstance(stored, str):
        return [""]
    cited = resolve(stored)
    text = cited_title(stored)
    return [text, cited.link, f"{text} ({cited.file})" if cited.file else text]


def _range(metric: Metric, least: float, highest: float) -> str:
    if np.isnan(least):
        return ""
    return _("{low} to {high}").format(low=formatting.value(metric, least), high=formatting.value(metric, highest))
