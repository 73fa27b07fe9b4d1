"""One model over all boards: its rows with their ranks, models of its size, its runs, its teachers and students."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from db.leaderboard.board import Board
from db.leaderboard.overview import Cells, Overview
from db.storage.store import Store

SIZE_FACTOR = 3.0
"""Peers of a model have between a third and three times its parameters."""

MAX_RUNS = 200
"""Runs in a history, the newest."""

_MODELS = """
    SELECT * FROM models WHERE name = $name
    ORDER BY model_id NOT IN (SELECT r.model_id FROM runs r ANTI JOIN (
                 SELECT run_id FROM provenance WHERE origin <> 'shipped') USING (run_id)),
             params IS NULL, params DESC NULLS LAST, model_id
"""  # models that only other installations know come last, whatever name they have

_RUNS = """
    SELECT r.run_id, r.task_id, r.name, r.seed, r.source, r.status, r.verified, r.dataset, r.created_at, t.metric,
           p.value AS score, p.low, p.high, w.withdrawn_at, w.reason,
           (SELECT max(replaced_at) FROM run_versions v WHERE v.run_id = r.run_id) AS replaced_at
    FROM runs r
    JOIN models m USING (model_id)
    JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
    LEFT JOIN withdrawals w ON w.run_id = r.run_id
    WHERE m.name = $name AND r.created_at <= $until
    ORDER BY r.source = 'reported', r.created_at DESC, r.run_id LIMIT $rows
"""

_FILES = """
    SELECT r.task_id, a.kind, a.path, a.bytes, a.sha256
    FROM artifacts a JOIN runs r USING (run_id)
    WHERE list_contains($runs, a.run_id) AND a.kind <> 'card' ORDER BY r.task_id, a.bytes DESC
"""

# A teacher is named as a model or as a run; where it is a run's name, its model is meant.
_LESSONS = """
    SELECT DISTINCT m.name AS student,
           coalesce((SELECT any_value(n.name) FROM runs o JOIN models n USING (model_id) WHERE o.name = r.teacher
                     AND r.teacher NOT IN (SELECT name FROM models)), r.teacher) AS teacher
    FROM runs r JOIN models m USING (model_id)
    WHERE r.teacher IS NOT NULL AND r.run_id NOT IN (SELECT run_id FROM withdrawals) ORDER BY ALL
