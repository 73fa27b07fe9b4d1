"""What a run is related to: its neighbours on the board, who taught it, whom it taught, whom to compare it with."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from db.runs.detail import resolve
from db.runs.status import ON_BOARD
from db.storage.store import Store

# The order of the board, with every run in it.
_BOARD = f"""
    SELECT r.run_id, r.name, r.model_id, r.seed, p.value AS score,
           row_number() OVER best AS place, lag(r.run_id) OVER best AS above, lead(r.run_id) OVER best AS below,
           count(*) OVER () AS runs
    FROM runs r JOIN models m ON m.model_id = r.model_id
    JOIN mine ON r.task_id = mine.task_id AND r.task_version = mine.version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = mine.metric
    WHERE {ON_BOARD}
    WINDOW best AS (ORDER BY p.value * mine.sign DESC NULLS LAST, m.params, r.name, r.run_id)
"""  # noqa: S608 - a constant
_MINE = """
    mine AS (
        SELECT r.run_id, r.task_id, r.task_version AS version, r.model_id, r.dataset_hash, r.teacher, m.name AS model,
               r.name, r.recipe, r.seed, t.metric, CASE WHEN t.direction = 'min' THEN -1 ELSE 1 END AS sign,
               r.recipe_json ->> '$.distill.teacher' AS teacher_recipe,
               CAST(r.recipe_json ->> '$.distill.teacher_seed' AS BIGINT) AS teacher_seed
        FROM runs r JOIN models m ON m.model_id = r.model_id
        LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        WHERE r.run_id = $run
    )
"""
_COLUMNS = "run_id, name, model, seed, source, score"


@dataclass(frozen=True)
class Relations:
    """A run among others. Frames have the columns ``run_id, name, model, seed, source, score``.

    Attributes:
        place: Which row of its board it is when every run is a row, the best first; from 1.
        runs: Rows of that board.
        above: The next better run, or None.
        below: The next worse one, or None.
        teachers: Runs of the model that taught it, on the same board: the very run where its recipe names recipe and
            seed, else the model's runs, the best first.
        students: The best run of each model that it taught, the best first, with ``runs``, how many there are.
        rival: The best run of another model that can be compared with it: with predictions if it has some.
    """

    place: int
    runs: int
    above: dict[str, Any] | None
    below: dict[str, Any] | None
    teachers: pd.DataFrame
    students: pd.DataFrame
    rival: dict[str, Any] | None


def of_run(store: Store, run_id: str) -> Relations:
    """A run among the others of its task's version.

    Args:
        store: The database.
        run_id: A run's id, or its beginning.

    Raises:
        NotFoundError: There is no such run.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        bound = {"run": full}
        near = con.execute(
            f"WITH {_MINE}, board AS ({_BOARD}) "  # noqa: S608 - constants of this module
            "SELECT b.place, b.runs, b.above, b.below FROM board b WHERE b.run_id = $run",
            bound,
        ).fetchone()
        neighbours = con.execute(
            f"WITH {_MINE}, board AS ({_BOARD}) SELECT b.run_id, b.name, b.score FROM board b "  # noqa: S608 - likewise
            "WHERE b.run_id IN (SELECT unnest([above, below]) FROM board WHERE run_id = $run)",
            bound,
        ).df()
        teachers = _teachers(con, bound)
        students = _students(con, bound)
        rival = con.execute(
            f"""
            WITH {_MINE}, kept AS (SELECT DISTINCT run_id FROM predictions)
            SELECT r.run_id, r.name, p.value AS score
            FROM mine JOIN runs r ON r.task_id = mine.task_id AND r.task_version = mine.version
            JOIN metrics p ON p.run_id = r.run_id AND p.name = mine.metric
            WHERE r.model_id <> mine.model_id AND {ON_BOARD}
            ORDER BY (r.run_id IN (FROM kept)) = (mine.run_id IN (FROM kept)) DESC, p.value * mine.sign DESC, r.run_id
            LIMIT 1
            """,  # noqa: S608 - likewise
            bound,
        ).df()
    known = {str(row["run_id"]): row for row in neighbours.to_dict("records")}
    place, runs, above, below = near or (0, 0, None, None)
    return Relations(
        int(place),
        int(runs),
        known.get(str(above)),
        known.get(str(below)),
        teachers,
        students,
        rival.to_dict("records")[0] if len(rival) else None,
    )


def _teachers(con: Any, bound: dict[str, Any]) -> pd.DataFrame:
    rows: pd.DataFrame = con.execute(
        f"""
        WITH {_MINE}
        SELECT r.run_id, r.name, m.name AS model, r.seed, r.source, p.value AS score,
               coalesce(r.recipe = mine.teacher_recipe AND r.seed = mine.teacher_seed
                        AND r.dataset_hash = mine.dataset_hash, false) AS very
        FROM mine JOIN runs r ON r.task_id = mine.task_id AND r.task_version = mine.version
        JOIN models m ON m.model_id = r.model_id
        LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = mine.metric
        WHERE (m.name = mine.teacher OR r.name = mine.teacher OR very) AND r.run_id <> mine.run_id AND {ON_BOARD}
        ORDER BY very DESC, p.value * mine.sign DESC NULLS LAST, r.run_id LIMIT 20
        """,  # noqa: S608 - likewise
        bound,
    ).df()
    very = rows["very"].astype(bool)
    return (rows[very] if very.any() else rows).drop(columns="very").reset_index(drop=True)


def _students(con: Any, bound: dict[str, Any]) -> pd.DataFrame:
    return con.execute(
        f"""
        WITH {_MINE}
        SELECT {_COLUMNS}, runs FROM (
            SELECT r.run_id, r.name, m.name AS model, r.seed, r.source, p.value AS score, r.model_id,
                   count(*) OVER (PARTITION BY r.model_id) AS runs, p.value * mine.sign AS worth
            FROM mine JOIN runs r ON r.task_id = mine.task_id AND r.task_version = mine.version
            JOIN models m ON m.model_id = r.model_id
            LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = mine.metric
            WHERE r.teacher IN (mine.model, mine.name) AND r.run_id <> mine.run_id AND {ON_BOARD}
        )
        QUALIFY row_number() OVER (PARTITION BY model_id ORDER BY worth DESC NULLS LAST, run_id) = 1
        ORDER BY worth DESC NULLS LAST, run_id
        """,  # noqa: S608 - likewise
        bound,
    ).df()
