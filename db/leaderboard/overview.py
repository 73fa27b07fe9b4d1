"""All models against all tasks: one score a cell, what each model costs, and how the models rank over the tasks.

A model is everything of one name: the same encoder with an output layer for answers and one for classes counts once.
Rows are chosen as on the boards (seeds merged, recipes by validation score), for all tasks in one pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from db.leaderboard import board_ranks, merging
from db.leaderboard.board import TESTED_METRICS, tested_runs
from db.registry.disk_sizes import ENCODER, answering_bytes_of
from db.registry.metrics import known
from db.runs.status import STATUS, silent_since
from db.statistics.ranking import rank_ranges
from db.storage import outcomes, ownership
from db.storage.outcomes import Outcomes
from db.storage.store import Store

Order = Literal["rank", "borda", "mean"]

DRAWS = 200
"""Samples of the bootstrap."""

_RATED = ("percent", "plain")
"""Units of metrics that rate a model; others count seconds or differences."""

_COSTS = ("latency_ms_p50", "checkpoint_bytes")
_READ = (*_COSTS, "validation_accuracy")  # the last where the primary metric has no validation score
_COMPARED = [
    *("model", "task_id", "family", "source", "owner", "verified", "params", *_COSTS),
    *("score", "low", "high", "rank"),
]
"""The columns that a comparison reads; copying the others of thousands of rows would take half of its time."""

_VALIDATION = "validation"
_TRUST = {"measured": 1, "submitted": 2, "reported": 3}
_FOREIGN = 4
"""Of another installation's run without the badge: a name alone does not let it speak for a model."""
_NORMAL_95 = 3.92  # width of a 95% interval in standard deviations of a normal distribution

_LATEST = "(SELECT * FROM tasks QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY version DESC) = 1)"

_RUNS = f"""
    SELECT r.run_id, r.task_id, r.task_id || ' ' || r.model_id AS model_id, m.name AS model, m.family, m.language,
           m.licence, coalesce(m.params, m.params_reported)::DOUBLE AS params, r.name, r.recipe, r.recipe_hash, r.seed,
           r.dataset, r.dataset_hash, r.split, r.source, r.verified, {STATUS}, r.device, r.teacher, r.train_seconds,
           r.citation, r.created_at, p.value AS score, p.low, p.high, p.n, v.value AS {_VALIDATION},
           {ENCODER}, {ownership.OWNER}, {", ".join(f"{name}.value AS {name}" for name in _READ)}
    FROM runs r
    JOIN models m USING (model_id)
    JOIN {_LATEST} t ON t.task_id = r.task_id AND t.version = r.task_version
    JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
    LEFT JOIN metrics v ON v.run_id = r.run_id AND v.name = 'validation_' || t.metric
    {" ".join(f"LEFT JOIN metrics {name} ON {name}.run_id = r.run_id AND {name}.name = '{name}'" for name in _READ)}
    LEFT JOIN withdrawals w ON w.run_id = r.run_id
    WHERE t.direction = 'max' AND {ownership.ARRIVED} <= $until AND (w.withdrawn_at IS NULL OR w.withdrawn_at > $until)
    ORDER BY params NULLS LAST, r.name, r.run_id
"""  # noqa: S608 - the interpolated texts are constants

_TASKS = f"SELECT task_id, name, language, metric, mini FROM {_LATEST} WHERE direction = 'max' ORDER BY position"  # noqa: S608


@dataclass(frozen=True, eq=False)
class Cells:
    """Every row of every board that belongs to a model, best first within a task.

    Attributes:
        tasks: ``task_id, name, language, metric, mini, percent`` of the tasks that rate quality, in board order.
        rows: One row for each model variant, source and data set of a task: ``task_id, model, family, language,
            licence, params, run_id, source, verified, score, low, high, n, seeds, spread, latency_ms_p50,
            checkpoint_bytes, teacher, citation, created_at`` and others of the runs table, and its ``rank`` on the
            board as a text such as ``2-4``, or ``~5`` without an interval; empty for printed rows beside others.
    """

    tasks: pd.DataFrame
    rows: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Overview:
    """Models × tasks.

    Attributes:
        tasks: Of ``Cells``, those with a score.
        models: One row a model: ``model, family, params, checkpoint_bytes, latency_ms_p50, verified, tasks`` (how many
            have a score), ``mean_rank, low, high`` (95% interval by bootstrap), ``borda`` and ``mean``.
        scores: Shape (models, tasks); NaN where a model has none.
        position: Shape (models, tasks): the row of ``Cells.rows`` behind a score; -1 where there is none.
        rank: Shape (models, tasks): rank of that row on the task's board, as in ``Cells``.
        closeness: Shape (models, tasks): 1 for the best of a task, 0 for its tenth percentile and below.
    """

    tasks: pd.DataFrame
    models: pd.DataFrame
    scores: NDArray[np.float64]
    position: NDArray[np.intp]
    rank: NDArray[np.object_]
    closeness: NDArray[np.float64]

    def take(
        self, rows: NDArray[np.intp] | slice = slice(None), tasks: NDArray[np.intp] | slice = slice(None)
    ) -> "Overview":
        """Return the overview with other models or tasks, or in another order; ranks stay what they were."""
        return Overview(
            self.tasks.iloc[tasks].reset_index(drop=True),
            self.models.iloc[rows].reset_index(drop=True),
            self.scores[rows][:, tasks],
            self.position[rows][:, tasks],
            self.rank[rows][:, tasks],
            self.closeness[rows][:, tasks],
        )

    def by_coverage(self, first_language: str) -> "Overview":
        """Return the overview with its columns ordered: tasks of a language first, then those with more models.

        A task that no model of the overview has a score for is left out.
        """
        count = (~np.isnan(self.scores)).sum(axis=0)
        order = np.lexsort((-count, (self.tasks["language"] != first_language).to_numpy()))
        return self.take(tasks=order[count[order] > 0])


