"""Tables with a column for each task, such as ``NSMC (acc)`` beside ``KorQuAD (Dev) (EM/F1)``."""

import re
from dataclasses import replace

from db.importers import metric_names, values
from db.importers.tables import Table
from db.registry import tasks

_HEADER = re.compile(r"(?P<task>[^()]+?)\s*(?:\([^()]*\)\s*)?\((?P<metrics>[^()]+)\)\s*")


def split(table: Table) -> list[tuple[str, Table]]:
    """A table of its own for each task that a column names, with the columns that name none; none where there is none.

    Args:
        table: A column of several metrics, ``EM/F1``, has cells such as ``51.75 / 79.15``.
    """
    named = {column: _task_and_metrics(column) for column in table.columns}
    by_task: dict[str, dict[str, list[object]]] = {}
    for column, (task, metrics) in named.items():
        for index, metric in enumerate(metrics):
            cells = [_part(cell, index, len(metrics)) for cell in table.column(column)]
            by_task.setdefault(task, {}).setdefault(metric, cells)
    common = {column: table.column(column) for column, (task, _) in named.items() if not task}
    result = []
    for task, figures in by_task.items():
        columns = {**common, **figures}
        result.append((task, replace(table, columns=tuple(columns), cells=tuple(columns.values()))))
    return result


def _task_and_metrics(header: str) -> tuple[str, tuple[str, ...]]:
    """The task and the metrics that a header names; "" and none where it does not name both."""
    match = _HEADER.fullmatch(header)
    task = tasks.by_name(match["task"]) if match else None
    metrics = [metric_names.metric_of(part) for part in match["metrics"].split("/")] if match else []
    known = tuple(metric for metric in metrics if metric)
    return (task.task_id, known) if task and known and len(known) == len(metrics) else ("", ())


def _part(cell: object, index: int, count: int) -> object:
    """One of the numbers of a cell; a cell with another count of them stays as it is, to be refused."""
    if count == 1 or values.is_missing(cell) or not isinstance(cell, str):
        return cell
    parts = cell.split("/")
    return parts[index].strip() if len(parts) == count else cell
