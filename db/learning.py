"""What more training examples bring, and what pretraining saves of them: scores over the size of the training set.

A line is one model with one set of settings, trained on parts of one training split and scored on one test split.
"""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from db import seeds
from db.store import Store

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

# What a recipe says of itself, and the size, which is what is asked about.
_NO_SETTING = {"name", "model_id", "label", "family", "summary", "seed", "data.examples"}


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


def find(store: Store, task_id: str) -> Learning:
    """The learning curves of a board's current version; no lines where nothing was trained on several sizes.

    A model that was trained with several settings has the line that covers most sizes, then the newest; a seed counts
    once for each size, by its newest run.
    """
    rows = store.query(
        """
        SELECT r.run_id, r.recipe, r.recipe_json, r.model_id, m.name AS model, m.family, r.seed, r.split, r.created_at,
               p.value AS score, p.low, p.high, n.value AS examples, b.value AS majority
        FROM runs r
        JOIN models m USING (model_id)
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        JOIN metrics n ON n.run_id = r.run_id AND n.name = 'train_examples'
        LEFT JOIN metrics b ON b.run_id = r.run_id AND b.name = t.metric || '_majority'
        WHERE r.task_id = $task AND r.task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)
          AND r.source = 'measured' AND r.status = 'finished' AND r.seed IS NOT NULL AND r.recipe_json IS NOT NULL
        ORDER BY r.created_at DESC, r.run_id
        """,
        {"task": task_id},
    )
    lines = [_line(model) for _, model in rows.groupby("model_id", sort=False)] if len(rows) else []
    shown = [line for line in lines if len(line.points) > 1 or line.recipe in STUDIED]
    if not shown:
        return Learning(())
    shown.sort(key=lambda line: (-line.points[-1].score, line.model))
    # Of the largest training set: its most frequent label is the one that the task itself would name.
    told = rows.dropna(subset=["majority"]).sort_values("examples")
    return Learning(
        tuple(shown), _printed(store, task_id), float(told["majority"].iloc[-1]) if len(told) else None
    )  # fmt: skip


def _line(rows: pd.DataFrame) -> Line:
    settings = [json.dumps([_settings(recipe), split]) for recipe, split in
                zip(rows["recipe_json"], rows["split"], strict=True)]  # fmt: skip
    groups = [group for _, group in rows.assign(settings=settings).groupby("settings", sort=False)]
    chosen = max(groups, key=lambda group: (group["examples"].nunique(), group["created_at"].max()))
    newest = chosen.drop_duplicates(["examples", "seed"])
    points = []
    for examples, runs in newest.groupby("examples"):
        told = seeds.summarise(runs)
        points.append(Point(int(examples), told.mean, told.low, told.high, told.n))
    first = chosen.iloc[0]
    return Line(str(first["recipe"]), str(first["model"]), str(first["family"]), tuple(points))


def _settings(recipe_json: str) -> dict[str, Any]:
    """All keys that decide figures, flat; the same for runs that differ in seed and size alone."""
    flat: dict[str, Any] = {}
    for key, value in json.loads(recipe_json).items():
        inner = value if isinstance(value, dict) else {"": value}
        flat |= {f"{key}.{name}".rstrip("."): one for name, one in inner.items()}
    return {key: flat[key] for key in sorted(flat) if key not in _NO_SETTING}


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
