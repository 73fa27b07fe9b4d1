"""What people read: boards, one run, its curves. Every function opens the database once, for one short burst."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd

from db import curves, seeds, stats
from db.clock import utc_now
from db.errors import NotFoundError
from db.metrics import BOARD_METRICS
from db.runs import DEAD_AFTER_S
from db.seeds import Seeds
from db.store import Store

# A running run whose process has died is shown as interrupted even before anybody has marked it.
_STATUS = "CASE WHEN r.status = 'running' AND r.heartbeat < $limit THEN 'interrupted' ELSE r.status END AS status"


def _limit() -> Any:
    return utc_now() - timedelta(seconds=DEAD_AFTER_S)


def boards(store: Store) -> pd.DataFrame:
    """Every task with its number of runs, in the order of the tabs.

    Returns:
        The columns of the tasks table plus ``runs`` and ``variants``.
    """
    return store.query(
        """
        SELECT t.*, count(r.run_id) AS runs, count(DISTINCT r.model_id) AS variants
        FROM (SELECT * FROM tasks QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY version DESC) = 1) t
        LEFT JOIN runs r ON r.task_id = t.task_id AND r.task_version = t.version
        GROUP BY ALL ORDER BY t.position
        """
    )


def leaderboard(store: Store, task_id: str, *, every_run: bool = True) -> pd.DataFrame:
    """The runs of a task's current version, best first, missing scores last.

    Args:
        store: The database.
        task_id: Which board.
        every_run: All runs; otherwise the seeds of one recipe are one row (``db.seeds.merged``), and each model,
            source and data set has one row (``db.seeds.best_recipes``).

    Returns:
        One row a run: identity, origin and cost columns, ``score, low, high, n`` of the primary metric, ``rank`` (a
        text such as ``2-4`` among the rows returned), ``metrics`` (a dict of all figures), ``seeds, spread, least,
        most`` of ``db.seeds.merged``.

    Raises:
        NotFoundError: There is no such task.
    """
    with store.read() as con:
        task = con.execute("SELECT * FROM tasks WHERE task_id = ? ORDER BY version DESC LIMIT 1", [task_id]).df()
        if task.empty:
            raise NotFoundError(f"There is no task {task_id!r} in this database.")
        facts = task.iloc[0]
        rows = con.execute(
            f"""
            SELECT r.run_id, r.name, r.model_id, m.name AS model, m.family, m.architecture, m.params, m.params_reported,
                   r.recipe, r.recipe_hash, r.seed, r.dataset, r.dataset_hash, r.split, r.source, r.verified, {_STATUS},
                   r.device, r.teacher, r.train_seconds, r.citation, r.notes, r.caveat, r.created_at,
                   p.value AS score, p.low, p.high, p.n
            FROM runs r
            JOIN models m USING (model_id)
            LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = $metric
            WHERE r.task_id = $task AND r.task_version = $version
            """,  # noqa: S608 - the one interpolated text is a constant of this module
            {"metric": facts["metric"], "task": task_id, "version": int(facts["version"]), "limit": _limit()},
        ).df()
        metrics = con.execute(
            "SELECT x.run_id, x.name, x.value FROM metrics x JOIN runs r USING (run_id) "
            "WHERE r.task_id = $task AND r.task_version = $version",
            {"task": task_id, "version": int(facts["version"])},
        ).df()
    sign = 1.0 if facts["direction"] == "max" else -1.0
    rows = _with_metrics(rows, metrics)
    ordered = _ordered(seeds.unmerged(rows) if every_run else seeds.merged(rows), sign)
    return _ranked(ordered if every_run else seeds.best_recipes(ordered, facts["metric"], sign), sign)


def _ordered(rows: pd.DataFrame, sign: float) -> pd.DataFrame:
    ordered = rows.assign(_order=-sign * rows["score"])
    ordered = ordered.sort_values(["_order", "params", "name", "run_id"], kind="stable", ignore_index=True)
    return ordered.drop(columns="_order")


def _with_metrics(rows: pd.DataFrame, metrics: pd.DataFrame) -> pd.DataFrame:
    wide = metrics.pivot_table(index="run_id", columns="name", values="value", aggfunc="first")
    for name in BOARD_METRICS:
        rows[name] = rows["run_id"].map(wide[name]) if name in wide else np.nan
    by_run: dict[str, dict[str, float]] = {}
    for run_id, name, value in metrics[["run_id", "name", "value"]].itertuples(index=False):
        by_run.setdefault(run_id, {})[name] = value
    rows["metrics"] = [by_run.get(run_id, {}) for run_id in rows["run_id"]]
    return rows


def _ranked(rows: pd.DataFrame, sign: float) -> pd.DataFrame:
    value, low, high = (rows[column].to_numpy(dtype=float) for column in ("score", "low", "high"))
    ends = (low, high) if sign > 0 else (-high, -low)
    rows["rank"] = stats.rank_ranges(sign * value, *ends)
    return rows


@dataclass(frozen=True)
class RunDetail:
    """One run with everything that belongs to it.

    Attributes:
        run: The row of the runs table, with the effective status.
        model: The row of the models table; ``config`` is parsed.
        task: The row of the tasks table.
        recipe: The recipe, parsed; empty for rows that have none.
        metrics: Columns ``name, value, n, low, high``.
        curves: Of ``db.curves.of_run``.
        artifacts: Columns ``kind, path, bytes, sha256``.
        confusion: Gold label by predicted label, counts; empty without predictions, and where no labels are predicted.
        seeds: The seeds of its recipe on its data; None where it is the only one.
        siblings: Further runs of the same model on the same task: ``run_id, name, seed, source, score``.
    """

    run: dict[str, Any]
    model: dict[str, Any]
    task: dict[str, Any]
    recipe: dict[str, Any]
    metrics: pd.DataFrame
    curves: pd.DataFrame
    artifacts: pd.DataFrame
    confusion: pd.DataFrame
    seeds: Seeds | None
    siblings: pd.DataFrame


def run_detail(store: Store, run_id: str) -> RunDetail:
    """Everything about one run.

    Args:
        store: The database.
        run_id: A whole id, or its beginning where that is unique (8 characters at least).

    Raises:
        NotFoundError: No run, or several runs, begin like that.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        run = con.execute(
            f"SELECT r.* REPLACE ({_STATUS}) FROM runs r WHERE run_id = $run",  # noqa: S608 - a constant of this module
            {"run": full, "limit": _limit()},
        ).df()
        facts = _record(run)
        model = _record(con.execute("SELECT * FROM models WHERE model_id = ?", [facts["model_id"]]).df())
        task = _record(
            con.execute(
                "SELECT * FROM tasks WHERE task_id = ? AND version = ?", [facts["task_id"], int(facts["task_version"])]
            ).df()
        )
        metrics = con.execute(
            "SELECT name, value, n, low, high FROM metrics WHERE run_id = ? ORDER BY name", [full]
        ).df()
        points = curves.of_run(con, full)
        artifacts = con.execute(
            "SELECT kind, path, bytes, sha256 FROM artifacts WHERE run_id = ? ORDER BY kind", [full]
        ).df()
        # Answers to questions are nearly all different: a table of them would have as many cells as pairs of questions.
        labels = task.get("metric") == "accuracy"
        pairs = con.execute(
            "SELECT gold, predicted, count(*) AS n FROM predictions WHERE run_id = ? AND ? GROUP BY ALL ORDER BY ALL",
            [full, labels],
        ).df()
        sign = -1 if task.get("direction") == "min" else 1
        family = con.execute(
            f"""
            SELECT r.run_id, r.name, r.model_id, r.recipe_hash, r.seed, r.source, r.dataset, r.dataset_hash, r.split,
                   r.device, {_STATUS}, r.created_at, p.value AS score, p.low, p.high
            FROM runs r LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = $metric
            WHERE r.model_id = $model AND r.task_id = $task AND r.task_version = $version
            ORDER BY r.recipe_hash = $recipe DESC NULLS LAST, r.run_id = $run DESC, p.value * $sign DESC NULLS LAST,
                     r.run_id LIMIT 200
            """,  # noqa: S608 - the one interpolated text is a constant of this module
            {"limit": _limit(), "metric": task.get("metric"), "model": facts["model_id"], "task": facts["task_id"],
             "version": int(facts["task_version"]), "recipe": facts["recipe_hash"], "run": full, "sign": sign},
        ).df()  # fmt: skip
    found = seeds.of_run(family, full)
    told = {full, *(found.runs["run_id"] if found else ())}
    model["config"] = _object(model.get("config"))
    return RunDetail(
        run=facts,
        model=model,
        task=task,
        recipe=_object(facts.get("recipe_json")),
        metrics=metrics,
        curves=points,
        artifacts=artifacts,
        confusion=pairs.pivot_table(index="gold", columns="predicted", values="n", aggfunc="sum", fill_value=0),
        seeds=found,
        siblings=family.loc[~family["run_id"].isin(told), ["run_id", "name", "seed", "source", "dataset", "score"]],
    )


