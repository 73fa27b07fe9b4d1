"""Ablation of a distillation: what each part of it contributes, measured here and printed in its paper.

A student that lacks one part is fine-tuned on the same tasks as the complete student, with the same seeds, or scored as
it is on the text that it was distilled on. The part's contribution is the difference of their mean scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from db.analysis import recipe_settings
from db.analysis.recipe_settings import REPEATABLE, SCORED_RUNS
from db.registry import tasks
from db.statistics import significance
from db.storage.store import Store


@dataclass(frozen=True)
class Part:
    """One part that can be left out.

    Attributes:
        recipe: Recipe of the student without it.
        printed: Model of the printed row without it.
    """

    recipe: str
    printed: str


@dataclass(frozen=True)
class Study:
    """What is compared.

    Attributes:
        family: Family of the students on the board.
        baseline: Recipe of the complete student.
        parts: In the order in which the paper prints them.
        tasks: Tasks whose primary metrics, shares, are averaged.
        printed_task: Board of the printed differences.
    """

    family: str
    baseline: str
    parts: tuple[Part, ...]
    tasks: tuple[str, ...]
    printed_task: str

    @property
    def students(self) -> tuple[str, ...]:
        """Recipes of all students, the complete one first."""
        return (self.baseline, *(part.recipe for part in self.parts))

    @property
    def own(self) -> bool:
        """Whether the students are scored as they are, on text, and not fine-tuned first."""
        return all((data := tasks.by_id(task).data) is not None and data.kind == "text" for task in self.tasks)

    def recipe(self, student: str, task: str) -> str:
        """The recipe whose runs score a student on a task: its own, or that of a fine-tuning."""
        return student if self.own else f"{student}-{task}"


@dataclass(frozen=True)
class Difference:
    """Score without one part minus score of the complete student, in points.

    Attributes:
        part: The part.
        printed: On the average of nine tasks, as the paper prints it; None where it prints none.
        by_seed: Measured, by seed; empty where nothing was measured.
        p: Of the paired t-test over the seeds, after Holm's correction for all parts; NaN for fewer than two seeds.
    """

    part: Part
    printed: float | None
    by_seed: dict[int, float]
    p: float = math.nan

    @property
    def mean(self) -> float:
        """Mean over the seeds; NaN without any."""
        return float(np.mean(list(self.by_seed.values()))) if self.by_seed else math.nan

    @property
    def spread(self) -> float:
        """Sample standard deviation over the seeds; NaN for fewer than two."""
        return float(np.std(list(self.by_seed.values()), ddof=1)) if len(self.by_seed) > 1 else math.nan

    @property
    def clear(self) -> bool:
        """Whether the test tells the part's contribution apart from nothing."""
        return self.p < significance.LEVEL


@dataclass(frozen=True)
class Ablation:
    """All parts, and the scores of the complete student.

    Attributes:
        differences: One a part, in the order of the study.
        baseline: Mean score of the complete student in percent, by seed.
    """

    differences: tuple[Difference, ...]
    baseline: dict[int, float]

    @property
    def measured(self) -> tuple[Difference, ...]:
        """The parts that were measured."""
        return tuple(difference for difference in self.differences if difference.by_seed)


def find(store: Store, study: Study) -> Ablation:
    """Compute the ablation from the runs on the board.

    Runs of one task are compared where they differ in their student alone: same data, split and settings. Of several
    such groups the one that covers most parts and seeds counts, then the newest. A seed counts once, by its newest
    run, and only where the complete student has it too.
    """
    names = {study.recipe(student, task): (student, task) for student in study.students for task in study.tasks}
    rows = store.query(
        f"""
        SELECT recipe, task_id, recipe_json, seed, dataset_hash, split, created_at, score FROM ({SCORED_RUNS})
        WHERE {REPEATABLE} AND recipe_json IS NOT NULL
          AND (recipe, task_id) IN (SELECT unnest($recipes), unnest($tasks))
        ORDER BY created_at DESC, run_id
        """,  # noqa: S608 - constants
        {"recipes": list(names), "tasks": [task for _, task in names.values()]},
    )
    rows["student"] = [names[name][0] for name in rows["recipe"]]
    tables = [_scores(rows[rows["task_id"] == task], study.baseline) for task in study.tasks]
    scores = {student: _mean([table.get(student, {}) for table in tables]) for student in study.students}
    baseline, printed = scores[study.baseline], _printed(store, study.printed_task)
    differences = (
        Difference(
            part,
            printed.get(part.printed),
            {seed: score - baseline[seed] for seed, score in scores[part.recipe].items() if seed in baseline},
        )
        for part in study.parts
    )
    return Ablation(tuple(corrected(list(differences))), baseline)


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences with the p-values of their tests."""
    values = [significance.paired_t(list(difference.by_seed.values())) for difference in differences]
    known = [index for index, p in enumerate(values) if not math.isnan(p)]
    p_values = dict(zip(known, significance.holm([values[index] for index in known]), strict=True))
    return [replace(difference, p=p_values.get(index, math.nan)) for index, difference in enumerate(differences)]


_DIFFERS = ("model.source", "model.init", "triple.kl", "triple.cosine", "triple.mlm")
"""Settings that tell the students of a study apart: what a fine-tuning starts from, what a student is made of."""


def _scores(rows: pd.DataFrame, baseline: str) -> dict[str, dict[int, float]]:
    """Scores of one task by student and seed, of the group of comparable runs that covers most."""
    alike = recipe_settings.groups(rows, ["dataset_hash", "split"], without=_DIFFERS, shared_keys=True)
    candidates = [group.drop_duplicates(["student", "seed"]) for group in alike]
    scores: dict[str, dict[int, float]] = {}
    if candidates:
        largest = max(
            candidates, key=lambda group: (baseline in set(group["student"]), len(group), group["created_at"].max())
        )
        for row in largest.itertuples():
            scores.setdefault(str(row.student), {})[int(row.seed)] = float(row.score)
    return scores


def _mean(by_task: Sequence[dict[int, float]]) -> dict[int, float]:
    """Mean over the tasks in percent, of the seeds that all of them have."""
    shared = sorted(set.intersection(*(set(scores) for scores in by_task)))
    return {seed: 100 * sum(scores[seed] for scores in by_task) / len(by_task) for seed in shared}


def _printed(store: Store, task_id: str) -> dict[str, float]:
    rows = store.query(
        f"SELECT model_id, score FROM ({SCORED_RUNS}) "  # noqa: S608 - constants
        "WHERE task_id = ? AND source = 'reported' AND score IS NOT NULL",
        [task_id],
    )
    return {str(model): float(value) for model, value in rows.itertuples(index=False)}
