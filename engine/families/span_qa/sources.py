"""Data of the question answering tasks, as their task files describe them."""

from db.registry.tasks import TASKS, Piece, QuestionData, Role
from engine.base.errors import DataError

__all__ = ["QA_SOURCES", "Piece", "QuestionData", "Role", "of_task"]

QA_SOURCES = {task.task_id: task.data for task in TASKS if isinstance(task.data, QuestionData)}


def of_task(task_id: str) -> QuestionData:
    """Look up where a task's questions lie.

    Raises:
        DataError: The task has no questions over texts.
    """
    source = QA_SOURCES.get(task_id)
    if source is None:
        raise DataError(f"The task {task_id!r} has no questions over texts; these have: {', '.join(QA_SOURCES)}.")
    return source
