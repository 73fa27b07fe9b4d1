"""What people read: which boards there are, one run, its curves; the rows of a board are in ``db.leaderboard.board``.

Every function opens the database once, for one short burst.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from db.base.errors import NotFoundError
from db.base.problems import Code, Message
from db.registry import disk_sizes, validation_split
from db.runs import curves, seeds
from db.runs.seeds import Seeds
from db.runs.status import ON_BOARD, STATUS, silent_since
from db.storage import ownership
from db.storage.store import Store

SHORTEST = 8
"""Characters of a run's id that name it at least."""


def boards(store: Store) -> pd.DataFrame:
    """Every task with its number of runs, in the order of the tabs.

    Returns:
        The columns of the tasks table plus ``runs``, ``variants`` and ``running`` (the runs among them that nobody has
        marked as ended).
    """
    return store.query(
        f"""
        SELECT t.*, coalesce(r.runs, 0) AS runs, coalesce(r.variants, 0) AS variants, coalesce(r.running, 0) AS running
        FROM (SELECT * FROM tasks QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY version DESC) = 1) t
        LEFT JOIN (SELECT task_id, task_version AS version, count(*) AS runs, count(DISTINCT model_id) AS variants,
                          count_if(status = 'running') AS running
                   FROM runs r WHERE {ON_BOARD} GROUP BY ALL) r USING (task_id, version)
        ORDER BY t.position
        """  # noqa: S608 - the one interpolated text is a constant of this package
    )


