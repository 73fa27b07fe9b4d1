"""Scores over the size of the training set: the marks and lines of the figure, the rows of the table, the commands."""

import pandas as pd

from dashboard.ui import formatting
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import BOARD_COLUMNS, SOURCES
from db.analysis.findings.data_scaling import DataScaling, Line, Point
from db.registry import formats
from db.registry.formats import DASH
from db.registry.metrics import Metric

COMPARED = (
    ("minilm-mnli-full", "minilm-mnli-scratch"),
    ("minilm-mnli", "minilm-mnli-scratch"),
    ("distilbert-mnli", "transformer-mnli"),
)
"""Recipes that start from pretrained weights, and those of the same architecture that start from random ones."""

STUDIED = ("minilm-mnli-full", "minilm-mnli-scratch", "bilstm-mnli")
"""Recipes that the commands train, and that are shown even with a single size."""

SIZES = (1_000, 3_000)
"""Sizes that the commands draw; the whole training split comes last."""


def points(scaling: DataScaling, metric: Metric, *, pretraining: bool = False) -> pd.DataFrame:
    """The marks of the figure: ``line, family, order, size, score, low, high, text``.

    ``order`` counts the lines of one family, which share a colour. With ``pretraining`` sizes are tokens read before.
    """
    rows = []
    seen: dict[str, int] = {}
    for line in scaling.lines:
        order = seen[line.family] = seen.get(line.family, -1) + 1
        for point in line.points:
            amount = _tokens(point) if pretraining else ngettext("{n} example", "{n} examples", point.size)
            text = f"{line.model}, {amount}: {_value(point, metric)}"
            rows.append((line.model, line.family, order, point.size, point.score, point.low, point.high, text))
    return pd.DataFrame(rows, columns=["line", "family", "order", "size", "score", "low", "high", "text"])


def levels(scaling: DataScaling) -> list[tuple[str, str, float]]:
    """What stands at no size, as (name, family, score): printed rows, and the majority label under no family."""
    printed = [(_reported(row.model), row.family, row.score) for row in scaling.printed]
    return printed + ([(_("Majority label"), "", scaling.majority)] if scaling.majority is not None else [])


def table(scaling: DataScaling, metric: Metric) -> pd.DataFrame:
    """One row a line, one column a size, as text, shares in percent with half the width of their interval.

    A printed row has its figure under the size that is not reported.
    """
    sizes = scaling.sizes
    rows = [[line.model, *(_cell(line, size, metric) for size in sizes)] for line in scaling.lines]
    # Narrow enough for a telephone: the size is short, and the interval is told by half its width.
    heads = [_(BOARD_COLUMNS["model"]), *(formats.short(size) for size in sizes)]
    if scaling.printed:
        rows = [[*row, DASH] for row in rows]
        rows += [[_reported(row.model), *([DASH] * len(sizes)), _short(row.score, metric)] for row in scaling.printed]
        heads.append(_("Size not reported"))
    return pd.DataFrame(rows, columns=heads)


def missing(scaling: DataScaling) -> bool:
    """Whether the board has studied recipes, and one of them has fewer than two sizes."""
    studied = any(line.recipe in STUDIED for line in scaling.lines)
    return studied and any((line := scaling.line(recipe)) is None or len(line.points) < 2 for recipe in STUDIED)


def commands() -> str:
    """What measures the lines of the studied recipes; DIR holds MultiNLI."""
    sizes = ",".join(map(str, SIZES))
    return "\n".join(
        f"featherboard sweep {recipe} --grid data.examples={sizes} --data DIR\nfeatherboard train {recipe} --data DIR"
        for recipe in STUDIED
    )


def verdict(scaling: DataScaling, metric: Metric) -> str:
    """What pretraining brings, in one or two sentences; empty where no pretrained model stands beside its twin."""
    for pretrained, scratch in COMPARED:
        tuned, plain = scaling.line(pretrained), scaling.line(scratch)
        if tuned is None or plain is None:
            continue
        shared = [(point, other) for point in tuned.points for other in plain.points if point.size == other.size]
        if shared:
            return _sentence(tuned, plain, shared, metric)
    return ""


def _sentence(tuned: Line, plain: Line, shared: list[tuple[Point, Point]], metric: Metric) -> str:
    largest, other = shared[-1]
    apart = largest.low > other.high or other.low > largest.high
    sentence = (
        _("With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for {plain}.")
        if apart
        else _(
            "With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for "
            "{plain}; their intervals overlap."
        )
    ).format(
        examples=ngettext("{n} example", "{n} examples", largest.size),
        gain=formatting.difference(metric, largest.score - other.score),
        tuned=tuned.model,
        plain=plain.model,
        score=formats.value(metric, largest.score),
        other=formats.value(metric, other.score),
    )
    fewer = [point for point in tuned.points if point.size < largest.size and point.low > other.high]
    if fewer:
        examples = ngettext("{n} example", "{n} examples", fewer[0].size)
        return f"{sentence} " + _("It is ahead with {examples} already.").format(examples=examples)
    return f"{sentence} {_('One size says nothing of how either grows.')}" if len(shared) == 1 else sentence


def growth(scaling: DataScaling, metric: Metric) -> str:
    """What reading more text before brings, in a sentence; empty where no line begins with random weights."""
    for line in scaling.lines:
        first, last = line.points[0], line.points[-1]
        if not first.size and last.score > first.score:
            return _("{model}: {score} after {tokens} of text, {before} from random weights.").format(
                model=line.model,
                score=formats.value(metric, last.score),
                tokens=_tokens(last),
                before=formats.value(metric, first.score),
            )
    return ""


def _tokens(point: Point) -> str:
    return _("{n} tokens").format(n=formats.short(point.size))


def _reported(model: str) -> str:
    return f"{model}, {_(SOURCES['reported']).lower()}"


def _cell(line: Line, size: int, metric: Metric) -> str:
    point = line.at_size(size)
    if point is None:
        return DASH
    half = "" if pd.isna(point.low) else f" ± {_short((point.high - point.low) / 2, metric)}"
    return f"{_short(point.score, metric)}{half}"


def _short(number: float, metric: Metric) -> str:
    return f"{100 * number:.1f}" if metric.unit == "percent" else formats.value(metric, number)


def _value(point: Point, metric: Metric) -> str:
    text = formats.value(metric, point.score)
    if pd.notna(point.low):
        ends = {"low": formats.value(metric, point.low), "high": formats.value(metric, point.high)}
        text += f" ({_('{low} to {high}').format(**ends)})"
    return text if point.seeds < 2 else f"{text}, {ngettext('{n} seed', '{n} seeds', point.seeds)}"
