"""Names of tasks in a badge or feed."""

from collections.abc import Mapping
from typing import Any

from db.registry.tasks import TASKS

_BENCHMARKS = {"nsmc": "NSMC", "squad": "SQuAD 1.1", "korquad": "KorQuAD 1.0", "mnli": "MNLI"}
"""Names of public benchmarks, by which readers elsewhere know what a score is of."""


def benchmark(facts: Mapping[str, Any], language: str = "en") -> str:
    """Return the name of a task's public benchmark, or of the task where its data are its own."""
    return _BENCHMARKS.get(str(facts["task_id"])) or task_name(facts, language)


def task_name(facts: Mapping[str, Any], language: str = "en") -> str:
    """Return the name of a task; of one that is not registered, the name that its board has.

    Args:
        facts: Its row in the tasks table, or its ``task_id`` alone.
        language: ``en`` or ``ko``; English for any other.
    """
    for task in TASKS:
        if task.task_id == facts["task_id"]:
            return task.korean.name if language == "ko" else task.name
    return str(facts.get("name") or facts["task_id"])
