"""Cost against quality: which rows become marks, who taught whom, what is exported."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.charts import axes
from dashboard.charts.axes import Axis
from dashboard.tradeoffs.quantities import COSTS, Quantity, quantity
from dashboard.ui.formatting import floats
from dashboard.ui.i18n import _
from db.leaderboard.board import Board, Filter, select
from db.registry.metrics import known
from db.statistics.pareto import pareto

MAX_MARKS = 2_000
"""Marks that are drawn: more of them would be a cloud, and slow in a browser."""


_CONDITIONS = ("latency_threads", "latency_load")
"""Metrics that say how something was timed, and nothing of the model."""


def values(board: Board, key: str) -> NDArray[np.float64]:
    """A quantity of every row, NaN where missing; a cost of 0 or less is no figure."""
    column = COSTS.get(key, key)
    column_values = board.rows[column] if column in ("params", "train_seconds") else board.figures.get(column)
    if column_values is None:
        return np.full(len(board.rows), np.nan)
    stored = floats(column_values)
    return np.where(stored > 0, stored, np.nan) if quantity(key).log else stored


def scores(board: Board) -> list[str]:
    """Metrics that can stand on the axis of quality: the primary one, then shares and losses, then the rest."""
    primary = str(board.task["metric"])
    others = [name for name in board.figures if name not in (primary, *_CONDITIONS)]
    return [primary, *sorted(others, key=lambda name: (known(name).unit not in ("percent", "plain"), name))]


def costs(board: Board, score: str) -> dict[str, int]:
    """The costs that can stand against a score, and how many rows that have the score have each."""
    scored = ~np.isnan(values(board, score))
    return {key: int((scored & ~np.isnan(values(board, key))).sum()) for key in COSTS if COSTS[key] != score}


def first_cost(offered: dict[str, int]) -> str:
    """The first cost that two rows have, else the first one."""
    return next((key for key, count in offered.items() if count > 1), next(iter(offered)))


def maximise(board: Board, score: str) -> bool:
    """Whether more of a score is better."""
    primary = score == board.task["metric"]
    return bool((board.task["direction"] if primary else known(score).direction) == "max")


@dataclass(frozen=True, eq=False)
class Picture:
    """What the figure shows.

    Attributes:
        marks: Best first: ``run_id, model, family, source, verified, dataset, teacher, seeds, x, y, low, high, weight,
            ranked, front, within``; ``weight`` is the third quantity, NaN without one.
        x: The cost.
        y: The score.
        size: What the size of a mark stands for; None for nothing.
        maximise: Whether more of the score is better.
        rows: Rows that were looked at.
        no_cost: Those with a score and without the cost.
        no_score: Those without the score.
        left_out: Marks beyond ``MOST``.
    """

    marks: pd.DataFrame
    x: Quantity
    y: Quantity
    size: Quantity | None
    maximise: bool
    rows: int
    no_cost: int
    no_score: int
    left_out: int

    @property
    def front(self) -> pd.DataFrame:
        """The marks on the frontier, by rising cost."""
        return self.marks[self.marks["front"]].sort_values("x", kind="stable")

    @property
    def sizes(self) -> int:
        """How many different costs there are; with one there is nothing to trade."""
        return int(self.marks["x"].nunique())


_COLUMNS = [
    "run_id",
    "model",
    "name",
    "recipe",
    "family",
    "source",
    "verified",
    "dataset",
    "teacher",
    "seeds",
    "device",
    "ranked",
]


def picture(
    board: Board,
    cost: str,
    score: str,
    size: str | None = None,
    *,
    families: Sequence[str] = (),
    within: NDArray[np.bool_] | None = None,
    limit: int = MAX_MARKS,
) -> Picture:
    """The marks of a board.

    Args:
        board: The board.
        cost: A key of ``COSTS``.
        score: A metric.
        size: A quantity for the size of the marks.
        families: Only rows of these; empty for all.
        within: Shape (rows of the board,): which rows are within the budget; None where there is none.
        limit: Marks that are drawn: those of the frontier, then the best.
    """
    chosen = select(board, Filter(families=tuple(families)))
    x, y = values(board, cost)[chosen], values(board, score)[chosen]
    upwards = maximise(board, score)
    complete = ~(np.isnan(x) | np.isnan(y))
    rows = board.rows.iloc[chosen]
    # Intervals are known of the primary metric alone.
    ends = {end: rows[end].to_numpy() if score == board.task["metric"] else np.nan for end in ("low", "high")}
    weight = values(board, size)[chosen] if size else np.nan
    marks = rows[_COLUMNS].assign(x=x, y=y, **ends, weight=weight, within=True if within is None else within[chosen])
    marks = marks[complete]
    front = np.zeros(len(marks), dtype=bool)
    front[pareto(marks["x"], marks["y"].where(marks["ranked"]), maximise=upwards)] = True
    marks = marks.assign(front=front)
    order = np.argsort((-1.0 if upwards else 1.0) * marks["y"].to_numpy(), kind="stable")
    if len(marks) > limit:
        first = np.concatenate([order[front[order]], order[~front[order]]])[:limit]
        order = order[np.isin(order, first)]
    return Picture(
        marks=marks.iloc[order].reset_index(drop=True),
        x=quantity(cost),
        y=quantity(score),
        size=quantity(size) if size else None,
        maximise=upwards,
        rows=len(chosen),
        no_cost=int((np.isnan(x) & ~np.isnan(y)).sum()),
        no_score=int(np.isnan(y).sum()),
        left_out=len(marks) - len(order),
    )


def frame(shown: Picture) -> tuple[Axis, Axis]:
    """The two axes of a picture with at least one mark."""
    marks = shown.marks
    x = axes.scale(marks["x"].tolist(), _("{label} (log scale)").format(label=shown.x.label), shown.x.unit, log=True)
    factor = 100.0 if shown.y.unit == "percent" else 1.0
    ends = np.concatenate([marks[name].dropna().to_numpy(dtype=float) for name in ("y", "low", "high")]) * factor
    label = f"{shown.y.label} (%)" if shown.y.unit == "percent" else shown.y.label
    better = (_("{label}, more is better") if shown.maximise else _("{label}, less is better")).format(label=label)
    y = axes.scale(ends.tolist(), better, shown.y.unit, log=shown.y.log, factor=factor, above=0.1)
    return x, y


def links(shown: Picture) -> pd.DataFrame:
    """Who taught whom, where both are on the plot: ``teacher, student`` as positions in the marks.

    A stored teacher names a model, a run or a recipe. Of several marks of that name one of the student's source is
    taken, then the best.
    """
    marks = shown.marks
    named: dict[str, list[int]] = {}
    for column in ("model", "name", "recipe", "run_id"):
        for index, value in enumerate(marks[column]):
            if isinstance(value, str):
                named.setdefault(_folded(value), []).append(index)
    sources = marks["source"].tolist()
    pairs = []
    for student, teacher in enumerate(marks["teacher"]):
        if not isinstance(teacher, str):
            continue
        # Of the same source first; marks are the best first.
        able = [(sources[index] != sources[student], index) for index in named.get(_folded(teacher), [])]
        able = [pair for pair in able if pair[1] != student]
        if able:
            pairs.append((min(able)[1], student))
    return pd.DataFrame(pairs, columns=["teacher", "student"])


def _folded(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip().casefold()


def table(shown: Picture, *, budget: bool) -> pd.DataFrame:
    """What is plotted, mark by mark, under the stored names of its quantities.

    With a budget it has a column that tells which marks are within.
    """
    marks, score = shown.marks, shown.y.key
    names = {"x": COSTS[shown.x.key], "y": score, "low": f"{score}_low", "high": f"{score}_high", "front": "pareto"}
    columns = ["run_id", "model", "family", "source", "verified", "dataset", "teacher", "seeds", *names]
    if shown.size is not None:
        columns.append("weight")
        names["weight"] = COSTS.get(shown.size.key, shown.size.key)
    if budget:
        columns.append("within")
        names["within"] = "within_budget"
    return marks[columns].rename(columns=names)
