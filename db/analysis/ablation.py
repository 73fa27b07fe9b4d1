"""Which part of DistilBERT's distillation matters most: measured here, beside what its paper prints.

A student that lacks one part of the triple loss, or the teacher's weights at its start, is fine-tuned on two tasks like
the whole one, with the same seeds. What it lacks is the difference of their mean scores.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from db.analysis import recipe_settings
from db.storage.store import Store

TASK = "distil-ablation"
"""The board of the printed differences."""

WHOLE = "minilm-l3"
"""The recipe of the student that lacks nothing."""

SCORED = ("mnli", "squad")
"""Tasks whose primary metrics are averaged, each a share; a fine-tuning's recipe is called ``STUDENT-TASK``."""


@dataclass(frozen=True)
class Part:
    """One part that can be left out.

    Attributes:
        name: What is left out.
        recipe: The student without it.
        printed: The model of the printed row.
    """

    name: str
    recipe: str
    printed: str


PARTS = (
    Part("Soft labels (KL)", "minilm-l3-no-kl", "distilbert-no-ce"),
    Part("Hidden states (cosine)", "minilm-l3-no-cosine", "distilbert-no-cos"),
    Part("Hidden words (MLM)", "minilm-l3-no-mlm", "distilbert-no-mlm"),
    Part("Teacher's weights at the start", "minilm-l3-random", "distilbert-random-init"),
)
"""In the order in which the document prints them."""


@dataclass(frozen=True)
class Difference:
    """What is lost or won when one part is left out, in points.

    Attributes:
        part: Which.
        printed: On the average of nine tasks, as the document prints it; None where it prints none.
        by_seed: Measured on the mean of the two tasks, by seed; empty where nothing was measured.
    """

    part: Part
    printed: float | None
    by_seed: dict[int, float]

    @property
    def mean(self) -> float:
        """Over the seeds; NaN without any."""
        return float(np.mean(list(self.by_seed.values()))) if self.by_seed else math.nan

    @property
    def spread(self) -> float:
        """Sample standard deviation over the seeds; NaN for fewer than two."""
        return float(np.std(list(self.by_seed.values()), ddof=1)) if len(self.by_seed) > 1 else math.nan

    @property
    def clear(self) -> bool:
        """Whether every seed, of at least two, says the same sign and the mean is further from 0 than the spread."""
        signs = {math.copysign(1, value) for value in self.by_seed.values()}
        return len(self.by_seed) > 1 and len(signs) == 1 and abs(self.mean) > self.spread


@dataclass(frozen=True)
class Ablation:
    """All parts, and the scores of the student that lacks none.

    Attributes:
        differences: One a part, in the order of ``PARTS``.
        whole: Mean score of the whole student in percent, by seed.
    """

    differences: tuple[Difference, ...]
    whole: dict[int, float]

    @property
    def measured(self) -> tuple[Difference, ...]:
        """The parts that were measured."""
        return tuple(one for one in self.differences if one.by_seed)


def find(store: Store) -> Ablation:
    """The ablation from what is on the board; a part counts for the seeds that it shares with the whole student.

    The runs of one task are compared where they differ in their student alone: same data, same split, same settings.
    Where there are several such groups, the one that covers most parts and seeds counts, then the newest. A seed
    counts once, by its newest run.
    """
    names = {f"{student}-{task}": (student, task) for student in _students() for task in SCORED}
    rows = store.query(
        """
        SELECT r.recipe, r.recipe_json, r.seed, r.dataset_hash, r.split, r.created_at, r.run_id, p.value AS score
        FROM runs r
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        WHERE r.source = 'measured' AND r.status = 'finished' AND r.seed IS NOT NULL AND r.recipe_json IS NOT NULL
          AND (r.recipe, r.task_id) IN (SELECT unnest($recipes), unnest($tasks))
        ORDER BY r.created_at DESC, r.run_id
        """,
        {"recipes": list(names), "tasks": [task for _, task in names.values()]},
    )
    rows["student"] = [names[name][0] for name in rows["recipe"]]
    rows["task"] = [names[name][1] for name in rows["recipe"]]
    tables = [_table(rows[rows["task"] == task]) for task in SCORED]
    scores = {student: _mean([table.get(student, {}) for table in tables]) for student in _students()}
    whole = scores[WHOLE]
    printed = _printed(store)
    differences = tuple(
        Difference(
            part,
            printed.get(part.printed),
            {seed: score - whole[seed] for seed, score in scores[part.recipe].items() if seed in whole},
        )
        for part in PARTS
    )
    return Ablation(differences, whole)


def _students() -> tuple[str, ...]:
    return (WHOLE, *(part.recipe for part in PARTS))


def _alike(rows: pd.DataFrame) -> list[str]:
    """What must be the same for two runs to be compared; a key that an older version did not have does not count."""
    # The student that a run starts from is what differs; the rest must be alike to be compared.
    told = [recipe_settings.flat(recipe, without=("model.source",)) for recipe in rows["recipe_json"]]
    shared = sorted(set.intersection(*map(set, told))) if told else []
    return [
        json.dumps([[one[key] for key in shared], row.dataset_hash, row.split])
        for one, row in zip(told, rows.itertuples(), strict=True)
    ]


def _table(rows: pd.DataFrame) -> dict[str, dict[int, float]]:
    """Scores by student and seed, of the group of runs that covers most."""
    alike = rows.assign(alike=_alike(rows)).groupby("alike", sort=False)
    groups = [group.drop_duplicates(["student", "seed"]) for _, group in alike]
    if not groups:
        return {}
    chosen = max(groups, key=lambda group: (WHOLE in set(group["student"]), len(group), group["created_at"].max()))
    found: dict[str, dict[int, float]] = {}
    for row in chosen.itertuples():
        found.setdefault(str(row.student), {})[int(row.seed)] = float(row.score)
    return found


def _mean(by_task: Sequence[dict[int, float]]) -> dict[int, float]:
    """Mean of the tasks in percent, of the seeds that all of them have."""
    shared = sorted(set.intersection(*(set(scores) for scores in by_task)))
    return {seed: 100 * sum(scores[seed] for scores in by_task) / len(by_task) for seed in shared}


def _printed(store: Store) -> dict[str, float]:
    rows = store.query(
        """
        SELECT r.model_id, p.value FROM runs r
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        WHERE r.task_id = ? AND r.source = 'reported'
        """,
        [TASK],
    )
    return {str(model): float(value) for model, value in rows.itertuples(index=False)}
