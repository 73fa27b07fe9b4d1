"""Relations of a run: its neighbours on the board, its teacher, its students, and a run to compare it with."""

from dataclasses import dataclass
from typing import Any

import duckdb
import pandas as pd

from db.analysis import recipe_settings
from db.analysis.recipe_settings import SCORED_RUNS
from db.runs.detail import resolve
from db.runs.status import ON_BOARD
from db.storage.store import Store

_BOARD = f"""
    WITH board AS (
        SELECT r.run_id, r.name, r.model_id, r.model, r.params, r.seed, r.source, r.teacher, r.recipe, r.dataset_hash,
               r.score, r.score * $sign AS quality
        FROM ({SCORED_RUNS}) r WHERE r.task_id = $task AND r.task_version = $version AND {ON_BOARD}
    )
"""  # noqa: S608 - constants


@dataclass(frozen=True)
class Relations:
    """A run among others. Frames have the columns ``run_id, name, model, seed, source, score``.

    Attributes:
        rank: Place among all runs of its task with a score, merged on the board or not; from 1. 0 without a score.
        runs: How many those are; 0 without a score.
        above: The next better run, with ``run_id, name, score``, or None.
        below: The next worse one, or None.
        teachers: Runs of the model that taught it, on the same board: the exact run where its recipe names recipe and
            seed, else the model's runs, the best first.
        students: The best run of each model that it taught, the best first, with ``runs``, how many there are.
        rival: The best run of another model that can be compared with it: with predictions if it has some.
    """

    rank: int
    runs: int
    above: dict[str, Any] | None
    below: dict[str, Any] | None
    teachers: pd.DataFrame
    students: pd.DataFrame
    rival: dict[str, Any] | None


def of_run(store: Store, run_id: str) -> Relations:
    """Relate a run to the others of its task's version.

    Raises:
        NotFoundError: There is no such run.
    """
    with store.read() as con:
        own = con.execute(f"SELECT * FROM ({SCORED_RUNS}) WHERE run_id = ?", [resolve(con, run_id)]).df()  # noqa: S608
        row = own.astype(object).where(own.notna(), None).to_dict("records")[0]
        recipe = recipe_settings.flat(row["recipe_json"])
        teacher_seed = recipe.get("distill.teacher_seed")
        values = {
            "run": row["run_id"],
            "task": row["task_id"],
            "version": row["task_version"],
            "sign": -1 if row["direction"] == "min" else 1,
        }
        names = {"model": row["model"], "name": row["name"]}
        neighbours = _select(
            con,
            """
            SELECT * FROM (
                SELECT run_id, row_number() OVER best AS rank, count(*) OVER () AS runs,
                       lag({'run_id': run_id, 'name': name, 'score': score}) OVER best AS above,
                       lead({'run_id': run_id, 'name': name, 'score': score}) OVER best AS below
                FROM board WHERE score IS NOT NULL WINDOW best AS (ORDER BY quality DESC, params, name, run_id)
            ) WHERE run_id = $run
            """,
            values,
        ).to_dict("records")
        teachers = _select(
            con,
            """
            SELECT run_id, name, model, seed, source, score,
                   coalesce(recipe = $recipe AND seed = $seed AND dataset_hash = $data, false) AS exact
            FROM board WHERE (model = $teacher OR name = $teacher OR exact) AND run_id <> $run
            ORDER BY exact DESC, quality DESC NULLS LAST, run_id LIMIT 20
            """,
            {
                **values,
                "recipe": recipe.get("distill.teacher"),
                "seed": None if teacher_seed is None else int(teacher_seed),
                "data": row["dataset_hash"],
                "teacher": row["teacher"],
            },
        )
        students = _select(
            con,
            """
            SELECT run_id, name, model, seed, source, score, runs FROM (
                SELECT *, count(*) OVER (PARTITION BY model_id) AS runs FROM board
                WHERE teacher IN ($model, $name) AND run_id <> $run
            )
            QUALIFY row_number() OVER (PARTITION BY model_id ORDER BY quality DESC NULLS LAST, run_id) = 1
            ORDER BY quality DESC NULLS LAST, run_id
            """,
            {**values, **names},
        )
        rivals = _select(
            con,
            """
            SELECT run_id, name, score FROM board WHERE model_id <> $model AND score IS NOT NULL
            ORDER BY (run_id IN (SELECT run_id FROM predictions))
                     = EXISTS (SELECT 1 FROM predictions WHERE run_id = $run) DESC, quality DESC, run_id
            LIMIT 1
            """,
            {**values, "model": row["model_id"]},
        )
    exact = teachers["exact"].astype(bool)
    position: dict[str, Any] = neighbours[0] if neighbours else {"rank": 0, "runs": 0, "above": None, "below": None}
    return Relations(
        int(position["rank"]),
        int(position["runs"]),
        position["above"],
        position["below"],
        (teachers[exact] if exact.any() else teachers).drop(columns="exact").reset_index(drop=True),
        students,
        rivals.to_dict("records")[0] if len(rivals) else None,
    )


def _select(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> pd.DataFrame:
    return con.execute(f"{_BOARD} {query}", values).df()
