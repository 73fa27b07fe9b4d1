"""Scores over the size of the training set: the marks and lines of the figure, the rows of the table, the commands."""

import pandas as pd

from dashboard.ui import phrases
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import BOARD_COLUMNS, SOURCES
from db.analysis.data_scaling import COMPARED, STUDIED, Learning, Line, Point
from db.registry import formats
from db.registry.formats import DASH
from db.registry.metrics import Metric

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
            (
                line.model,
                line.family,
                order,
                point.examples,
                point.score,
                point.low,
                point.high,
                f"{line.model}, {ngettext('{n} example', '{n} examples', point.examples)}: {_value(point, metric)}",
            )
            for point in line.points
        ]
    return pd.DataFrame(rows, columns=["line", "family", "order", "examples", "score", "low", "high", "text"])


def levels(found: Learning) -> list[tuple[str, str, float]]:
    """What stands at no size, as (name, family, score): printed rows, and the majority label under no family."""
    printed = [(_reported(one.model), one.family, one.score) for one in found.printed]
    return printed + ([(_("Majority label"), "", found.majority)] if found.majority is not None else [])


def table(found: Learning, metric: Metric) -> pd.DataFrame:
    """One row a line, one column a size, as text, shares in percent with half the width of their interval.

    A printed row has its figure under the size that nobody told.
    """
    sizes = found.sizes
    rows = [[line.model, *(_cell(line, size, metric) for size in sizes)] for line in found.lines]
    # Narrow enough for a telephone: the size is short, and the interval is told by half its width.
    heads = [_(BOARD_COLUMNS["model"]), *(formats.short(size) for size in sizes)]
    if found.printed:
        rows = [[*row, DASH] for row in rows]
        rows += [[_reported(one.model), *([DASH] * len(sizes)), _short(one.score, metric)] for one in found.printed]
        heads.append(_("Size not told"))
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


def verdict(found: Learning, metric: Metric) -> str:
    """What pretraining brings, in one or two sentences; empty where no pretrained model stands beside its twin."""
    for pretrained, scratch in COMPARED:
        tuned, plain = found.line(pretrained), found.line(scratch)
        if tuned is None or plain is None:
            continue
        shared = [(one, other) for one in tuned.points for other in plain.points if one.examples == other.examples]
        if shared:
            return _told(tuned, plain, shared, metric)
    return ""


def _told(tuned: Line, plain: Line, shared: list[tuple[Point, Point]], metric: Metric) -> str:
    one, other = shared[-1]
    apart = one.low > other.high or other.low > one.high
    told = (
        _("With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for {plain}.")
        if apart
        else _(
            "With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for "
            "{plain}, which their intervals do not tell apart."
        )
    ).format(
        examples=ngettext("{n} example", "{n} examples", one.examples),
        gain=phrases.difference(metric, one.score - other.score),
        tuned=tuned.model,
        plain=plain.model,
        score=formats.value(metric, one.score),
        other=formats.value(metric, other.score),
    )
    fewer = [point for point in tuned.points if point.examples < one.examples and point.low > other.high]
    if fewer:
        examples = ngettext("{n} example", "{n} examples", fewer[0].examples)
        return f"{told} " + _("It is ahead with {examples} already.").format(examples=examples)
    return f"{told} {_('One size says nothing of how either grows.')}" if len(shared) == 1 else told


def _reported(model: str) -> str:
    return f"{model}, {_(SOURCES['reported']).lower()}"


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
        ends = {"low": formats.value(metric, point.low), "high": formats.value(metric, point.high)}
        told += f" ({_('{low} to {high}').format(**ends)})"
    return told if point.seeds < 2 else f"{told}, {ngettext('{n} seed', '{n} seeds', point.seeds)}"