"""


@dataclass(frozen=True, eq=False)
class Model:
    """Everything of one name.

    Attributes:
        name: Its name.
        facts: The row of the models table with the most parameters; of several that share the name, as an encoder with
            two kinds of output layer does.
        scores: Its rows of all boards in board order: the columns of ``Board.rows`` and ``task_id, metric, mini,
            among`` (rows that are ranked there), ``timed_seeds`` (how many seeds have a latency where not all have).
        peers: ``task_id, model, score`` of the models of its size, itself included, on tasks where it has some.
        runs: Its runs, the newest first, withdrawn ones too: ``run_id, task_id, name, seed, source, status, verified,
            dataset, created_at, metric, score, low, high, withdrawn_at, reason, replaced_at``.
        files: Of the run that stands for each row: ``task_id, kind, path, bytes, sha256``.
        teachers: Names of models, by the model that they taught; from this one upwards.
        students: Names of models that this one taught.
        known: All names of models that have a page.
    """

    name: str
    facts: dict[str, Any]
    scores: pd.DataFrame
    peers: pd.DataFrame
    runs: pd.DataFrame
    files: pd.DataFrame
    teachers: dict[str, list[str]]
    students: list[str]
    known: frozenset[str]

    @property
    def full_scores(self) -> pd.DataFrame:
        """The rows of boards of a whole data set; those of mini corpora where there are no others."""
        if self.scores.empty or self.scores["mini"].all():
            return self.scores
        return self.scores[~self.scores["mini"].astype(bool)]


def model(
    store: Store, name: str, read: Cells, shown: Overview, board: Callable[[str], Board], until: datetime | None = None
) -> Model | None:
    """Collect what the boards say about one model.

    Args:
        store: The database.
        name: The model's name; it must match.
        read: All rows of all boards.
        shown: The models that it is compared with.
        board: Gives the board of a task, one row a variant.
        until: Only what was there at this time (UTC); None for now.

    Returns:
        None where no model has this name.
    """
    with store.read() as con:
        facts = _records(con, _MODELS, {"name": name})
        if not facts:
            return None
        limit = until or datetime.max  # noqa: DTZ901 - the database has no zones
        runs = con.execute(_RUNS, {"name": name, "until": limit, "rows": MAX_RUNS}).df()
        lessons = con.execute(_LESSONS).df()
        scores = _scores(name, read, board)
        chosen = scores.loc[scores["source"] != "reported", "run_id"].tolist() if len(scores) else []
        files = con.execute(_FILES, {"runs": chosen}).df()
    taught: dict[str, list[str]] = lessons.groupby("student")["teacher"].agg(list).to_dict()
    students = lessons.loc[lessons["teacher"] == name, "student"].tolist()
    known = frozenset(read.rows["model"])
    return Model(name, facts[0], scores, _peers(name, shown), runs, files, _above(name, taught), students, known)


def similar(name: str, names: list[str], limit: int = 5) -> list[str]:
    """Return the names that are spelled most like one."""
    folded = {known.casefold(): known for known in names}
    return [folded[match] for match in get_close_matches(name.casefold(), folded, limit, cutoff=0.4)]


def _records(con: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    frame = con.execute(query, values).df()
    return [dict(row) for row in frame.astype(object).where(frame.notna(), None).to_dict("records")]


def _scores(name: str, read: Cells, board: Callable[[str], Board]) -> pd.DataFrame:
    present = set(read.rows.loc[read.rows["model"] == name, "task_id"])
    parts = []
    for task in read.tasks[read.tasks["task_id"].isin(present)].itertuples():
        shown = board(str(task.task_id))
        timed = shown.partial.get("latency_ms_p50", 0)
        rows = shown.rows.assign(timed_seeds=timed)
        ranked = int((rows["ranked"] & rows["score"].notna()).sum())
        own = rows[(rows["model"] == name) & rows["score"].notna()]
        own = own.sort_values("source", key=lambda source: source == "reported", kind="stable")
        parts.append(own.assign(task_id=task.task_id, metric=task.metric, mini=task.mini, among=ranked))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["run_id", "source"])


def _peers(name: str, shown: Overview) -> pd.DataFrame:
    columns = ["task_id", "model", "score"]
    names = shown.models["model"].to_numpy()
    own = np.flatnonzero(names == name)
    params = shown.models["params"].to_numpy(dtype=float, na_value=np.nan)
    if not len(own) or np.isnan(params[own[0]]):
        return pd.DataFrame(columns=columns)
    times = params / params[own[0]]
    alike = (times <= SIZE_FACTOR) & (times >= 1 / SIZE_FACTOR)
    alike[own[0]] = True
    parts = []
    for column, task_id in enumerate(shown.tasks["task_id"]):
        members = np.flatnonzero(alike & ~np.isnan(shown.scores[:, column]))
        if own[0] in members and len(members) > 1:
            parts.append(
                pd.DataFrame({"task_id": task_id, "model": names[members], "score": shown.scores[members, column]})
            )
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _above(name: str, taught: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The teachers of a model, of its teachers, and so on; each student once."""
    above: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        student = waiting.pop()
        if student in taught and student not in above:
            above[student] = taught[student]
            waiting += taught[student]
    return above


def families(store: Store) -> list[tuple[str, str]]:
    """List the model families of each task, as (task, family); the family that has been here longest comes first."""
    rows = store.query(
        "SELECT task_id, family FROM runs JOIN models USING (model_id) GROUP BY task_id, family "
        "ORDER BY min(min(created_at)) OVER (PARTITION BY family), family, task_id"
    )
    return list(rows.itertuples(index=False, name=None))
