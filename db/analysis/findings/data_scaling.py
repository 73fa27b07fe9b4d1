"""Data scaling: scores over the size of the training set, and over what was read before a fine-tuning.

A line is one model with one set of settings, trained on parts of one training split and scored on one test split; or
one fine-tuning, from random weights and from weights that had read more and more text.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import pandas as pd

from db.analysis import recipe_settings
from db.analysis.recipe_settings import LATEST_VERSION, REPEATABLE, SCORED_RUNS
from db.runs import seeds
from db.storage.store import Store

_EXAMPLES, _TOKENS = "train_examples", "pretraining_tokens"

_FIRST_WEIGHTS = ("model.source", "model.init")
"""What differs between fine-tunings from weights that had read another amount of text."""

_FEWEST_AMOUNTS = 3

# The documents that the project started from; see "Citation" in About.
_DOCUMENT = r"\d{3}_[0-9a-f]{16}\.txt"


@dataclass(frozen=True)
class Point:
    """The score at one size of the training set, or after one amount of text.

    Attributes:
        size: Training examples, or tokens of pretraining.
        score: Mean over the seeds, in the metric's stored unit.
        low: Lower end of its 95% interval; NaN where unknown.
        high: Upper end.
        seeds: Number of seeds behind the mean.
    """

    size: int
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

    def at_size(self, size: int) -> Point | None:
        """The point of one size."""
        return next((point for point in self.points if point.size == size), None)


@dataclass(frozen=True)
class Printed:
    """A row of one of the project's documents, which do not report the number of training examples."""

    model: str
    family: str
    score: float
    citation: str


@dataclass(frozen=True)
class DataScaling:
    """The lines of a board.

    Attributes:
        lines: Those with several sizes, and those of studied recipes.
        printed: What the documents print for the same task; empty without lines.
        majority: Score of always predicting the most frequent label; None where no run reports it.
    """

    lines: tuple[Line, ...]
    printed: tuple[Printed, ...] = ()
    majority: float | None = None

    @property
    def sizes(self) -> list[int]:
        """All sizes that were measured."""
        return sorted({point.size for line in self.lines for point in line.points})

    def line(self, recipe: str) -> Line | None:
        """The line of a recipe."""
        return next((line for line in self.lines if line.recipe == recipe), None)


_TRAINED = f"""
    SELECT r.*, n.value AS size
    FROM ({SCORED_RUNS}) r JOIN metrics n ON n.run_id = r.run_id AND n.name = $counted
    WHERE r.task_id = $task AND {LATEST_VERSION} AND {REPEATABLE} AND r.recipe_json IS NOT NULL
"""  # noqa: S608 - constants


def find(store: Store, task_id: str, studied: Collection[str] = ()) -> DataScaling:
    """Find the scaling lines of a board's current version; ``studied`` recipes have one even with a single size.

    A model that was trained with several settings has the line that covers most sizes, then the newest; a seed counts
    once for each size, by its newest run.
    """
    # Of 100,000 runs few are of a model that was trained on several sizes: only those are read with their recipes.
    rows = store.query(
        f"""
        WITH scaled AS (SELECT model_id FROM ({_TRAINED}) GROUP BY model_id
                        HAVING count(DISTINCT size) > 1 OR bool_or(list_contains($studied, recipe)))
        SELECT recipe, recipe_json, model_id, model, family, seed, split, created_at, score, low, high, size
        FROM ({_TRAINED}) SEMI JOIN scaled USING (model_id)
        ORDER BY created_at DESC, run_id
        """,  # noqa: S608 - constants
        {"task": task_id, "studied": list(studied), "counted": _EXAMPLES},
    )
    lines = [_line(model) for _, model in rows.groupby("model_id", sort=False)] if len(rows) else []
    shown = [line for line in lines if len(line.points) > 1 or line.recipe in studied]
    if not shown:
        return DataScaling(())
    shown.sort(key=lambda line: (-line.points[-1].score, line.model))
    return DataScaling(tuple(shown), _printed(store, task_id), _majority(store, task_id))


def by_pretraining(store: Store, task_id: str) -> DataScaling:
    """Find the lines over the tokens that the first weights of a fine-tuning had read here, 0 for random ones.

    With fewer than three amounts a figure would show no more than the pair of both does.
    """
    rows = store.query(
        f"SELECT * FROM ({_TRAINED}) ORDER BY created_at DESC, run_id",  # noqa: S608 - constants
        {"task": task_id, "counted": _TOKENS},
    )
    alike = recipe_settings.groups(rows, ["split", "dataset_hash"], without=_FIRST_WEIGHTS) if len(rows) else []
    several = [group for group in alike if group["size"].nunique() >= _FEWEST_AMOUNTS]
    # The shortest name is that of them all: the others say how much they had read.
    names = [min(group.loc[group["size"] > 0, "model"], key=len) for group in several]
    return DataScaling(tuple(replace(_points(group), model=name) for group, name in zip(several, names, strict=True)))


def _line(rows: pd.DataFrame) -> Line:
    candidates = recipe_settings.groups(rows, ["split"], without=("data.examples",))
    return _points(max(candidates, key=lambda group: (group["size"].nunique(), group["created_at"].max())))


def _points(rows: pd.DataFrame) -> Line:
    points = []
    for size, runs in rows.drop_duplicates(["size", "seed"]).groupby("size"):
        summary = seeds.summarise(runs)
        points.append(Point(int(size), summary.mean, summary.low, summary.high, summary.n))
    first = rows.iloc[0]
    return Line(str(first["recipe"]), str(first["model"]), str(first["family"]), tuple(points))


def _majority(store: Store, task_id: str) -> float | None:
    """The share of the most frequent label in the largest training set."""
    share = store.query(
        f"SELECT arg_max(b.value, r.size) AS share FROM ({_TRAINED}) r "  # noqa: S608 - constants
        "JOIN metrics b ON b.run_id = r.run_id AND b.name = r.metric || '_majority'",
        {"task": task_id, "counted": _EXAMPLES},
    )["share"].iloc[0]
    return None if pd.isna(share) else float(share)


def _printed(store: Store, task_id: str) -> tuple[Printed, ...]:
    rows = store.query(
        f"""
        SELECT name, family, score, citation FROM ({SCORED_RUNS})
        WHERE task_id = ? AND source = 'reported' AND score IS NOT NULL AND regexp_full_match(citation, ?)
        ORDER BY score DESC, name
        """,  # noqa: S608 - constants
        [task_id, _DOCUMENT],
    )
    return tuple(
        Printed(str(name), str(family), float(score), str(citation or ""))
        for name, family, score, citation in rows.itertuples(index=False)
    )
