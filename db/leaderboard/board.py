"""One task's board: its rows best first and all their figures, as columns that are looked through without a loop.

A page draws from a ``Board`` many times; it is made once for each state of the database, and nobody writes to it.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from db.base.errors import NotFoundError
from db.leaderboard import board_ranks, merging
from db.leaderboard.filters import Filter, Order, ordered, searchable, select
from db.registry import validation_split
from db.registry.disk_sizes import ENCODER, answering_bytes_of
from db.registry.metrics import BOARD_METRICS
from db.runs.status import STATUS, silent_since
from db.statistics.pareto import pareto
from db.statistics.ranking import PairedRows, Ranks, rank_ranges
from db.storage import outcomes, ownership
from db.storage.store import Store

__all__ = ["Board", "Filter", "Order", "board", "ordered", "select", "top"]

MAX_TESTED = 300
"""Runs of a board, the best ones, whose predictions are compared; rows below them are compared by their intervals."""

TESTED_METRICS = ("accuracy", "f1")
"""Metrics of which ``db.storage.outcomes`` has what each example scores."""

_MEMBER = ["run_id", "name", "seed", "status", "heartbeat", "device", "tags", "score", "low", "high"]

_ROWS = f"""
    SELECT r.run_id, r.name, r.model_id, m.name AS model, m.family, m.architecture, m.params, m.params_reported,
           r.recipe, r.recipe_hash, r.seed, r.dataset, r.dataset_hash, r.split, r.source, r.verified, {STATUS},
           r.device, r.teacher, r.train_seconds, r.citation, r.notes, r.caveat, r.created_at, r.heartbeat,
           nullif(array_to_string(a.tags, ' '), '') AS tags,
           p.value AS score, p.low, p.high, p.n,
           {ENCODER}, {validation_split.CHOICE}, {ownership.OWNER}
    FROM runs r
    JOIN models m USING (model_id)
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = $metric
    LEFT JOIN withdrawals w ON w.run_id = r.run_id
    LEFT JOIN annotations a ON a.run_id = r.run_id
    WHERE r.task_id = $task AND r.task_version = $version
      AND {ownership.ARRIVED} <= $until AND (w.withdrawn_at IS NULL OR w.withdrawn_at > $until)
"""  # noqa: S608 - the interpolated texts are constants


@dataclass(frozen=True, eq=False)
class Board:
    """The current version of a task with its runs.

    Attributes:
        task: The row of the tasks table.
        rows: Best first, missing scores last, numbered from 0: identity, origin and cost columns, ``owner`` (the
            other installation that it came from, missing for those of this one and of the package), ``tags`` (of all
            runs behind the row, with a blank between them, missing without), ``score, low, high, n`` of the primary
            metric, a column for each of ``BOARD_METRICS``, ``rank`` (a text such as ``2-4``, or ``~5`` without an
            interval), ``ranked`` (whether the row takes part in ranks and frontier), ``seeds, failed, spread, least,
            most, error, choice`` of ``merging.merged``, ``others`` (runs of the same variant that are not behind the
            row, repeated seeds among them), ``pareto`` (whether the row is on the frontier of parameters against score)
            and ``group`` (what ``members`` takes, also of rows that were put elsewhere).
        figures: The same index; one column of float64 for every metric that any of the rows has, NaN where a row has
            none.
        partial: The same index and columns: how many seeds have the figure where not all have it, else 0.
        runs: The runs behind the rows, row by row, by seed: ``run_id, name, seed, status, heartbeat, device, tags,
            score, low, high``.
        starts: Shape (rows + 1,): where in ``runs`` those of each row begin.
        ranks: Of the rows.
        tested: Rows with predictions on the same examples.
    """

    task: dict[str, Any]
    rows: pd.DataFrame
    figures: pd.DataFrame
    partial: pd.DataFrame = field(repr=False)
    runs: pd.DataFrame = field(repr=False)
    starts: NDArray[np.intp] = field(repr=False)
    ranks: Ranks = field(repr=False)
    tested: tuple[PairedRows, ...] = field(repr=False)

    def members(self, position: int) -> pd.DataFrame:
        """The runs behind a row, by seed: ``run_id, name, seed, status, heartbeat, device, tags, score, low, high``."""
        return self.runs.iloc[self.starts[position] : self.starts[position + 1]].reset_index(drop=True)

    def to_pandas(self) -> pd.DataFrame:
        """Make one table of rows and metrics, best first; a metric that is a column of ``rows`` already comes once."""
        rows = with_caveats(self.rows).drop(columns=["group", "heartbeat"])
        return rows.join(self.figures[self.figures.columns.difference(rows.columns)])

    @cached_property
    def text(self) -> pa.Array:
        """What is searched, row by row; see ``db.leaderboard.filters.searchable``."""
        return searchable(self.rows)

    @cached_property
    def codes(self) -> dict[str, NDArray[np.intp]]:
        """Columns as whole numbers of the same order, -1 where missing; filled by ``filters.ordered``."""
        return {}


@dataclass(frozen=True, eq=False)
class Incoming:
    """Runs that are not in the database, to see a board with them.

    Attributes:
        runs: Columns of the tables of runs and models, the model's name as ``model``, and ``score, low, high, n``.
        metrics: The same index; a column for each metric, NaN where a run has none.
        answers: Their predictions, as ``db.storage.outcomes.read`` takes them; None where there are none.
    """

    runs: pd.DataFrame
    metrics: pd.DataFrame
    answers: pd.DataFrame | None = None

    def added_to(self, runs: pd.DataFrame, figures: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the runs of a board and their metrics with these among them, in the order of the query."""
        own = self.runs.reindex(columns=runs.columns).astype(runs.dtypes)
        together = pd.concat([runs, own], ignore_index=True)
        metrics = pd.concat([figures, self.metrics], ignore_index=True).sort_index(axis=1)
        order = together.sort_values(["params", "name", "run_id"]).index
        return together.loc[order].reset_index(drop=True), metrics.loc[order].reset_index(drop=True)


