"""Two to six runs side by side: their facts, their figures, and their answers to the examples that they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.analysis import paired_answers
from db.analysis.paired_answers import Common
from db.base.errors import FeatherboardError, NotFoundError
from db.runs.detail import resolve
from db.storage.store import Store

LETTERS = "ABCDEF"
"""What runs are called beside each other, in their order."""

LEAST, MOST = 2, len(LETTERS)
"""How many runs are compared."""

_FACTS = """
    SELECT r.*, m.name AS model, m.family, m.architecture, m.config, m.params, m.params_reported,
           t.name AS task, t.metric, t.direction, t.language, t.mini, p.value AS score, p.low, p.high
    FROM runs r
    LEFT JOIN models m USING (model_id)
    LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
"""


class ComparisonError(FeatherboardError):
    """Runs that cannot be put beside each other."""


@dataclass(frozen=True)
class Chosen:
    """Runs to compare, in the order in which they were asked for; nothing of it is ever changed.

    Attributes:
        runs: One row a run: the columns of the runs table; ``model, family, architecture, config, params,
            params_reported`` of its model; ``task, metric, direction, language, mini`` of its task; ``score, low,
            high`` of the task's metric; ``answered``, whether its predictions are kept.
        metrics: ``run_id, name, value, n, low, high`` of all of them.
        unknown: What was asked for and names no run, or more than one.
    """

    runs: pd.DataFrame
    metrics: pd.DataFrame
    unknown: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def tasks(self) -> list[str]:
        """The tasks of the runs, each once."""
        return list(dict.fromkeys(self.runs["task_id"]))

    @property
    def texts(self) -> str | None:
        """The language of answers that are texts, judged by its official rules; None where answers are labels."""
        return str(self.runs["language"].iloc[0]) if self.runs["metric"].iloc[0] == "f1" else None

    @property
    def answering(self) -> tuple[int, ...]:
        """Places of the runs whose predictions are kept."""
        return tuple(int(place) for place in np.flatnonzero(self.runs["answered"].to_numpy(dtype=bool)))

    def ids(self) -> tuple[str, ...]:
        """Of the runs."""
        return tuple(str(run_id) for run_id in self.runs["run_id"])


@dataclass(frozen=True)
class Compared:
    """Runs on their common examples.

    Attributes:
        chosen: The runs.
        places: Which of them are compared example by example: those that keep their predictions.
        common: The examples; its columns are the runs of ``places``.
    """

    chosen: Chosen
    places: tuple[int, ...]
    common: Common

    def picked(self, right: Sequence[int] = (), wrong: Sequence[int] = ()) -> NDArray[np.bool_]:
        """Which examples all of ``right`` answer right and all of ``wrong`` do not; shape (examples,).

        Args:
            right: Columns of ``common``; the others may answer as they like.
            wrong: Likewise.
        """
        told = self.common.right
        return np.asarray(told[:, list(right)].all(axis=1) & ~told[:, list(wrong)].any(axis=1), dtype=np.bool_)

    def count(self, right: Sequence[int] = (), wrong: Sequence[int] = ()) -> int:
        """How many examples ``picked`` picks."""
        return int(self.picked(right, wrong).sum())


def choose(store: Store, wanted: Sequence[str]) -> Chosen:
    """Find the runs of ids or their beginnings, in one short burst; a run that is asked for twice counts once."""
    found: dict[str, None] = {}
    unknown: list[str] = []
    with store.read() as con:
        for one in wanted:
            try:
                found[resolve(con, one)] = None
            except NotFoundError:
                unknown.append(one)
        ids = pd.DataFrame({"run_id": list(found)}, dtype="str")
        con.register("chosen", ids)
        runs = con.execute(f"SELECT * FROM ({_FACTS}) SEMI JOIN chosen USING (run_id)").df()  # noqa: S608
        answered = con.execute("SELECT DISTINCT run_id FROM predictions SEMI JOIN chosen USING (run_id)").df()
        metrics = con.execute(
            "SELECT run_id, name, value, n, low, high FROM metrics SEMI JOIN chosen USING (run_id) ORDER BY name"
        ).df()
    runs = runs.assign(answered=runs["run_id"].isin(answered["run_id"])).set_index("run_id", drop=False)
    return Chosen(runs.loc[list(found)].reset_index(drop=True), metrics, tuple(dict.fromkeys(unknown)))


def common(store: Store, run_ids: Sequence[str], language: str | None) -> Common:
    """The answers of runs to the examples that all of them answered.

    Args:
        store: The database.
        run_ids: Whole ids.
        language: See ``Chosen.texts``.
    """
    with store.read() as con:
        rows = paired_answers.read(con, run_ids, texts=language is not None)
    return paired_answers.judged(rows, language)


def compare(store: Store, wanted: Sequence[str]) -> Compared:
    """Compare runs of one task on the examples that all of them answered; a missing answer is a wrong one.

    Args:
        store: The database.
        wanted: Ids of two to six runs, or their beginnings.

    Raises:
        NotFoundError: One of them does not exist, or they have no scored example in common.
        ComparisonError: They are too few, too many, or of different tasks.
    """
    if not LEAST <= len(wanted) <= MOST:
        raise ComparisonError(f"{LEAST} to {MOST} runs can be compared, and {len(wanted)} were named.")
    chosen = choose(store, wanted)
    if chosen.unknown:
        raise NotFoundError(
            f"There is no run {chosen.unknown[0]!r} in this database, or several begin so; `featherboard list runs` "
            "shows them."
        )
    if len(chosen.tasks) > 1:
        told = "; ".join(f"{run['name']}: {run['task_id']}" for run in chosen.runs.to_dict("records"))
        raise ComparisonError(f"These runs are of different tasks and cannot be compared ({told}).")
    ids = [run_id for run_id, answered in zip(chosen.ids(), chosen.runs["answered"], strict=True) if answered]
    found = common(store, ids, chosen.texts) if len(ids) > 1 or len(chosen) == 1 else None
    if found is None or not len(found):
        names = " and ".join(chosen.runs["name"])
        raise NotFoundError(f"{names} have no scored example of the same task in common.")
    return Compared(chosen, chosen.answering, found)


def comparable(store: Store, task_id: str, search: str = "", limit: int = 300) -> tuple[pd.DataFrame, int]:
    """Runs of a task's current version: those that keep predictions, then the others, each the best first.

    Args:
        store: The database.
        task_id: Which task.
        search: Every word of it stands in the run's or its model's name, or in the name of its data.
        limit: Rows that are returned.

    Returns:
        ``run_id, name, seed, source, status, dataset, score, answered``, and how many there are without the limit.
    """
    found = store.query(
        f"""
        WITH told AS ({_FACTS})
        SELECT run_id, name, seed, source, status, dataset, score,
               run_id IN (SELECT DISTINCT run_id FROM predictions) AS answered, count(*) OVER () AS total
        FROM told
        WHERE task_id = $task
          AND task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)
          AND list_bool_and([contains(lower(concat_ws(' ', name, model, dataset, teacher)), word)
                             FOR word IN $words]) IS NOT FALSE
        ORDER BY answered DESC, score * CASE direction WHEN 'min' THEN -1 ELSE 1 END DESC NULLS LAST, run_id
        LIMIT $limit
        """,  # noqa: S608 - a constant of this module
        {"task": task_id, "words": search.lower().split(), "limit": limit},
    )
    return found.drop(columns="total"), int(found["total"].iloc[0]) if len(found) else 0


def other_data(chosen: Chosen) -> dict[str, dict[Any, list[int]]]:
    """In what the data of runs differ: ``trained``, ``content`` and ``scored``; nothing where they do not.

    Returns:
        For each of these the values, and the places of the runs that have each. ``content`` stands for data that bear
        one name and are not the same; a run of which nobody told the content is not said to differ in it.
    """
    runs = chosen.runs
    scored = [
        f"{split}, {version}" if runs["task_version"].nunique() > 1 else str(split)
        for split, version in zip(runs["split"], runs["task_version"], strict=True)
    ]
    told = {"trained": _places(runs["dataset"]), "scored": _places(scored)}
    if len(told["trained"]) == 1:
        told["content"] = _places([value if pd.notna(value) else None for value in runs["dataset_hash"]])
    return {kind: values for kind, values in told.items() if len(values) > 1}


def _places(values: Sequence[Any]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for place, value in enumerate(values):
        if value is not None:
            found.setdefault(value, []).append(place)
    return found
