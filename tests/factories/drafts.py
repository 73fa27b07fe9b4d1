"""Drafts and predictions for the tests of submissions."""

from typing import Any

import pandas as pd

from db.registry import tasks
from db.storage.store import Store
from db.submissions import gold_answers

TOKEN = "a-token-of-the-moderator"  # noqa: S105
MINI = "reviews-ko-mini"


def draft(**fields: Any) -> dict[str, Any]:
    """A row that can be taken."""
    return {"task": MINI, "model": "Featherweight", "metrics": {"accuracy": 0.875}, **fields}


def answers(store: Store, task_id: str = MINI) -> dict[str, str]:
    """The right answers of a mini corpus."""
    return dict(gold_answers.load(store, tasks.by_id(task_id)).answers)


def make_predictions(store: Store, right: int, task_id: str = MINI) -> pd.DataFrame:
    """Predictions for a whole split of labels, the first ``right`` of them right."""
    known = answers(store, task_id)
    predicted = [gold if index < right else str(1 - int(gold)) for index, gold in enumerate(known.values())]
    return pd.DataFrame({"example_id": list(known), "predicted": predicted, "score": 0.75})


def curve(*values: float) -> pd.DataFrame:
    """A curve of some points."""
    return pd.DataFrame({"series": "train_loss", "step": range(1, len(values) + 1), "value": list(values)})
