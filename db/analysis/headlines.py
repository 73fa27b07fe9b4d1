"""Three facts of a database: the smallest model that is nearly the best, what a teacher adds, what pretraining adds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from db.analysis.findings import matched_pairs
from db.analysis.findings.matched_pairs import CONTRASTS, PRETRAINING, Contrast
from db.leaderboard.overview import Cells
from db.registry.metrics import known
from db.storage.store import Store

MARGIN = 0.01
"""How far below the best verified score of its task a small model may be: one point."""

_CANDIDATES = """
    SELECT r.task_id, count_if(r.teacher IS NOT NULL) AS distillation,
           count_if(contains(r.recipe_json, '"init"')) AS pretraining
    FROM runs r JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    WHERE r.source = 'measured' AND r.status = 'finished' AND r.recipe_json IS NOT NULL AND NOT t.mini
    GROUP BY ALL
"""


@dataclass(frozen=True)
class SmallModel:
    """The smallest verified model within ``MARGIN`` of the best verified one of its task.

    Attributes:
        task_id: The task on which that is the most times smaller than the best one.
        model: Name.
        run_id: The run behind the score.
        score: Of the primary metric.
        bytes: On disk.
        best: The best verified score.
        best_bytes: Its size on disk.
    """

    task_id: str
    model: str
    run_id: str
    score: float
    bytes: float
    best: float
    best_bytes: float


@dataclass(frozen=True)
class Gain:
    """What a treatment adds to models of the same shape, data and seeds.

    Attributes:
        contrast: The treatment.
        task_id: The task with the most pairs of models whose intervals are apart, then with the most pairs.
        metric: Primary metric.
        mean: Mean of treated minus baseline over the pairs, in the metric's stored unit.
        models: Number of pairs.
        better: Pairs whose treated model has the better mean.
        apart: Pairs whose 95% intervals do not overlap.
    """

    contrast: Contrast
    task_id: str
    metric: str
    mean: float
    models: int
    better: int
    apart: int


@dataclass(frozen=True)
class Headlines:
    """The facts; each is None where the database does not hold it."""

    smallest: SmallModel | None
    gains: dict[str, Gain]


def headlines(store: Store, read: Cells, compared: Sequence[tuple[str, str]] = ()) -> Headlines:
    """Find the facts of a database.

    Args:
        store: The database.
        read: Its cells.
        compared: Recipes that start from pretrained weights, each with its counterpart that starts from random ones;
            for networks whose two kinds are not listed as one shape.
    """
    return Headlines(smallest(read), gains(store, read, compared))


def smallest(read: Cells) -> SmallModel | None:
    """Find the smallest verified model that is nearly the best of its task; None where fewer than two compare."""
    percent = set(read.tasks.loc[read.tasks["percent"] & ~read.tasks["mini"], "task_id"])
    rows = read.rows[read.rows["verified"] & read.rows["task_id"].isin(percent)]
    rows = rows.dropna(subset=["checkpoint_bytes", "score"])
    facts = [_smallest(str(task_id), part) for task_id, part in rows.groupby("task_id") if part["model"].nunique() > 1]
    return max(facts, key=lambda fact: fact.best_bytes / fact.bytes, default=None)


def _smallest(task_id: str, rows: pd.DataFrame) -> SmallModel:
    best = rows.loc[rows["score"].idxmax()]
    near = rows[rows["score"] >= best["score"] - MARGIN]
    row = near.loc[near["checkpoint_bytes"].idxmin()]
    return SmallModel(
        task_id,
        str(row["model"]),
        str(row["run_id"]),
        float(row["score"]),
        float(row["checkpoint_bytes"]),
        float(best["score"]),
        float(best["checkpoint_bytes"]),
    )


def gains(store: Store, read: Cells, compared: Sequence[tuple[str, str]] = ()) -> dict[str, Gain]:
    """Find what each treatment adds, by its name, on the task that shows it best; without those that nobody tried.

    More pairs whose intervals are apart come first, then fewer others: a difference that may be chance is no headline.
    """
    candidates = store.query(_CANDIDATES)
    result = {}
    for contrast in CONTRASTS:
        weighed: list[tuple[int, Gain]] = []
        for task_id in sorted(candidates.loc[candidates[contrast.name] > 0, "task_id"]):
            pairs = matched_pairs.find(store, task_id, contrast)
            if pairs and known(pairs[0].metric).unit == "percent":
                seeds = sum(len(pair.pairs) for pair in pairs)
                ends = [(pair.plain_summary, pair.treated_summary) for pair in pairs]
                apart = sum(plain.high < treated.low or treated.high < plain.low for plain, treated in ends)
                weighed.append((seeds, _gain(contrast, task_id, pairs[0].metric, [pair.gain for pair in pairs], apart)))
        if contrast is PRETRAINING:
            weighed += _pretrained(read, compared)
        if weighed:
            _, result[contrast.name] = max(weighed, key=lambda item: (item[1].apart, -item[1].models, item[0]))
    return result


def _gain(contrast: Contrast, task_id: str, metric: str, values: list[float], apart: int) -> Gain:
    better = sum(value > 0 for value in values)
    return Gain(contrast, task_id, metric, float(np.mean(values)), len(values), better, apart)


def _pretrained(read: Cells, compared: Sequence[tuple[str, str]]) -> list[tuple[int, Gain]]:
    rows = read.rows[read.rows["source"] == "measured"]
    tasks = read.tasks[read.tasks["percent"] & ~read.tasks["mini"]].set_index("task_id")["metric"]
    weighed = []
    for treated, baseline in compared:
        both = rows[rows["recipe"] == treated].merge(rows[rows["recipe"] == baseline], on=["task_id", "dataset"])
        both = both[both["task_id"].isin(tasks.index)].sort_values("score_x", ascending=False)
        if len(both):  # trained on parts of one set: the best of them is the one on most examples
            row = both.iloc[0]
            apart = int(row["high_y"] < row["low_x"] or row["high_x"] < row["low_y"])
            gain = _gain(PRETRAINING, row["task_id"], tasks[row["task_id"]], [row["score_x"] - row["score_y"]], apart)
            weighed.append((len(both), gain))
    return weighed
