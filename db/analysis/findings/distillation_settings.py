"""Settings of a distillation: how much the weight of the labels, the temperature and the kind of loss matter.

A grid is one student with one teacher and one training set; its runs differ in these three settings and in their seeds.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from db.analysis import recipe_settings
from db.analysis.recipe_settings import LATEST_VERSION, REPEATABLE, SCORED_RUNS
from db.runs import seeds
from db.statistics import significance
from db.storage.store import Store

LABELS, TEMPERATURE, LOSS = "loss_rate", "temperature", "loss"
SETTINGS = (LABELS, TEMPERATURE, LOSS)
"""Weight of the true labels, temperature, and kind of loss, as recipes and documents name them."""

KL, MSE = "kl", "mse"

_LEAST = 3
"""Different settings that make a grid."""


@dataclass(frozen=True)
class Cell:
    """The scores with one choice of the settings, over the seeds.

    Attributes:
        loss: ``KL`` or ``MSE``; None where the labels alone count.
        loss_rate: Weight of the labels, 0 to 1.
        temperature: None where it changes nothing: with mean squared errors, and where the labels alone count.
        mean: In the metric's stored unit.
        low: Lower end of the mean's 95% interval; NaN where unknown.
        high: Upper end.
        spread: Sample standard deviation over the seeds; NaN for one.
        seeds: Number of runs.
    """

    loss: str | None
    loss_rate: float
    temperature: float | None
    mean: float
    low: float
    high: float
    spread: float
    seeds: int


@dataclass(frozen=True)
class Effect:
    """How far one setting moves the score, on average over the values of the others.

    Attributes:
        setting: One of ``SETTINGS``.
        best: Its best value.
        worst: Its worst value.
        gap: Score of the best value minus score of the worst, never below 0.
        p: That no value of it differs: Friedman's test, of two values the paired t-test, over all combinations of seed
            and other settings, after Holm's correction for all settings of the grid; NaN without seeds.
    """

    setting: str
    best: float | str
    worst: float | str
    gap: float
    p: float


@dataclass(frozen=True)
class Grid:
    """One student over its settings.

    Attributes:
        model: The student.
        teacher: Its teacher; None where unknown.
        dataset: What it learned from.
        measured: Measured here; else printed in a document.
        cells: Sorted by loss, temperature and weight of the labels; the labels alone come last.
        effects: The setting that moves the score most comes first.
    """

    model: str
    teacher: str | None
    dataset: str
    measured: bool
    cells: tuple[Cell, ...]
    effects: tuple[Effect, ...]

    @property
    def scores(self) -> tuple[tuple[str | None, float | None, float, float], ...]:
        """Loss, temperature, weight of the labels and score of each cell."""
        return tuple((cell.loss, cell.temperature, cell.loss_rate, cell.mean) for cell in self.cells)


def find(store: Store, task_id: str) -> tuple[Grid, ...]:
    """Find the grids of a board's current version, measured ones first, then those with most settings.

    Grids with the same figures are one. A seed counts once for each choice of the settings, by its newest run. Printed
    rows with a caveat are left out.
    """
    rows = store.query(
        f"""
        SELECT model_id, model, teacher, source, dataset, dataset_hash, split, citation, recipe_json, seed, score, low,
               high, direction
        FROM ({SCORED_RUNS})
        WHERE task_id = $task AND {LATEST_VERSION} AND contains(recipe_json, '"temperature"')
              AND (({REPEATABLE}) OR (source = 'reported' AND score IS NOT NULL AND caveat IS NULL))
        ORDER BY created_at DESC, run_id
        """,  # noqa: S608 - constants
        {"task": task_id},
    )
    if rows.empty:
        return ()
    rows[list(SETTINGS)] = [_settings(recipe) for recipe in rows["recipe_json"]]
    same = ["model_id", "teacher", "source", "dataset", "dataset_hash", "split", "citation"]
    varied = [*SETTINGS, *(f"distill.{setting}" for setting in SETTINGS)]
    grids = [_grid(group) for group in recipe_settings.groups(rows[rows[LABELS].notna()], same, without=varied)]
    # Two documents of one author print the same figures.
    several = {(grid.model, grid.teacher, grid.scores): grid for grid in grids if len(grid.cells) >= _LEAST}
    return tuple(sorted(several.values(), key=lambda grid: (not grid.measured, -len(grid.cells), grid.model)))


def _settings(recipe_json: str) -> tuple[float, float | None, str | None]:
    """The three settings of a recipe, or of a printed row, which knows no section; NaN without a teacher."""
    flat = recipe_settings.flat(recipe_json)

    def value(setting: str, default: Any) -> Any:
        return flat.get(f"distill.{setting}", flat.get(setting, default))

    rate, temperature, loss = value(LABELS, math.nan), value(TEMPERATURE, 1.0), value(LOSS, KL)
    if rate == 1:
        return 1.0, None, None
    return float(rate), float(temperature) if loss == KL else None, str(loss)


def _grid(rows: pd.DataFrame) -> Grid:
    first = rows.iloc[0]
    measured = first["source"] == "measured"
    once = rows.drop_duplicates([*SETTINGS, "seed"]) if measured else rows
    cells = [_cell(group) for _, group in once.groupby(list(SETTINGS), dropna=False, sort=False)]
    cells.sort(key=lambda cell: (cell.loss or "~", cell.temperature or 0, cell.loss_rate))
    teacher = None if pd.isna(first["teacher"]) else str(first["teacher"])
    return Grid(str(first["model"]), teacher, str(first["dataset"]), measured, tuple(cells), _effects(once))


def _cell(rows: pd.DataFrame) -> Cell:
    first, summary = rows.iloc[0], seeds.summarise(rows)
    return Cell(
        None if pd.isna(first[LOSS]) else str(first[LOSS]),
        float(first[LABELS]),
        None if pd.isna(first[TEMPERATURE]) else float(first[TEMPERATURE]),
        summary.mean,
        summary.low,
        summary.high,
        summary.spread,
        summary.n,
    )


def _effects(rows: pd.DataFrame) -> tuple[Effect, ...]:
    """The effects of the settings that take at least two values beside the same values of the others."""
    sign = -1 if rows["direction"].iloc[0] == "min" else 1
    rows = rows.assign(seed=rows["seed"].fillna(0))
    softened, taught = rows[rows[LOSS] == KL], rows[rows[LOSS].notna()]
    tables = {
        LABELS: softened.pivot_table(index=[TEMPERATURE, "seed"], columns=LABELS, values="score"),
        TEMPERATURE: softened.pivot_table(index=[LABELS, "seed"], columns=TEMPERATURE, values="score"),
        LOSS: taught.pivot_table(index=[LABELS, "seed"], columns=LOSS, values="score"),
    }
    repeated = rows["seed"].nunique() > 1
    effects = []
    for setting, table in tables.items():
        # What is missing beside one value is left out of all, so that each is seen beside the same others.
        complete = _complete(table)
        if complete.shape[1] < 2:
            continue
        means = sign * complete.mean()
        best, worst = means.idxmax(), means.idxmin()
        p = _p_value(complete) if repeated else math.nan
        effects.append(Effect(setting, best, worst, float(means[best] - means[worst]), p))
    tested = [effect for effect in effects if not math.isnan(effect.p)]
    corrected = significance.holm([effect.p for effect in tested])
    by_setting = {effect.setting: p for effect, p in zip(tested, corrected, strict=True)}
    effects = [replace(effect, p=by_setting.get(effect.setting, math.nan)) for effect in effects]
    return tuple(sorted(effects, key=lambda effect: -effect.gap))


def _complete(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that have all columns, or those of the row with most columns where no row has all."""
    if table.empty:
        return table
    known = table.notna()
    fullest = known.loc[known.sum(axis=1).idxmax()]
    return table.loc[:, fullest].dropna()


def _p_value(table: pd.DataFrame) -> float:
    if len(table) < 2:
        return math.nan
    if not table.sub(table.iloc[:, 0], axis=0).to_numpy().any():
        return 1.0  # its statistic would be 0 / 0
    columns = [table[value] for value in table.columns]
    if len(columns) == 2:
        return significance.paired_t(list(columns[1] - columns[0]))
    from scipy.stats import friedmanchisquare  # noqa: PLC0415 - takes a second to import

    return float(friedmanchisquare(*columns).pvalue)
