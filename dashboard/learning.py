"""Scores over the size of the training set: the marks and lines of the figure, the rows of the table, the commands."""

import pandas as pd

from db import formats
from db.formats import DASH
from db.learning import STUDIED, Learning, Line, Point
from db.metrics import Metric

SIZES = (1_000, 3_000)
"""Sizes that the commands draw; the whole training split comes last."""


def points(found: Learning, metric: Metric) -> pd.DataFrame:
    """The marks of the figure: ``line, family, order, examples, score, low, high, text``.

    ``order`` counts the lines of one family, which share a colour.
    """
    rows = []
    seen: dict[str, int] = {}
    for line in found.lines:
        order = seen[line.family] = seen.get(line.family, -1) + 1
        rows += [
            (line.model, line.family, order, point.examples, point.score, point.low, point.high,
             f"{line.model}, {point.examples:,} examples: {_value(point, metric)}")
            for point in line.points
        ]  # fmt: skip
    return pd.DataFrame(rows, columns=["line", "family", "order", "examples", "score", "low", "high", "text"])


def levels(found: Learning) -> list[tuple[str, str, float]]:
    """What stands at no size, as (name, family, score): printed rows, and the majority label under no family."""
    printed = [(f"{one.model}, reported", one.family, one.score) for one in found.printed]
    return printed + ([("Majority label", "", found.majority)] if found.majority is not None else [])


def table(found: Learning, metric: Metric) -> pd.DataFrame:
    """One row a line, one column a size, as text, shares in percent with half the width of their interval.

    A printed row has its figure under the size that nobody told.
    """
    sizes = found.sizes
    rows = [[line.model, *(_cell(line, size, metric) for size in sizes)] for line in found.lines]
    # Narrow enough for a telephone: the size is short, and the interval is told by half its width.
    heads = ["Model", *(formats.short(size) for size in sizes)]
    if found.printed:
        rows = [[*row, DASH] for row in rows]
        rows += [[f"{one.model}, reported", *([DASH] * len(sizes)), _short(one.score, metric)]
                 for one in found.printed]  # fmt: skip
        heads.append("Size not told")
    return pd.DataFrame(rows, columns=heads)


def missing(found: Learning) -> bool:
    """Whether the board has studied recipes, and one of them has fewer than two sizes."""
    studied = any(line.recipe in STUDIED for line in found.lines)
    return studied and any((line := found.line(recipe)) is None or len(line.points) < 2 for recipe in STUDIED)


def commands() -> str:
    """What measures the lines of the studied recipes; DIR holds MultiNLI."""
    drawn = ",".join(map(str, SIZES))
    return "\n".join(
        f"featherboard sweep {recipe} --grid data.examples={drawn} --data DIR\nfeatherboard train {recipe} --data DIR"
        for recipe in STUDIED
    )


def _cell(line: Line, size: int, metric: Metric) -> str:
    point = line.at(size)
    if point is None:
        return DASH
    half = "" if pd.isna(point.low) else f" ± {_short((point.high - point.low) / 2, metric)}"
    return f"{_short(point.score, metric)}{half}"


def _short(number: float, metric: Metric) -> str:
    return f"{100 * number:.1f}" if metric.unit == "percent" else formats.value(metric, number)


def _value(point: Point, metric: Metric) -> str:
    told = formats.value(metric, point.score)
    if pd.notna(point.low):
        told += f" ({formats.value(metric, point.low)} to {formats.value(metric, point.high)})"
    return told if point.seeds < 2 else f"{told}, {point.seeds} seeds"
