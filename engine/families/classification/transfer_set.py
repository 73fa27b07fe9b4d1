"""What a student learns from its teacher alone: texts without labels, and labelled ones whose labels are not read."""

import numpy as np
from numpy.typing import NDArray

from engine.data import corpora, extra_training_data
from engine.data.altered_copies import altered_copies
from engine.data.corpora import Corpus
from engine.data.text_sets import TextSet
from engine.recipes.schema import Recipe


def collect(
    recipe: Recipe,
    data: Corpus,
    parts: tuple[NDArray[np.int64], NDArray[np.int64]],
    unlabelled: TextSet | None,
    folder: str | None,
) -> list[TextSet]:
    """Collect the texts that a recipe's teacher labels beside the training split, set by set.

    Args:
        recipe: The student's; without a teacher there is nothing to collect.
        data: Of its task.
        parts: Positions in the training split that are learned from, and that are held out.
        unlabelled: The texts without labels of the data folder, where they are read.
        folder: As for ``corpora.load``; a mini corpus has no other data sets beside it.

    Returns:
        Sets without labels, and without texts that are held out or tested.

    Raises:
        DataError: A data set is missing or belongs to another question.
    """
    settings = recipe.distill
    if settings is None:
        return []
    learned, held = parts
    named = extra_training_data.additions(recipe, settings.add, data.task_id, folder) if folder else []
    sets = [corpora.without_labels(texts, data) for texts in named]
    if settings.altered:
        sets.append(altered_copies(data.train, learned, settings.altered))
    if recipe.train.held_out == "text":
        sets = [corpora.without_held_out(texts, data.train, held) for texts in sets]
    return [*([unlabelled] if unlabelled is not None and settings.unlabelled else []), *filter(len, sets)]
