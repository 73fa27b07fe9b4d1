"""What more training examples bring, and what pretraining saves of them: scores over the size of the training set.

A line is one model with one set of settings, trained on parts of one training split and scored on one test split.
"""

import json
from dataclasses import dataclass

import pandas as pd

from db.analysis import recipe_settings
from db.runs import seeds
from db.storage.store import Store

COMPARED = (
    ("minilm-mnli-full", "minilm-mnli-scratch"),
    ("minilm-mnli", "minilm-mnli-scratch"),
    ("distilbert-mnli", "transformer-mnli"),
)
"""Recipes that start from pretrained weights, and those of the same architecture that start from random ones."""

STUDIED = ("minilm-mnli-full", "minilm-mnli-scratch", "bilstm-mnli")
"""Recipes whose growth is measured: what the commands train, and what is shown even where one size alone is there."""

# The documents that the project started from; see "Citation" in About.
_DOCUMENT = r"\d{3}_[0-9a-f]{16}\.txt"

_ASKED = ("data.examples",)
"""The setting that is asked about."""


@dataclass(frozen=True)
class Point:
    """One size of the training set.

    Attributes:
        examples: Of it.
        score: Mean over the seeds, in the metric's stored unit.
        low: Lower end of its 95% interval; NaN where unknown.
        high: Upper end.
        seeds: Behind the mean.
    """

    examples: int
    score: float
    low: float
    high: float
    seeds: int


@dataclass(frozen=True)
class Line:
    """One model over the sizes that were measured, the smallest first."""

    recipe: str
    model: str
    family: str
    points: tuple[Point, ...]

    def at(self, examples: int) -> Point | None:
        """The point of one size."""
        return next((point for point in self.points if point.examples == examples), None)


@dataclass(frozen=True)
class Printed:
    """A row of one of the documents, which do not say how many examples it learned from; papers tell it elsewhere."""

    model: str
    family: str
    score: float
    citation: str


@dataclass(frozen=True)
class Learning:
    """The lines of a board.

    Attributes:
        lines: Those with several sizes, and those of ``STUDIED``.
        printed: What the documents print beside them; empty without lines.
        majority: What always giving the most frequent label scores; None where no run says it.
    """

    lines: tuple[Line, ...]
    printed: tuple[Printed, ...] = ()
    majority: float | None = None

    @property
    def sizes(self) -> list[int]:
        """All that were measured."""
        return sorted({point.examples for line in self.lines for point in line.points})

    def line(self, recipe: str) -> Line | None:
        """The line of a recipe."""
        return next((line for line in self.lines if line.recipe == recipe), None)


_TRAINED = """
    FROM runs r
    JOIN models m USING (model_id)
    JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
    JOIN metrics n ON n.run_id = r.run_id AND n.name = 'train_examples'
    WHERE r.task_id = $task AND r.task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)
      AND r.source = 'measured' AND r.status = 'finished' AND r.seed IS NOT NULL AND r.recipe_json IS NOT NULL
"""


def find(store: Store, task_id: str) -> Learning:
    """The learning curves of a board's current version; no lines where nothing was trained on several sizes.

    A model that was trained with several settings has the line that covers most sizes, then the newest; a seed counts
    once for each size, by its newest run.
    """
    # Of 100,000 runs few are of a model that was trained on several sizes: only those are read with their recipes.
    rows = store.query(
        f"""
        WITH grown AS (SELECT r.model_id {_TRAINED} GROUP BY r.model_id
                       HAVING count(DISTINCT n.value) > 1 OR bool_or(list_contains($studied, r.recipe)))
        SELECT r.run_id, r.recipe, r.recipe_json, r.model_id, m.name AS model, m.family, r.seed, r.split, r.created_at,
               p.value AS score, p.low, p.high, n.value AS examples
        {_TRAINED} AND r.model_id IN (SELECT model_id FROM grown)
        ORDER BY r.created_at DESC, r.run_id
        """,  # noqa: S608 - the one interpolated text is a constant of this module
        {"task": task_id, "studied": list(STUDIED)},
    )
    lines = [_line(model) for _, model in rows.groupby("model_id", sort=False)] if len(rows) else []
    shown = [line for line in lines if len(line.points) > 1 or line.recipe in STUDIED]
    if not shown:
        return Learning(())
    shown.sort(key=lambda line: (-line.points[-1].score, line.model))
    return Learning(tuple(shown), _printed(store, task_id), _majority(store, task_id))


def _line(rows: pd.DataFrame) -> Line:
    alike = [
        json.dumps([recipe_settings.flat(recipe, without=_ASKED), split])
        for recipe, split in zip(rows["recipe_json"], rows["split"], strict=True)
    ]
    groups = [group for _, group in rows.assign(alike=alike).groupby("alike", sort=False)]
    chosen = max(groups, key=lambda group: (group["examples"].nunique(), group["created_at"].max()))
    newest = chosen.drop_duplicates(["examples", "seed"])
    points = []
    for examples, runs in newest.groupby("examples"):
        told = seeds.summarise(runs)
        points.append(Point(int(examples), told.mean, told.low, told.high, told.n))
    first = chosen.iloc[0]
    return Line(str(first["recipe"]), str(first["model"]), str(first["family"]), tuple(points))


def _majority(store: Store, task_id: str) -> float | None:
    """Of the largest training set: its most frequent label is the one that the task itself would name."""
    found = store.query(
        f"""
        SELECT arg_max(b.value, n.value) AS share
        FROM metrics b SEMI JOIN tasks t ON b.name = t.metric || '_majority' AND t.task_id = $task
        JOIN (SELECT r.run_id, n.value {_TRAINED}) n USING (run_id)
        """,  # noqa: S608 - the one interpolated text is a constant of this module
        {"task": task_id},
    )["share"].iloc[0]
    return None if pd.isna(found) else float(found)


def _printed(store: Store, task_id: str) -> tuple[Printed, ...]:
    rows = store.query(
        """
        SELECT r.name, m.family, p.value AS score, r.citation FROM runs r
        JOIN models m USING (model_id)
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        WHERE r.task_id = ? AND r.source = 'reported' AND regexp_full_match(r.citation, ?)
        ORDER BY p.value DESC, r.name
        """,
        [task_id, _DOCUMENT],
    )
    return tuple(
        Printed(str(name), str(family), float(score), str(citation or ""))
        for name, family, score, citation in rows.itertuples(index=False)
    )
