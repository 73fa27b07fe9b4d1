"""Figures beside the one of the test split: other splits of the same question, and parts by genre."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from db.runs.writer import MetricValue, Slice
from engine.data import corpora
from engine.data.sources import SOURCES
from engine.data.text_sets import TextSet
from engine.networks.classifier import Classifier, probabilities_of
from engine.recipes.schema import Recipe
from engine.trainer import metrics
from engine.trainer.evaluation import scoring

GENRE = "genre"


@dataclass(frozen=True)
class ExtraScores:
    """What was scored beside the test split.

    Attributes:
        figures: One a split.
        slices: Of its genres.
        remarks: Of which of its rows are left out, and of which it is only a part.
    """

    figures: list[MetricValue] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def score(
    classifier: Classifier, recipe: Recipe, task_id: str, folder: str | None, tick: Callable[[], None] = lambda: None
) -> ExtraScores:
    """Score the further splits of a task that the data hold; their predictions are not those of the test split.

    Args:
        classifier: What the recipe made.
        recipe: Says in which number format it answers.
        task_id: A key of ``SOURCES``.
        folder: As for ``data.load``.
        tick: Called after every batch.

    Raises:
        DataError: A split is there and cannot be used.
    """
    scores = ExtraScores()
    for extra in SOURCES[task_id].extra_splits:
        loaded = corpora.load_extra_split(task_id, folder, extra)
        if loaded is None:
            continue
        split, remarks = loaded
        with scoring(recipe):
            probabilities = probabilities_of(
                classifier.prepare(split.texts), label=f"{recipe.name}, {extra.name}", tick=tick
            )
        scores.figures.append(metrics.accuracy(f"accuracy_{extra.name}", split.labels, probabilities.argmax(axis=1)))
        part = len(split) < extra.size
        size = f"{len(split):,} of {extra.size:,}" if part else f"{len(split):,}"
        scores.slices.extend(by_genre(split, probabilities, f"{GENRE}, {extra.name} ({size})"))
        scores.remarks.extend(remarks)
        if part:
            scores.remarks.append(f"The {extra.name} split is here in part: {size} examples.")
    return scores


def by_genre(split: TextSet, probabilities: NDArray[np.float64], facet: str = GENRE) -> list[Slice]:
    """Accuracy of each genre that the data tell; examples of an unknown one stand in none.

    Args:
        split: What was scored.
        probabilities: Shape (examples, labels).
        facet: What the parts are called together.
    """
    if split.genres is None:
        return []
    genres, predicted = np.array(split.genres), probabilities.argmax(axis=1)
    return [
        Slice(facet, genre, metrics.accuracy("accuracy", split.labels[genres == genre], predicted[genres == genre]))
        for genre in sorted(set(split.genres))
        if genre
    ]
