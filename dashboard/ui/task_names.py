"""Tasks and metrics in the visitor's language; what nobody translated is shown as the store has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dashboard.ui import text
from db.registry.metrics import Metric, known


@dataclass(frozen=True)
class Words:
    """What a task is called, what it asks, and how it is scored."""

    name: str
    question: str
    scoring: str


def task(facts: Mapping[str, Any]) -> Words:
    """The words of a task.

    Args:
        facts: Its row in the tasks table, or as much of it as is at hand; ``task_id`` must be there.
    """
    own = {"name": facts["task_id"], "question": "", "scoring": ""} | {
        part: facts[part] for part in ("name", "question", "scoring") if facts.get(part)
    }
    told = text.TASKS.get(str(facts["task_id"]))
    return Words(*told) if told else Words(**own)


def metric(name: str) -> Metric:
    """The metric of a name, with its label and its explanation in the visitor's language."""
    told = text.METRICS.get(name)
    return replace(known(name), label=told[0], help=told[1]) if told else known(name)
