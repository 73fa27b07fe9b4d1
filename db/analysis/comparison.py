"""Comparison of two to six runs or means over seeds: facts, metrics, and answers to the examples that they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.analysis import paired_answers
from db.analysis.paired_answers import PairedAnswers
from db.analysis.recipe_settings import LATEST_VERSION, SCORED_RUNS
from db.base.errors import FeatherboardError, NotFoundError
from db.leaderboard import seed_groups
from db.leaderboard.seed_groups import SeedGroup
from db.registry import disk_sizes, validation_split
from db.registry.validation_split import CAVEATS
from db.runs.detail import SHORTEST, resolve
from db.storage.store import Store

LETTERS = "ABCDEF"
"""Short labels of compared runs, in their order."""

MIN_RUNS, MAX_RUNS = 2, len(LETTERS)
"""How many runs are compared."""


class ComparisonError(FeatherboardError):
    """Runs that cannot be compared."""


@dataclass(frozen=True)
class RunSelection:
    """Runs and means over seeds to compare, in the order of the request; never changed.

    Attributes:
        runs: One row each: the columns of ``recipe_settings.SCORED_RUNS``; ``answered``, whether predictions are
            stored; ``seeds`` and ``spread``, number and standard deviation of the seeds behind it. The row of a mean is
            that of the seed with the median score, with the mean's id (``seed_groups.MEAN`` before the run's), name,
            score, interval and costs, and no seed.
        metrics: ``run_id, name, value, n, low, high, spread`` of all of them.
        members: Whole ids of the runs behind each row.
        parts: One row a run behind any of them, by ``run_id``.
        unknown: Requested ids that name no run, or more than one.
    """

    runs: pd.DataFrame
    metrics: pd.DataFrame
    members: tuple[tuple[str, ...], ...]
    parts: pd.DataFrame
    unknown: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def tasks(self) -> list[str]:
        """The tasks of the runs, each once."""
        return list(dict.fromkeys(self.runs["task_id"]))

    @property
    def texts(self) -> str | None:
        """The language of text answers, scored by its official rules; None where answers are labels."""
        return str(self.runs["language"].iloc[0]) if self.runs["metric"].iloc[0] == "f1" else None

    @property
    def metric(self) -> str:
        """The metric of their task."""
        return str(self.runs["metric"].iloc[0])

    @property
    def inside_means(self) -> tuple[int, ...]:
        """Indices of the runs that are among the seeds of a mean beside them.

        Such a run cannot be tested against its own mean: they share its answers and its seed, and no difference of the
        two would be one of models. It is left out of all tests.
        """
        of_means = {run_id for runs in self.members if len(runs) > 1 for run_id in runs}
        return tuple(index for index, runs in enumerate(self.members) if len(runs) == 1 and runs[0] in of_means)

    @property
    def answering(self) -> tuple[int, ...]:
        """Indices of the runs whose predictions are stored and that are tested; see ``inside_means``."""
        stored = np.flatnonzero(self.runs["answered"].to_numpy(dtype=bool))
        return tuple(int(index) for index in stored if index not in self.inside_means)

    @property
    def has_means(self) -> bool:
        """Whether some are means over seeds."""
        return any(len(runs) > 1 for runs in self.members)

    def ids(self) -> tuple[str, ...]:
        """Ids of the runs and means."""
        return tuple(str(run_id) for run_id in self.runs["run_id"])

    def representatives(self) -> tuple[str, ...]:
        """Ids of the runs whose answers are shown: of a mean the seed with the median score."""
        return tuple(run_id.removeprefix(seed_groups.MEAN) for run_id in self.ids())


def choice_caveats(selection: RunSelection) -> dict[str, list[int]]:
    """List what must be known of how weights were chosen, each with the indices of the runs and means it holds for."""
    caveats = {
        run_id: validation_split.choice_caveat(*fact)
        for run_id, *fact in selection.parts[["run_id", "recipe_json", "seed"]].itertuples(index=False, name=None)
    }
    of_rows = [{caveats[run_id] for run_id in runs} for runs in selection.members]
    indices = {text: [index for index, texts in enumerate(of_rows) if text in texts] for text in CAVEATS if text}
    return {text: rows for text, rows in indices.items() if rows}


@dataclass(frozen=True)
class Comparison:
    """Runs on their common examples.

    Attributes:
        chosen: The runs.
        places: Indices of the runs with predictions, which are compared example by example.
        common: The examples; its columns are the runs of ``places``.
    """

    chosen: RunSelection
    places: tuple[int, ...]
    common: PairedAnswers

    def select(self, right: Sequence[int] = (), wrong: Sequence[int] = ()) -> NDArray[np.bool_]:
        """Select the examples that all of ``right`` answer right and all of ``wrong`` do not; shape (examples,).

        Args:
            right: Columns of ``common``; the others may answer as they like.
            wrong: Likewise.
        """
        correct = self.common.right
        return np.asarray(correct[:, list(right)].all(axis=1) & ~correct[:, list(wrong)].any(axis=1), dtype=np.bool_)

    def count(self, right: Sequence[int] = (), wrong: Sequence[int] = ()) -> int:
        """Count the examples that ``select`` selects."""
        return int(self.select(right, wrong).sum())


def choose(store: Store, run_ids: Sequence[str]) -> RunSelection:
    """Find the runs of ids or their beginnings, in one short burst; a run that is named twice counts once.

    An id after ``seed_groups.MEAN`` names the mean over the seeds of that run, or the run where it has no other seeds.
    """
    groups: dict[str, SeedGroup] = {}
    unknown: list[str] = []
    with store.read() as con:
        for run_id in run_ids:
            try:
                whole = resolve(con, run_id.removeprefix(seed_groups.MEAN))
            except NotFoundError:
                unknown.append(run_id)
                continue
            group = seed_groups.group(con, whole) if run_id.startswith(seed_groups.MEAN) else SeedGroup.single(whole)
            groups[group.key] = group
        members = [run_id for group in groups.values() for run_id in group.members]
        con.register("chosen", pd.DataFrame({"run_id": list(dict.fromkeys(members))}, dtype="str"))
        runs = con.execute(f"SELECT * FROM ({SCORED_RUNS}) SEMI JOIN chosen USING (run_id)").df()  # noqa: S608
        answered = con.execute("SELECT DISTINCT run_id FROM predictions SEMI JOIN chosen USING (run_id)").df()
        metrics = con.execute(
            "SELECT run_id, name, value, n, low, high FROM metrics SEMI JOIN chosen USING (run_id) ORDER BY name"
        ).df()
    metrics["value"] = _answering_bytes(metrics, runs)
    commands = [
        validation_split.command(*facts)
        for facts in runs[["recipe_json", "command"]].itertuples(index=False, name=None)
    ]
    parts = runs.assign(answered=runs["run_id"].isin(answered["run_id"]), command=commands)
    parts = parts.set_index("run_id", drop=False)
    return RunSelection(
        seed_groups.rows(parts, list(groups.values())),
        seed_groups.metrics(metrics, list(groups.values()), parts),
        tuple(group.members for group in groups.values()),
        parts,
        tuple(dict.fromkeys(unknown)),
    )


def _answering_bytes(metrics: pd.DataFrame, runs: pd.DataFrame) -> pd.Series:
    """The values of metrics, sizes on disk as ``disk_sizes`` counts them."""
    facts = runs.set_index("run_id")[["recipe_hash", "recipe_json"]]
    values = metrics["value"].copy()
    for index, run_id in metrics.loc[metrics["name"] == "checkpoint_bytes", "run_id"].items():
        recipe_hash, recipe = facts.loc[run_id]
        values[index] = disk_sizes.answering_bytes(values[index], recipe_hash, validation_split.parse_recipe(recipe))
    return values


def common(store: Store, run_ids: Sequence[str], language: str | None, metric: str = "accuracy") -> PairedAnswers:
    """Read the answers of runs to the examples that all of them answered; see ``RunSelection.texts`` and ``metric``."""
    with store.read() as con:
        rows = paired_answers.read(con, run_ids, texts=language is not None)
    return paired_answers.score(rows, language, metric)


def compare(store: Store, run_ids: Sequence[str]) -> Comparison:
    """Compare runs of one task on the examples that all of them answered; a missing answer is a wrong one.

    Args:
        store: The database.
        run_ids: Ids of two to six runs, or their beginnings.

    Raises:
        NotFoundError: One of them does not exist, or they have no scored example in common.
        ComparisonError: They are too few, too many, of different tasks, or means over seeds, which have no answers.
    """
    if any(run_id.startswith(seed_groups.MEAN) for run_id in run_ids):
        raise ComparisonError("Means over seeds are compared on the page Compare; name single runs here.")
    if not MIN_RUNS <= len(run_ids) <= MAX_RUNS:
        raise ComparisonError(f"{MIN_RUNS} to {MAX_RUNS} runs can be compared, and {len(run_ids)} were named.")
    chosen = choose(store, run_ids)
    if chosen.unknown:
        raise NotFoundError(
            f"There is no run {chosen.unknown[0]!r} in this database, or several begin so; give at least {SHORTEST} "
            "characters of the id. `featherboard list runs` shows them."
        )
    if len(chosen.tasks) > 1:
        tasks = "; ".join(f"{run['name']}: {run['task_id']}" for run in chosen.runs.to_dict("records"))
        raise ComparisonError(f"These runs are of different tasks and cannot be compared ({tasks}).")
    ids = [chosen.ids()[index] for index in chosen.answering]
    answers = common(store, ids, chosen.texts, chosen.metric) if len(ids) > 1 or (ids and len(chosen) == 1) else None
    if answers is None or not len(answers):
        names = " and ".join(chosen.runs["name"])
        raise NotFoundError(f"{names} have no scored example of the same task in common.")
    return Comparison(chosen, chosen.answering, answers)


def comparable(store: Store, task_id: str, search: str = "", limit: int = 300) -> tuple[pd.DataFrame, int]:
    """List runs of a task's current version: those with predictions, then the others, each the best first.

    Args:
        store: The database.
        task_id: The task.
        search: Every word of it must occur in the run's or its model's name, or in the name of its data.
        limit: Rows that are returned.

    Returns:
        ``run_id, name, model, seed, source, status, dataset, score, answered``, and how many there are without the
        limit.
    """
    rows = store.query(
        f"""
        SELECT run_id, name, model, seed, source, status, dataset, score,
               run_id IN (SELECT DISTINCT run_id FROM predictions) AS answered, count(*) OVER () AS total
        FROM ({SCORED_RUNS})
        WHERE task_id = $task AND {LATEST_VERSION}
          AND list_bool_and([contains(lower(concat_ws(' ', name, model, dataset, teacher)), word)
                             FOR word IN $words]) IS NOT FALSE
        ORDER BY answered DESC, score * CASE direction WHEN 'min' THEN -1 ELSE 1 END DESC NULLS LAST, run_id
        LIMIT $limit
        """,  # noqa: S608 - constants
        {"task": task_id, "words": search.lower().split(), "limit": limit},
    )
    return rows.drop(columns="total"), int(rows["total"].iloc[0]) if len(rows) else 0


def other_data(chosen: RunSelection) -> dict[str, dict[Any, list[int]]]:
    """Report in what the data of runs differ: ``trained``, ``content`` and ``scored``; nothing where they do not.

    Returns:
        For each of these the values, and the indices of the runs that have each. ``content`` stands for data of one
        name that are not the same; a run of unknown content does not count as different.
    """
    runs = chosen.runs
    several = runs["task_version"].nunique() > 1
    scored = [
        f"{split}, {version}" if several else str(split)
        for split, version in zip(runs["split"], runs["task_version"], strict=True)
    ]
    differences = {"trained": _indices(runs["dataset"]), "scored": _indices(scored)}
    if len(differences["trained"]) == 1:
        differences["content"] = _indices([value if pd.notna(value) else None for value in runs["dataset_hash"]])
    return {kind: values for kind, values in differences.items() if len(values) > 1}


def _indices(values: Sequence[Any]) -> dict[Any, list[int]]:
    indices: dict[Any, list[int]] = {}
    for index, value in enumerate(values):
        if value is not None:
            indices.setdefault(value, []).append(index)
    return indices
