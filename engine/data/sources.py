"""Data of the classification tasks, as their task files describe them."""

from db.registry.task_data import ClassificationData
from db.registry.tasks import TASKS

SOURCES = {task.task_id: task.data for task in TASKS if isinstance(task.data, ClassificationData)}
