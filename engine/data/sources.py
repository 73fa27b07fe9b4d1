"""Data of the classification tasks, as their task files describe them."""

from db.registry.tasks import TASKS, ClassificationData

SOURCES = {task.task_id: task.data for task in TASKS if isinstance(task.data, ClassificationData)}