def board(
    store: Store,
    task_id: str,
    *,
    every_run: bool = True,
    printed: bool = False,
    until: datetime | None = None,
    incoming: Incoming | None = None,
) -> Board:
    """The runs of a task's current version.

    Args:
        store: The database.
        task_id: Which board.
        every_run: All runs; otherwise the seeds of one recipe are one row (``merging.merged``), and each model,
            source and data set has one row (``merging.best_recipes``).
        printed: Rank printed rows among the others too.
        until: Only what was on the board at this time (UTC); None for now.
        incoming: Runs that the board is shown with, as if they were accepted.

    Raises:
        NotFoundError: There is no such task.
    """
    with store.read() as con:
        task = _task(con, task_id)
        parameters = _parameters(task, until)
        # Of equal scores the smaller model stands first; the rest makes the order the same at every look.
        runs = _frame(con.execute(f"{_ROWS} ORDER BY m.params NULLS LAST, r.name, r.run_id", parameters))
        figures = _figures(con, runs)
        sign = 1.0 if task["direction"] == "max" else -1.0
        if incoming is not None:
            runs, figures = incoming.added_to(runs, figures)
        best = tested_runs(runs, sign) if task["metric"] in TESTED_METRICS else np.empty(0, dtype=np.intp)
        unstored = incoming.answers if incoming is not None else None
        sets = outcomes.read(con, pa.array(runs["run_id"].iloc[best], pa.string()), unstored) if len(best) else []
    sets = [replace(outcome_set, runs=best[outcome_set.runs]) for outcome_set in sets]
    if not every_run:
        runs["of_variant"] = runs.groupby(merging.VARIANT, sort=False, dropna=False)["run_id"].transform("size")
    grouped = merging.unmerged(runs, figures) if every_run else merging.merged(runs, figures, sets)
    order = np.argsort(-sign * grouped.rows["score"].to_numpy(), kind="stable")
    size = np.bincount(grouped.row_of[grouped.row_of >= 0], minlength=len(grouped.rows))
    others = np.zeros(len(order), dtype=np.intp)
    if not every_run:
        order = order[merging.best_recipes(grouped.rows.iloc[order], grouped.figures.iloc[order], task["metric"], sign)]
        others = grouped.rows.pop("of_variant").to_numpy(dtype=np.intp)[order] - size[order]
    frames = (grouped.rows.assign(others=0), grouped.figures, grouped.partial)
    rows, figures, partial = (frame.iloc[order].reset_index(drop=True) for frame in frames)
    rows["others"] = others
    figures = figures.loc[:, figures.notna().any() | (partial > 0).any()]
    position = np.full(len(grouped.rows) + 1, -1)
    position[order] = np.arange(len(order))
    row_of = position[grouped.row_of]  # -1 points to the last one, which is no row's
    counted = np.where((runs["status"] == "finished") & runs["score"].notna(), row_of, -1)
    sure = board_ranks.estimates(rows, sign)
    tests = tuple(board_ranks.tested(sets, counted, sure.seeds))
    among = board_ranks.taking_part(rows, printed=printed)
    ranks = rank_ranges(sure, tests, among)
    on_front = np.zeros(len(rows), dtype=bool)
    params = rows["params"].to_numpy(dtype=float, na_value=np.nan)
    on_front[pareto(params, np.where(among, rows["score"], np.nan), maximise=sign > 0)] = True
    costs = {name: figures.get(name, np.nan) for name in BOARD_METRICS}
    rows = rows.assign(
        **costs,
        rank=pd.array(ranks.texts(), dtype=_TYPES[pa.string()]),
        tags=merging.united_tags(row_of, runs["tags"], len(rows)),
        ranked=among,
        pareto=on_front,
        group=np.arange(len(rows)),
    )
    return Board(task, rows, figures, partial[figures.columns], *_behind(row_of, runs, len(rows)), ranks, tests)