def cells(store: Store, until: datetime | None = None) -> Cells:
    """Read the rows of all boards at once.

    Args:
        store: The database.
        until: Only what was on the boards at this time (UTC); None for now.
    """
    with store.read() as con:
        limits = {"limit": silent_since(), "until": until or datetime.max}  # noqa: DTZ901 - the database has no zones
        runs = con.execute(_RUNS, limits).df()
        tasks = con.execute(_TASKS).df()
        tested = tasks.loc[tasks["metric"].isin(TESTED_METRICS), "task_id"]
        sets = _outcomes(con, runs, tested)
    units = tasks["metric"].map(lambda name: known(name).unit)
    tasks = tasks.assign(percent=units == "percent")[units.isin(_RATED)].reset_index(drop=True)
    printed = runs["params"].where(runs["source"] == board_ranks.PRINTED)
    runs["checkpoint_bytes"] = answering_bytes_of(
        runs["checkpoint_bytes"].astype(float), runs["recipe_hash"], runs.pop("encoder"), printed
    )
    figures = runs[[_VALIDATION, *_READ]].astype(float)
    rows = runs.drop(columns=[_VALIDATION, *_READ]).astype({"verified": bool})
    grouped = merging.merged(rows, figures, sets)
    order = np.argsort(-grouped.rows["score"].to_numpy(dtype=float), kind="stable")
    figures = grouped.figures.iloc[order].rename(columns={_VALIDATION: "validation_score"})
    chosen = order[merging.best_recipes(grouped.rows.iloc[order], figures, "score", 1.0)]
    together = grouped.rows.join(grouped.figures[list(_COSTS)]).iloc[chosen].reset_index(drop=True)
    position = np.full(len(grouped.rows) + 1, -1)
    position[chosen] = np.arange(len(chosen))
    counted = (runs["status"] == "finished") & runs["score"].notna()
    together["rank"] = _board_ranks(together, np.where(counted, position[grouped.row_of], -1), sets)
    return Cells(tasks, together[together["task_id"].isin(tasks["task_id"])].reset_index(drop=True))


def _board_ranks(rows: pd.DataFrame, row_of: NDArray[np.intp], sets: Sequence[Outcomes]) -> NDArray[np.object_]:
    """Rank the rows of all boards within each task; ``row_of`` is the row of each run (-1: none), as ``sets`` count."""
    texts = np.full(len(rows), "", dtype=object)
    for of_task in rows.groupby("task_id", sort=False).indices.values():
        local = np.full(len(rows) + 1, -1)
        local[of_task] = np.arange(len(of_task))
        among_these, sure = local[row_of], board_ranks.estimates(rows.iloc[of_task], 1.0)
        paired = [outcome_set for outcome_set in sets if (among_these[outcome_set.runs] >= 0).any()]
        among = board_ranks.taking_part(rows.iloc[of_task], printed=False)
        texts[of_task] = rank_ranges(sure, board_ranks.tested(paired, among_these, sure.seeds), among).texts()
    return texts


def overview(
    read: Cells, task_ids: Sequence[str], *, sources: Sequence[str] = (), verified: bool = False, draws: int = DRAWS
) -> Overview:
    """Compare all models over some tasks.

    A cell is the model's verified row, else its measured, else its submitted, else its printed one, else one of another
    installation; of several of a kind the best, those of other installations last. The mean rank is taken among all
    models of the overview, over the tasks that a model has; its interval samples every score from its own interval
    (normal) and ranks again.

    Args:
        read: Of ``cells``.
        task_ids: The columns; tasks without a score are left out.
        sources: Only rows of these sources; empty for all.
        verified: Only verified rows.
        draws: Samples of the bootstrap.
    """
    keep = read.rows["task_id"].isin(task_ids)
    if sources:
        keep &= read.rows["source"].isin(sources)
    if verified:
        keep &= read.rows["verified"]
    rows = read.rows.loc[keep, _COMPARED]
    foreign = rows["owner"].notna()
    trust = np.where(rows["verified"], 0, np.where(foreign, _FOREIGN, rows["source"].map(_TRUST))) + foreign / 2
    best = rows.assign(trust=trust).sort_values(["trust", "score"], ascending=[True, False], kind="stable")
    best = best.drop_duplicates(["model", "task_id"])
    tasks = read.tasks[read.tasks["task_id"].isin(best["task_id"])].reset_index(drop=True)
    models = _models(best)
    row = pd.Index(models["model"]).get_indexer(best["model"])
    column = pd.Index(tasks["task_id"]).get_indexer(best["task_id"])
    shape = (len(models), len(tasks))
    scores, low, high = (np.full(shape, np.nan) for _unused in range(3))
    position, rank = np.full(shape, -1), np.full(shape, "", dtype=object)
    for table, name in ((scores, "score"), (low, "low"), (high, "high")):
        table[row, column] = best[name].to_numpy(dtype=float)
    position[row, column], rank[row, column] = best.index, best["rank"]
    models = models.join(_summaries(scores, low, high, tasks["percent"].to_numpy(), draws))
    return Overview(tasks, models, scores, position, rank, _closeness(scores))


