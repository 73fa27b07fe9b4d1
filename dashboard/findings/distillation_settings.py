"""Settings of a distillation: cells of the figure, rows of the table, one sentence."""

import math

import pandas as pd

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.labels import SOURCES
from db.analysis.findings.distillation_settings import KL, LABELS, LOSS, MSE, TEMPERATURE, Cell, Grid
from db.analysis.paired_tests import p_value
from db.registry import formats
from db.registry.formats import DASH
from db.registry.metrics import Metric
from db.statistics.significance import LEVEL

NAMES = {LABELS: N_("Weight of the labels"), TEMPERATURE: N_("Temperature"), LOSS: N_("Kind of loss")}
LOSSES = {KL: N_("KL divergence"), MSE: N_("Squared error")}

_ALONE, _KL_AT = N_("Labels alone"), N_("KL divergence, T = {t}")


def title(grid: Grid) -> str:
    """The student, and whether the figures are printed or measured here."""
    return f"{grid.model}, {_(SOURCES['measured' if grid.measured else 'reported']).lower()}"


def cells(grid: Grid, metric: Metric) -> pd.DataFrame:
    """One row a cell: ``row, column, score, text, hover``; rows are losses and temperatures, columns weights."""
    return pd.DataFrame(
        [
            (_row(cell), f"{cell.loss_rate:g}", cell.mean, _short(cell, metric), _hover(cell, metric))
            for cell in grid.cells
        ],
        columns=["row", "column", "score", "text", "hover"],
    )


def table(grid: Grid, metric: Metric) -> pd.DataFrame:
    """One row a setting, the one that matters most first: its best and worst value, their difference, the test."""
    unit = formatting.difference_unit(metric)
    gain = _("Difference")
    rows = [
        (
            _(NAMES[effect.setting]),
            _value(effect.best),
            _value(effect.worst),
            formats.difference(metric, effect.gap),
            DASH if math.isnan(effect.p) else p_value(effect.p),
        )
        for effect in grid.effects
    ]
    head = [_("Setting"), _("Best"), _("Worst"), f"{gain}, {unit}" if unit else gain, _("Test")]
    made = pd.DataFrame(rows, columns=head)
    return made if grid.measured else made.iloc[:, :-1]  # what is printed has no seeds to test with


def remark(grid: Grid) -> str:
    """Who taught, what was learned from, and how often each cell was measured."""
    teacher = [_("Teacher: {teacher}.").format(teacher=grid.teacher)] if grid.teacher else []
    if not grid.measured:
        learned = _("Learned from {dataset}; each figure as printed, without a test.").format(dataset=grid.dataset)
        return " ".join([*teacher, learned])
    lowest, highest = min(cell.seeds for cell in grid.cells), max(cell.seeds for cell in grid.cells)
    seeds = ngettext("{n} seed", "{n} seeds", highest)
    if lowest < highest:
        seeds = _("{least} to {most} seeds").format(least=lowest, most=highest)
    learned = _("Learned from {dataset}; {seeds} for each figure.").format(dataset=grid.dataset, seeds=seeds)
    return " ".join([*teacher, learned])


def lead(grid: Grid, metric: Metric) -> str:
    """Which setting matters most, in one sentence; empty where fewer than two were varied, or nothing can be tested."""
    if len(grid.effects) < 2 or not grid.measured:
        return ""
    first, second = grid.effects[:2]
    if not first.p < LEVEL:
        sentence = _("No setting of {model} can be told from chance: {setting} moves the score most, by {gap}.")
    else:
        sentence = _(
            "For {model}, {setting} matters most: {best} is better than {worst} by {gap}; {next} moves the score by "
            "{less}."
        )
    return sentence.format(
        model=grid.model,
        setting=_in_sentence(first.setting),
        best=_value(first.best),
        worst=_value(first.worst),
        gap=_size(metric, first.gap),
        next=_in_sentence(second.setting),
        less=_size(metric, second.gap),
    )


def _size(metric: Metric, gap: float) -> str:
    return formatting.difference(metric, gap).removeprefix("+")


def _in_sentence(setting: str) -> str:
    name = _(NAMES[setting])
    return _("the {name}").format(name=name[:1].lower() + name[1:])


def _value(value: float | str) -> str:
    return _(LOSSES[value]) if isinstance(value, str) else f"{value:g}"


def _row(cell: Cell) -> str:
    if cell.loss is None:
        return _(_ALONE)
    return _(LOSSES[cell.loss]) if cell.temperature is None else _(_KL_AT).format(t=f"{cell.temperature:g}")


def _short(cell: Cell, metric: Metric) -> str:
    return f"{100 * cell.mean:.2f}" if metric.unit == "percent" else formats.value(metric, cell.mean)


def _hover(cell: Cell, metric: Metric) -> str:
    weight = _("weight of the labels {weight}").format(weight=f"{cell.loss_rate:g}")
    score = formats.value(metric, cell.mean)
    if cell.seeds > 1:
        score = formatting.over_seeds(metric, cell.mean, cell.spread, cell.seeds)
    return f"{_row(cell)}, {weight}: {score}"
