"""The gold labels of a task's test split: read from its data file, and the digest by which others are recognised.

A digest is taken over the sorted pairs of example id and gold label. Of questions it covers the set of normalised
answers, hashed as a bundle without texts holds them, so that the digest of such a bundle is the same. The digests of
the official splits stand in the task files; ``featherboard db digest`` makes them again from the data.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pandas as pd

from db.registry import tasks
from db.registry.tasks import Task
from db.runs import examples
from db.runs.examples import ExamplesError
from db.statistics import qa_scoring

_SAME_DATA = {"squad-deck": "squad"}
"""Tasks that share the split of another task."""

_RIGHT: dict[str, pd.DataFrame] = {}
"""Labels that had a digest, by that digest, one set a task at most: comparing is quicker than computing it again."""


def sharing(task: Task) -> list[str]:
    """List the tasks whose runs hold the gold labels of a task's split."""
    return [task.task_id, _SAME_DATA.get(task.task_id, task.task_id)]


def file_of(task: Task) -> Path | None:
    """Find the file with the gold labels of a task's split; None where it is not present."""
    return examples.file_of(_SAME_DATA.get(task.task_id, task.task_id))


def of_file(task: Task, file: Path) -> dict[str, str]:
    """Read the gold labels of a file, by example id, as the predictions table stores them.

    Raises:
        ExamplesError: It cannot be read.
    """
    facts = file.stat()
    return _of_file(task, file, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=4)
def _of_file(task: Task, file: Path, changed: int, size: int) -> dict[str, str]:
    """Read a file; its time of change and size are part of the cache's key."""
    rows = examples.read(_SAME_DATA.get(task.task_id, task.task_id), file)
    labels = {str(number) for number in range(len(task.labels))}
    # Some pairs of MultiNLI have no label; they are not part of the split.
    return {name: row.gold for name, row in rows.items() if row.gold is not None and (row.gold in labels or not labels)}


def digest(task: Task, labels: Mapping[str, str]) -> str:
    """Compute the digest of a split: SHA-256 over its sorted pairs of example id and gold label.

    Args:
        task: How its answers are compared: the deck's rule reads the first answer alone, the official rules read all.
        labels: By example id, as the predictions table stores them, with texts or with what stands for them.

    Raises:
        ValueError: A gold label of a question is no list of answers.
    """
    rules = None if task.labels or task.regression else qa_scoring.RULES.get(task.language)
    encode = json.JSONEncoder(ensure_ascii=False).encode  # of a text alone five times as fast as of a pair
    lines = []
    for example_id, gold in sorted(labels.items()):
        if rules is None:
            normal: object = gold
        else:
            answers = [
                answer if qa_scoring.is_withheld(answer) else qa_scoring.withheld(rules, answer)
                for answer in qa_scoring.unpack(gold)
            ]
            normal = answers[:1] if task.metric == "f1_seed" else sorted(set(answers))
        lines.append(f"[{encode(example_id)}, {encode(normal)}]\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def known_digest(task: Task) -> str | None:
    """Return the digest of the right gold labels: the task's own, else that of the data file at hand.

    None where neither is there; nothing can then be verified.
    """
    if task.gold_digest is not None:
        return task.gold_digest
    file = file_of(task)
    if file is None:
        return None
    try:
        labels = of_file(task, file)
        return digest(task, labels) if len(labels) == task.split_size else None
    except (ExamplesError, OSError, ValueError):
        return None


def checkable(task_id: str) -> bool:
    """Whether a run of a task can be verified: the digest of its gold labels is known."""
    return any(known_digest(task) is not None for task in tasks.TASKS if task.task_id == task_id)


def are_those(task: Task, predictions: pd.DataFrame) -> bool:
    """Whether the ids and gold labels of predictions are exactly those of the task's split.

    Args:
        task: Its current version.
        predictions: Columns ``example_id`` and ``gold``; ids that come twice are not those of the split.
    """
    expected = known_digest(task)
    if expected is None or len(predictions) != task.split_size or predictions["gold"].isna().any():
        return False
    labels = predictions[["example_id", "gold"]].sort_values("example_id", ignore_index=True)
    if labels["example_id"].duplicated().any():
        return False
    right = _RIGHT.get(expected)
    if right is not None and labels.equals(right):
        return True
    try:
        if digest(task, dict(zip(labels["example_id"], labels["gold"], strict=True))) != expected:
            return False
    except (ValueError, TypeError):
        return False
    _RIGHT[expected] = labels
    return True
