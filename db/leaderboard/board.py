"""One task's board: its rows best first and all their figures, as columns that are looked through without a loop.

A page draws from a ``Board`` many times; it is made once for each state of the database, and nobody writes to it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from db.base.errors import NotFoundError
from db.leaderboard.filters import Filter, Order, ordered, searchable, select
from db.registry.metrics import BOARD_METRICS
from db.runs import seeds
from db.runs.status import ON_BOARD, STATUS, silent_since
from db.statistics import ranking
from db.statistics.pareto import pareto
from db.storage.store import Store

__all__ = ["Board", "Filter", "Order", "board", "ordered", "select", "top"]

_MEMBER = ["run_id", "name", "seed", "status", "device", "score", "low", "high"]

_ROWS = f"""
    SELECT r.run_id, r.name, r.model_id, m.name AS model, m.family, m.architecture, m.params, m.params_reported,
           r.recipe, r.recipe_hash, r.seed, r.dataset, r.dataset_hash, r.split, r.source, r.verified, {STATUS},
           r.device, r.teacher, r.train_seconds, r.citation, r.notes, r.caveat, r.created_at,
           p.value AS score, p.low, p.high, p.n
    FROM runs r
    JOIN models m USING (model_id)
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = $metric
    WHERE r.task_id = $task AND r.task_version = $version AND {ON_BOARD}