def top(store: Store, task_id: str, limit: int = 100) -> pd.DataFrame:
    """The best runs of a task's current version with all their figures, for programs; no ranks, no merged seeds.

    Returns:
        The columns of ``Board.rows`` that the database has, best first, then one for each metric that one of these runs
        has (but none that has the name of a column before it), NaN where a run has it not.

    Raises:
        NotFoundError: There is no such task.
    """
    with store.read() as con:
        task = _task(con, task_id)
        parameters = _parameters(task, None)
        sign = -1.0 if task["direction"] == "max" else 1.0
        rows = _frame(
            con.execute(
                f"{_ROWS} ORDER BY $sign * p.value NULLS LAST, m.params NULLS LAST, r.name, r.run_id LIMIT $rows",
                {**parameters, "sign": sign, "rows": limit},
            )
        )
        figures = _figures(con, rows)
    return with_caveats(rows).join(figures[figures.columns.difference(rows.columns)])


def with_caveats(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a board with whole caveats, ``validation_split.CAVEATS`` among them, in place of ``choice``."""
    choices = rows["choice"].fillna(0).astype(int).map(dict(enumerate(validation_split.CAVEATS)))
    caveats = [validation_split.joined(*texts) for texts in zip(rows["caveat"], choices, strict=True)]
    return rows.drop(columns="choice").assign(caveat=pd.array(caveats, dtype=_TYPES[pa.string()]))


def _parameters(task: dict[str, Any], until: datetime | None) -> dict[str, Any]:
    named = {name: task[column] for name, column in (("metric", "metric"), ("task", "task_id"), ("version", "version"))}
    return {**named, "limit": silent_since(), "until": until or datetime.max}  # noqa: DTZ901 - no zones there


def _task(con: duckdb.DuckDBPyConnection, task_id: str) -> dict[str, Any]:
    result = con.execute("SELECT * FROM tasks WHERE task_id = ? ORDER BY version DESC LIMIT 1", [task_id])
    names = [column[0] for column in result.description or []]
    row = result.fetchone()
    if row is None:
        raise NotFoundError(f"There is no task {task_id!r} in this database.")
    return dict(zip(names, row, strict=True))


_TYPES = {pa.string(): pd.StringDtype(na_value=np.nan), pa.int64(): pd.Int64Dtype()}


def _frame(result: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """A result whose types do not hang on its rows: texts, whole numbers that may be missing, floats."""
    return result.to_arrow_table().to_pandas(types_mapper=_TYPES.get)


def _figures(con: duckdb.DuckDBPyConnection, runs: pd.DataFrame) -> pd.DataFrame:
    """All metrics of some runs, a column each by name; rows as the runs. Sizes are those of ``disk_sizes``."""
    run_ids = runs["run_id"]
    con.register("listed", pa.table({"run_id": pa.array(run_ids), "position": np.arange(len(run_ids))}))
    values = con.execute(
        "SELECT l.position, x.name, x.value FROM metrics x JOIN listed l USING (run_id)"
    ).to_arrow_table()
    names = values.column("name").combine_chunks().dictionary_encode()
    wide = np.full((len(run_ids), len(names.dictionary)), np.nan)
    wide[values.column("position").to_numpy(), names.indices.to_numpy()] = values.column("value").to_numpy()
    figures = pd.DataFrame(wide, columns=pd.Index(names.dictionary.to_pandas(), dtype="str"))
    sizes = figures.get("checkpoint_bytes", pd.Series(np.nan, figures.index)).set_axis(runs.index)
    printed = runs["params"].fillna(runs["params_reported"]).astype(float).where(runs["source"] == board_ranks.PRINTED)
    sizes = answering_bytes_of(sizes, runs["recipe_hash"], runs.pop("encoder"), printed)
    if sizes.notna().any():
        figures["checkpoint_bytes"] = sizes.to_numpy(dtype=float)
    return figures.sort_index(axis=1)


def tested_runs(runs: pd.DataFrame, sign: float) -> NDArray[np.intp]:
    """Positions of the best runs that may be compared by their predictions."""
    able = ((runs["source"] != board_ranks.PRINTED) & runs["score"].notna()).to_numpy()
    best = np.argsort(np.where(able, -sign * runs["score"].to_numpy(), np.inf), kind="stable")[: able.sum()]
    return best[:MAX_TESTED]


def _behind(row_of: NDArray[np.intp], runs: pd.DataFrame, count: int) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """The runs behind the rows, row by row and by seed, and where those of each row begin."""
    by_seed = np.lexsort((runs["seed"].to_numpy(dtype=float, na_value=np.nan), row_of))
    starts = np.searchsorted(row_of[by_seed], np.arange(count + 1))
    return runs[_MEMBER].iloc[by_seed].reset_index(drop=True), starts
