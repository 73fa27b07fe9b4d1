"""Models × tasks as markup: score, interval, rank and closeness to the best in each cell, costs beside them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dashboard.markup import tables
from dashboard.markup.tables import Cell, Column, Row
from dashboard.markup.templates import Link
from dashboard.ui import formatting, task_names, theme
from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.labels import HELP, SOURCES
from dashboard.ui.markdown import cited_title
from db.leaderboard.overview import Cells, Order, Overview
from db.registry import formats
from db.registry.metrics import Metric, known

MEASURES: dict[Order, tuple[str, str]] = {
    "borda": (
        N_("Wins"),
        N_(
            "Borda count: how many other models this one beats, summed over the tasks. Equal scores count half, "
            "whatever their intervals; a task that the model has no score for counts nothing."
        ),
    ),
    "rank": (
        N_("Mean rank"),
        N_(
            "The mean of the ranks over the tasks that the model has a score for. The range is a 95% interval by "
            "bootstrap over the scores' own intervals. Models with more tasks come first."
        ),
    ),
    "mean": (
        N_("Mean score"),
        N_("The mean of the percentages over the tasks that the model has a score for; more tasks come first."),
    ),
}


def render(shown: Overview, read: Cells, by: Order, link: Link, colours: Mapping[str, str], *, app: bool) -> Markup:
    """Draw the matrix."""
    heads = [_head(shown, column, task) for column, task in enumerate(shown.tasks.itertuples())]
    scored = ~np.isnan(shown.scores)
    # Read once: a row of the frame for each cell would take most of the time.
    behind = iter(read.rows[_BEHIND].iloc[shown.position[scored]].to_dict("records"))
    rows = []
    for index, model in enumerate(shown.models.itertuples()):
        cells = [_measure(model, by), _coverage(model, heads, scored[index]), *_costs(model)]
        for column, head in enumerate(heads):
            if scored[index, column]:
                cells.append(_score(shown, next(behind), index, column, head, link))
            else:
                cells.append(Cell("", float("nan"), "score"))
        name = Cell(
            model.model,
            css="name",
            title=model.model,
            href=link("model", name=model.model),
            page="model",
            colour=colours.get(model.family, theme.GREY),
            mark=model.family,
            verified=bool(model.verified),
        )
        rows.append(Row(name, cells))
    caption = _("{models} against {tasks}").format(
        models=ngettext("{n} model", "{n} models", len(shown.models)),
        tasks=ngettext("{n} task", "{n} tasks", len(shown.tasks)),
    )
    legend = {
        "scale": _("The darker, the closer to the best"),
        "interval": _("95% interval"),
        "rank": _("Rank on the task's board: a range where the data cannot separate rows, ~ without an interval"),
    }
    return tables.render(caption, _columns(shown, by), rows, app=app, template="matrix", legend=legend)


_BEHIND = ["run_id", "source", "citation", "low", "high"]


class _Head(NamedTuple):
    """What the cells of a task share: its name, its metric, whether it is in percent, and the ends of its scale."""

    name: str
    metric: Metric
    percent: bool
    ends: tuple[float, float]


def _head(shown: Overview, column: int, task: Any) -> _Head:
    scores = shown.scores[:, column]
    ends = float(np.nanmin(scores, initial=np.inf)), float(np.nanmax(scores, initial=-np.inf))
    return _Head(task_names.name(task.task_id, task.name), task_names.metric(task.metric), bool(task.percent), ends)


def _columns(shown: Overview, by: Order) -> list[Column]:
    label, explanation = MEASURES[by]
    first = "ascending" if by == "rank" else "descending"
    columns = [
        Column(_("Model"), "name text", "ascending"),
        Column(_(label), "number", first, help=_(explanation), sorted=first),
        Column(_("Tasks"), "number", help=_("Tasks with a score. Point at a number to see which are missing.")),
        Column(_("Parameters"), "number", "ascending"),
        Column(_("Size"), "number size", "ascending", help=_(HELP["size"])),
        Column(_("Latency"), "number gap", "ascending", help=_("Median time for one example, over the tasks.")),
    ]
    for task in shown.tasks.itertuples():
        metric = task_names.metric(task.metric)
        words = task_names.task({"task_id": task.task_id, "name": task.name})
        unit = f"{metric.label}, %" if task.percent else metric.label
        columns.append(Column(words.name, "score", unit=unit, help=f"{words.question} {words.scoring}".strip()))
    return columns


def _measure(model: Any, by: Order) -> Cell:
    if by == "borda":
        return Cell(f"{model.borda:g}", model.borda)
    if by == "mean":
        return Cell("" if np.isnan(model.mean) else f"{100 * model.mean:.1f}", model.mean)
    return Cell(f"{model.mean_rank:.1f}", model.mean_rank, sub=f"{model.low:.1f}–{model.high:.1f}")


def _coverage(model: Any, heads: list[_Head], scored: NDArray[np.bool_]) -> Cell:
    names = [head.name for head, has_score in zip(heads, scored, strict=True) if not has_score]
    title = _("Missing: {tasks}").format(tasks=", ".join(names)) if names else _("All tasks")
    return Cell(f"{model.tasks}/{len(heads)}", model.tasks, title=title)


def _costs(model: Any) -> list[Cell]:
    params, size, latency = (
        formatting.number(value) for value in (model.params, model.checkpoint_bytes, model.latency_ms_p50)
    )
    text = [formats.short(params), formats.size(size), formats.value(known("latency_ms_p50"), latency)]
    text = ["" if value == formats.DASH else value for value in text]
    return [
        Cell(text[0], params, title=f"{params:,.0f}" if text[0] else ""),
        Cell(text[1], size),
        Cell(text[2], latency, "number gap"),
    ]


def _score(shown: Overview, row: dict[str, Any], index: int, column: int, head: _Head, link: Link) -> Cell:
    score, metric = float(shown.scores[index, column]), head.metric
    title = [formatting.value(metric, score)]
    low, high = float(row["low"]), float(row["high"])
    if not np.isnan(low):
        ends_text = _("95% interval {low} to {high}").format(
            low=formatting.value(metric, low), high=formatting.value(metric, high)
        )
        title.append(ends_text)
    reported = row["source"] == "reported" and isinstance(row["citation"], str)
    title.append(cited_title(row["citation"]) if reported else _(SOURCES[row["source"]]))
    return Cell(
        f"{100 * score:.1f}" if head.percent else f"{score:.1f}",
        score,
        "score",
        shade=round(100 * shown.closeness[index, column]),
        title=". ".join(title),
        href=link("run", run=row["run_id"]),
        page="run",
        sub=str(shown.rank[index, column]).replace("-", "–"),
        ends=None if np.isnan(low) else tables.shares((low, score, high), *head.ends),
    )
