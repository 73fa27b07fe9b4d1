"""Digests of the gold labels of official splits: made from their files, compared and written to the task files."""

import re
from dataclasses import dataclass
from pathlib import Path

from db.registry import tasks
from db.registry.tasks import Task
from db.runs import gold_labels
from db.runs.examples import ExamplesError


@dataclass(frozen=True)
class SplitDigest:
    """What a task's data file holds, beside what the task file says.

    Attributes:
        task: The task.
        count: Labelled examples of the file; None where no file is at hand.
        digest: Of their ids and gold labels; None likewise.
        problem: Why a file could not be read.
    """

    task: Task
    count: int | None = None
    digest: str | None = None
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the task file says the same."""
        return (self.count, self.digest) == (self.task.split_size, self.task.gold_digest)


def compute(task: Task) -> SplitDigest:
    """Compute the digest of a task's split from its data file."""
    file = gold_labels.file_of(task)
    if file is None:
        return SplitDigest(task)
    try:
        labels = gold_labels.of_file(task, file)
        return SplitDigest(task, len(labels), gold_labels.digest(task, labels))
    except (ExamplesError, ValueError) as error:
        return SplitDigest(task, problem=str(error))


def with_split() -> list[Task]:
    """List the tasks that have a fixed split."""
    return [task for task in tasks.TASKS if task.split_size is not None]


def write(result: SplitDigest, folder: Path) -> Path:
    """Write a digest of ``compute`` into the task's file, below the number of its examples.

    Returns:
        The file.
    """
    file = folder / f"{result.task.task_id}.toml"
    text = re.sub(r"^gold_digest = .*\n", "", file.read_text("utf-8"), flags=re.MULTILINE)
    lines = f'split_size = {result.count:_}\ngold_digest = "{result.digest}"\n'
    file.write_text(re.sub(r"^split_size = .*\n", lines, text, flags=re.MULTILINE), "utf-8")
    return file