@dataclass(frozen=True)
class RunDetail:
    """One run with everything that belongs to it.

    Attributes:
        run: The row of the runs table, with the effective status, with ``withdrawn_at`` and ``withdrawn`` (the reason)
            where it has left the board, and with ``tags``, ``moderator_note`` and ``moderator_note_at``.
        model: The row of the models table; ``config`` is parsed.
        task: The row of the tasks table.
        recipe: The recipe, parsed; empty for rows that have none.
        metrics: Columns ``name, value, n, low, high``.
        curves: Of ``db.runs.curves.of_run``.
        artifacts: Columns ``kind, path, bytes, sha256``.
        confusion: Gold label by predicted label, counts; empty without predictions, and where no labels are predicted.
        seeds: The seeds of its recipe on its data; None where it is the only one.
        siblings: Further runs of the same model on the same task: ``run_id, name, seed, source, score``.
        versions: What the run was before it was replaced: of ``db.storage.ownership.versions``.
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
    versions: pd.DataFrame


def run_detail(store: Store, run_id: str) -> RunDetail:
    """Everything about one run.

    Args:
        store: The database.
        run_id: A whole id, or its beginning where that is unique (``SHORTEST`` characters at least).

    Raises:
        NotFoundError: No run, or several runs, begin like that.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        run = con.execute(
            f"SELECT r.* REPLACE ({STATUS}), w.withdrawn_at, w.reason AS withdrawn, "  # noqa: S608 - a constant
            "p.origin, p.installation, p.received_by, p.received_at, "
            "coalesce(a.tags, []) AS tags, a.note AS moderator_note, a.noted_at AS moderator_note_at "
            "FROM runs r LEFT JOIN withdrawals w USING (run_id) LEFT JOIN provenance p USING (run_id) "
            "LEFT JOIN annotations a USING (run_id) WHERE run_id = $run",
            {"run": full, "limit": silent_since()},
        ).df()
        facts = _record(run)
        facts["tags"] = list(facts["tags"])
        facts["command"] = validation_split.command(facts["recipe_json"], facts["command"])
        model = _record(con.execute("SELECT * FROM models WHERE model_id = ?", [facts["model_id"]]).df())
        task = _record(
            con.execute(
                "SELECT * FROM tasks WHERE task_id = ? AND version = ?", [facts["task_id"], int(facts["task_version"])]
            ).df()
        )
        metrics = con.execute(
            "SELECT name, value, n, low, high FROM metrics WHERE run_id = ? ORDER BY name", [full]
        ).df()
        recipe = _object(facts.get("recipe_json"))
        size = metrics["name"] == "checkpoint_bytes"
        metrics.loc[size, "value"] = [
            disk_sizes.answering_bytes(value, facts["recipe_hash"], recipe) for value in metrics.loc[size, "value"]
        ]
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
                   r.device, {STATUS}, r.created_at, p.value AS score, p.low, p.high, {ownership.OWNER}
            FROM runs r LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = $metric
            WHERE r.model_id = $model AND r.task_id = $task AND r.task_version = $version
              AND (r.run_id = $run OR {ON_BOARD})
            ORDER BY r.recipe_hash = $recipe DESC NULLS LAST, r.run_id = $run DESC, p.value * $sign DESC NULLS LAST,
                     r.run_id LIMIT 200
            """,  # noqa: S608 - the interpolated texts are constants of this package
            {
                "limit": silent_since(),
                "metric": task.get("metric"),
                "model": facts["model_id"],
                "task": facts["task_id"],
                "version": int(facts["task_version"]),
                "recipe": facts["recipe_hash"],
                "run": full,
                "sign": sign,
            },
        ).df()
        of_recipe = seeds.of_run(family, full, lambda runs: seeds.example_variance(con, runs))
        versions = ownership.versions(con, full)
    listed = {full, *(of_recipe.runs["run_id"] if of_recipe else ())}
    model["config"] = _object(model.get("config"))
    return RunDetail(
        run=facts,
        model=model,
        task=task,
        recipe=recipe,
        metrics=metrics,
        curves=points,
        artifacts=artifacts,
        confusion=pairs.pivot_table(index="gold", columns="predicted", values="n", aggfunc="sum", fill_value=0),
        seeds=of_recipe,
        siblings=family.loc[~family["run_id"].isin(listed), ["run_id", "name", "seed", "source", "dataset", "score"]],
        versions=versions,
    )


def _object(text: str | None) -> dict[str, Any]:
    """A stored JSON object; anything else counts as none."""
    parsed = json.loads(text or "{}")
    return parsed if isinstance(parsed, dict) else {}


def resolve(con: Any, run_id: str) -> str:
    """The whole id of a run of which at least ``SHORTEST`` characters are given.

    Raises:
        NotFoundError: There is none, or several begin so.
    """
    candidates = con.execute(
        f"SELECT run_id, {ownership.OWNER} FROM runs r WHERE starts_with(run_id, ?) ORDER BY run_id LIMIT 9",  # noqa: S608 - a constant
        [run_id],
    ).fetchall()
    if candidates and candidates[0][0] == run_id:
        return run_id
    # Whoever sends a run chooses its id: it takes nothing from the short names of runs that are known here.
    matches = [row for row in candidates if row[1] is None] or candidates
    if len(run_id) < SHORTEST and matches:
        raise NotFoundError(Message(Code.RUN_SHORT, {"run": run_id, "limit": SHORTEST}))
    if not matches:
        raise NotFoundError(Message(Code.RUN_MISSING, {"run": run_id}))
    if len(matches) > 1:
        raise NotFoundError(Message(Code.RUN_SEVERAL, {"run": run_id}))
    return str(matches[0][0])


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
        SELECT r.run_id, r.name, r.task_id, r.source, {STATUS}, r.verified, p.value AS score, r.created_at
        FROM runs r
        LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        WHERE {ON_BOARD}
        ORDER BY r.source = 'reported', r.created_at DESC, r.run_id LIMIT $rows
        """,  # noqa: S608 - the interpolated texts are constants of this package
        {"limit": silent_since(), "rows": limit},
    )


def slices(store: Store, run_id: str) -> pd.DataFrame:
    """Parts of the split: ``facet, part, name, value, n, low, high``, by facet and falling number of examples."""
    return store.query(
        "SELECT facet, part, name, value, n, low, high FROM slices WHERE run_id = ? ORDER BY facet, n DESC, part",
        [run_id],
    )