"""  # noqa: S608 - the interpolated texts are constants


@dataclass(frozen=True, eq=False)
class Board:
    """The current version of a task with its runs.

    Attributes:
        task: The row of the tasks table.
        rows: Best first, missing scores last, numbered from 0: identity, origin and cost columns, ``score, low, high,
            n`` of the primary metric, a column for each of ``BOARD_METRICS``, ``rank`` (a text such as ``2-4``),
            ``seeds, spread, least, most`` of ``seeds.merged``, ``pareto`` (whether the row is on the frontier of
            parameters against score) and ``group`` (what ``members`` takes, also of rows that were put elsewhere).
        figures: The same index; one column of float64 for every metric that any of the rows has, NaN where a row has
            none.
        runs: The runs behind the rows, row by row, by seed: ``run_id, name, seed, status, device, score, low,
            high``.
        starts: Shape (rows + 1,): where in ``runs`` those of each row begin.
        rank: Shape (rows, 2): the best and the worst rank of each row; 0 without a score.
    """

    task: dict[str, Any]
    rows: pd.DataFrame
    figures: pd.DataFrame
    runs: pd.DataFrame = field(repr=False)
    starts: NDArray[np.intp] = field(repr=False)
    rank: NDArray[np.intp] = field(repr=False)

    def members(self, position: int) -> pd.DataFrame:
        """The runs behind a row, by seed: ``run_id, name, seed, status, device, score, low, high``."""
        return self.runs.iloc[self.starts[position] : self.starts[position + 1]].reset_index(drop=True)

    def to_pandas(self) -> pd.DataFrame:
        """Make one table of rows and metrics, best first; a metric that is a column of ``rows`` already comes once."""
        return self.rows.drop(columns="group").join(self.figures[self.figures.columns.difference(self.rows.columns)])

    @cached_property
    def text(self) -> pa.Array:
        """What is searched, row by row; see ``db.leaderboard.filters.searchable``."""
        return searchable(self.rows)

    @cached_property
    def codes(self) -> dict[str, NDArray[np.intp]]:
        """Columns as whole numbers of the same order, -1 where missing; filled by ``filters.ordered``."""
        return {}


def board(store: Store, task_id: str, *, every_run: bool = True) -> Board:
    """The runs of a task's current version.

    Args:
        store: The database.
        task_id: Which board.
        every_run: All runs; otherwise the seeds of one recipe are one row (``seeds.merged``), and each model,
            source and data set has one row (``db.runs.seeds.best_recipes``).

    Raises:
        NotFoundError: There is no such task.
    """
    with store.read() as con:
        task = _task(con, task_id)
        parameters = {"metric": task["metric"], "task": task_id, "version": task["version"], "limit": silent_since()}
        # Of equal scores the smaller model stands first; the rest makes the order the same at every look.
        runs = _frame(con.execute(f"{_ROWS} ORDER BY m.params NULLS LAST, r.name, r.run_id", parameters))
        figures = _figures(con, runs["run_id"])
    sign = 1.0 if task["direction"] == "max" else -1.0
    grouped = seeds.unmerged(runs, figures) if every_run else seeds.merged(runs, figures)
    order = np.argsort(-sign * grouped.rows["score"].to_numpy(), kind="stable")
    if not every_run:
        best = seeds.best_recipes(grouped.rows.iloc[order], grouped.figures.iloc[order], task["metric"], sign)
        order = order[best]
    rows, figures = (frame.iloc[order].reset_index(drop=True) for frame in (grouped.rows, grouped.figures))
    return _whole(task, rows, figures.dropna(axis=1, how="all"), *_behind(grouped.row_of, order, runs))


def top(store: Store, task_id: str, limit: int = 100) -> pd.DataFrame:
    """The best runs of a task's current version with all their figures, for programs; no ranks, no merged seeds.

    Args:
        store: The database.
        task_id: Which board.
        limit: At most so many.

    Returns:
        The columns of ``Board.rows`` that the database has, best first, then one for each metric that one of these runs
        has (but none that has the name of a column before it), NaN where a run has it not.

    Raises:
        NotFoundError: There is no such task.
    """
    with store.read() as con:
        task = _task(con, task_id)
        parameters = {"metric": task["metric"], "task": task_id, "version": task["version"], "limit": silent_since()}
        sign = -1.0 if task["direction"] == "max" else 1.0
        rows = _frame(
            con.execute(
                f"{_ROWS} ORDER BY $sign * p.value NULLS LAST, m.params NULLS LAST, r.name, r.run_id LIMIT $rows",
                {**parameters, "sign": sign, "rows": limit},
            )
        )
        figures = _figures(con, rows["run_id"])
    return rows.join(figures[figures.columns.difference(rows.columns)])


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


def _figures(con: duckdb.DuckDBPyConnection, run_ids: pd.Series) -> pd.DataFrame:
    """All metrics of some runs, a column each by name; rows as the runs."""
    con.register("listed", pa.table({"run_id": pa.array(run_ids), "position": np.arange(len(run_ids))}))
    values = con.execute(
        "SELECT l.position, x.name, x.value FROM metrics x JOIN listed l USING (run_id)"
    ).to_arrow_table()
    names = values.column("name").combine_chunks().dictionary_encode()
    wide = np.full((len(run_ids), len(names.dictionary)), np.nan)
    wide[values.column("position").to_numpy(), names.indices.to_numpy()] = values.column("value").to_numpy()
    return pd.DataFrame(wide, columns=pd.Index(names.dictionary.to_pandas(), dtype="str")).sort_index(axis=1)


def _behind(
    row_of: NDArray[np.intp], order: NDArray[np.intp], runs: pd.DataFrame
) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """The runs of the rows in ``order``, row by row and by seed, and where those of each row begin."""
    position = np.full(row_of.max(initial=-1) + 2, -1)
    position[order] = np.arange(len(order))
    row = position[row_of]  # -1 points to the last one, which is no row's
    by_seed = np.lexsort((runs["seed"].to_numpy(dtype=float, na_value=np.nan), row))
    starts = np.searchsorted(row[by_seed], np.arange(len(order) + 1))
    return runs[_MEMBER].iloc[by_seed].reset_index(drop=True), starts


def _whole(
    task: dict[str, Any], rows: pd.DataFrame, figures: pd.DataFrame, runs: pd.DataFrame, starts: NDArray[np.intp]
) -> Board:
    sign = 1.0 if task["direction"] == "max" else -1.0
    value, low, high = (rows[column].to_numpy() for column in ("score", "low", "high"))
    ends = (low, high) if sign > 0 else (-high, -low)
    rank = ranking.rank_ranges(sign * value, *ends)
    texts = pd.array(ranking.rank_texts(rank), dtype=_TYPES[pa.string()])
    on_front = np.zeros(len(rows), dtype=bool)
    on_front[pareto(rows["params"].to_numpy(dtype=float, na_value=np.nan), value, maximise=sign > 0)] = True
    costs = {name: figures.get(name, np.nan) for name in BOARD_METRICS}
    rows = rows.assign(**costs, rank=texts, pareto=on_front, group=np.arange(len(rows)))
    return Board(task, rows, figures, runs, starts, rank)
