"""Tasks, labels and metrics in the visitor's language; what nobody translated is shown as the store has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dashboard.ui.i18n import _, current_language
from db.registry.metrics import Metric, known
from db.registry.tasks import TASKS


@dataclass(frozen=True)
class Words:
    """What a task is called, what it asks, and how it is scored."""

    name: str
    question: str
    scoring: str


def task(facts: Mapping[str, Any]) -> Words:
    """The words of a task.

    Its row in the tasks table may be incomplete; ``task_id`` must be there.
    """
    for known_task in TASKS:
        if known_task.task_id == facts["task_id"]:
            words = known_task.korean if current_language() == "ko" else known_task
            return Words(words.name, words.question, words.scoring)
    return Words(facts.get("name") or facts["task_id"], facts.get("question") or "", facts.get("scoring") or "")


def name(task_id: object, stored: str | None = None) -> str:
    """What a task is called; ``stored`` is its name in the tasks table."""
    return task({"task_id": str(task_id), "name": stored}).name


def label(name: str) -> str:
    """A class of a task."""
    if current_language() == "ko":
        for task in TASKS:
            if name in task.labels and task.korean.labels:
                return task.korean.labels[task.labels.index(name)]
    return name


def metric(name: str) -> Metric:
    """The metric of a name, with its label and its explanation in the visitor's language."""
    metric = known(name)
    return replace(metric, label=_(metric.label), help=_(metric.help))
