"""Tasks and metrics, in English: the words of the store."""

from db.registry import metrics, tasks

TASKS = {task.task_id: (task.name, task.question, task.scoring) for task in tasks.TASKS}
"""Name, question and scoring of each task."""
METRICS = {metric.name: (metric.label, metric.help) for metric in metrics.METRICS.values()}
"""Label and explanation of each metric."""