def _object(text: str | None) -> dict[str, Any]:
    """A stored JSON object; anything else counts as none."""
    parsed = json.loads(text or "{}")
    return parsed if isinstance(parsed, dict) else {}


def resolve(con: Any, run_id: str) -> str:
    """The whole id of a run of which at least eight characters are given.

    Raises:
        NotFoundError: There is none, or several begin so.
    """
    found = con.execute(
        "SELECT run_id FROM runs WHERE starts_with(run_id, ?) ORDER BY run_id LIMIT 2", [run_id]
    ).fetchall()
    if found and found[0][0] == run_id:
        return run_id
    if len(run_id) < 8 or not found:
        raise NotFoundError(f"There is no run {run_id!r} in this database; `featherboard list runs` shows them.")
    if len(found) > 1:
        raise NotFoundError(f"Several runs begin with {run_id!r}; give more of the id.")
    return str(found[0][0])


def _record(frame: pd.DataFrame) -> dict[str, Any]:
    """The first row with missing values as None, or an empty dict."""
    if frame.empty:
        return {}
    row = frame.astype(object).where(frame.notna(), None).iloc[0]
    return {str(key): value.item() if isinstance(value, np.generic) else value for key, value in row.items()}


def runs(store: Store, limit: int = 50) -> pd.DataFrame:
    """The newest runs: ``run_id, name, task_id, source, status, score, created_at``."""
    return store.query(
        f"""
        SELECT r.run_id, r.name, r.task_id, r.source, {_STATUS}, r.verified, p.value AS score, r.created_at
        FROM runs r
        LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        ORDER BY r.source = 'reported', r.created_at DESC, r.run_id LIMIT $rows
        """,  # noqa: S608 - the one interpolated text is a constant of this module
        {"limit": _limit(), "rows": limit},
    )