def ordered(shown: Overview, by: Order) -> NDArray[np.intp]:
    """Return the order of the models: complete rows first, then those with more tasks, then by the measure.

    Borda counts points, so a task that a model lacks already costs it; it needs no such rule.
    """
    models = shown.models
    missing = len(shown.tasks) - models["tasks"].to_numpy()
    value = {"rank": models["mean_rank"], "borda": -models["borda"], "mean": -models["mean"]}[by].to_numpy()
    tie = models["params"].to_numpy(dtype=float, na_value=np.inf)
    return np.lexsort((tie, value) if by == "borda" else (tie, value, missing))


def _outcomes(con: duckdb.DuckDBPyConnection, runs: pd.DataFrame, task_ids: pd.Series) -> list[Outcomes]:
    """What the runs of each board get right that it compares by their answers, by position in ``runs``."""
    boards = runs.groupby("task_id", sort=False).indices
    best = [boards[task][tested_runs(runs.iloc[boards[task]], 1.0)] for task in task_ids if task in boards]
    listed = np.concatenate([np.empty(0, dtype=np.intp), *best])
    sets = outcomes.read(con, pa.array(runs["run_id"].iloc[listed], pa.string()))
    return [replace(outcome_set, runs=listed[outcome_set.runs]) for outcome_set in sets]


def _models(best: pd.DataFrame) -> pd.DataFrame:
    """One row a model, with its largest size on any task and its median latency.

    A head changes a size little, but what counts n-grams has one for each training set: a budget must hold for all.
    """
    groups = best.groupby("model", sort=False)
    costs = groups[["params", "checkpoint_bytes"]].max().join(groups["latency_ms_p50"].median())
    facts = pd.DataFrame(
        {"family": groups["family"].first(), "verified": groups["verified"].any(), "tasks": groups.size()}
    )
    return facts.join(costs).reset_index()


def _summaries(
    scores: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    percent: NDArray[np.bool_],
    draws: int,
) -> pd.DataFrame:
    """Mean rank with its interval, Borda count and mean score of each model; the mean is one of percentages alone."""
    present = ~np.isnan(scores)
    count = np.maximum(present.sum(axis=1), 1)
    ranks = _ranks(scores)
    noise = np.random.default_rng(0).standard_normal((draws, *scores.shape))
    sampled = np.where(present, _ranks(scores + noise * np.nan_to_num(high - low) / _NORMAL_95), 0).sum(axis=2) / count
    ends = np.percentile(sampled, [2.5, 97.5], axis=0) if scores.size else np.empty((2, len(scores)))
    shares, rated = np.where(present & percent, scores, 0).sum(axis=1), (present & percent).sum(axis=1)
    return pd.DataFrame(
        {
            "mean_rank": np.where(present, ranks, 0).sum(axis=1) / count,
            "low": ends[0],
            "high": ends[1],
            "borda": np.where(present, present.sum(axis=0) - ranks, 0).sum(axis=1),
            "mean": np.divide(shares, rated, out=np.full(len(scores), np.nan), where=rated > 0),
        }
    )


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks along the models, ties in the middle; a missing score ranks last and is not to be used."""
    by_task = np.ascontiguousarray(np.swapaxes(np.nan_to_num(-scores, nan=np.inf), -1, -2))
    order = np.argsort(by_task, axis=-1)
    inorder = np.take_along_axis(by_task, order, axis=-1)
    if ((inorder[..., 1:] == inorder[..., :-1]) & np.isfinite(inorder[..., 1:])).any():
        tied = pd.DataFrame(by_task.reshape(-1, by_task.shape[-1])).rank(axis=1)
        return np.swapaxes(tied.to_numpy().reshape(by_task.shape), -1, -2)
    ranks = np.empty(by_task.shape)  # without ties, as nearly always, it takes half of the time
    np.put_along_axis(ranks, order, np.arange(1.0, 1 + by_task.shape[-1]), axis=-1)
    return np.swapaxes(ranks, -1, -2)


def _closeness(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if not scores.size:
        return scores
    best, worst = np.nanmax(scores, axis=0), np.nanpercentile(scores, 10, axis=0)
    span = np.where(best > worst, best - worst, 1.0)
    return np.asarray(np.clip(1 - (best - scores) / span, 0, 1), dtype=float)
