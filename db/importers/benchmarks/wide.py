"""Tables with a column for each task, such as ``NSMC (acc)`` or ``nsmc_accuracy`` beside ``KorQuAD (Dev) (EM/F1)``."""

import re
from dataclasses import replace

from db.importers import metric_names, spelling, values
from db.importers.tables import Table
from db.registry import tasks

_HEADER = re.compile(r"(?P<task>[^()]+?)\s*(?:\([^()]*\)\s*)?\((?P<metrics>[^()]+)\)\s*")
_BETWEEN = re.compile(r"[\s_/:]+")


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
    rest = [column for column, (task, _) in named.items() if not task]
    scores = [column for column in rest if metric_names.is_share(metric_names.metric_of(column) or "")]
    common = {column: table.column(column) for column in rest if column not in scores}
    unread = (*table.unread, *scores)  # a score beside those of the tasks is of none of them, such as a mean
    result = []
    for task, figures in by_task.items():
        columns = {**common, **figures}
        result.append((task, replace(table, columns=tuple(columns), cells=tuple(columns.values()), unread=unread)))
    return result


def _task_and_metrics(header: str) -> tuple[str, tuple[str, ...]]:
    """The task and the names of the metrics in a header; "" and none where it does not name both."""
    if metric_names.metric_of(header):
        return "", ()
    body, unit = spelling.split_unit(header)
    match = _HEADER.fullmatch(body)
    parts = [(match["task"], match["metrics"])] if match else []
    parts += [(body[: gap.start()], body[gap.end() :]) for gap in _BETWEEN.finditer(body)]
    for name, rest in parts:
        task = tasks.by_name(name)
        metrics = [part.strip() for part in rest.split("/")]
        if task and all(metric_names.metric_of(part) for part in metrics):
            return task.task_id, tuple(f"{part} ({unit})" if unit else part for part in metrics)
    return "", ()


def _part(cell: object, index: int, count: int) -> object:
    """One of the numbers of a cell; a cell with another count of them stays as it is, to be refused."""
    if count == 1 or values.is_missing(cell) or not isinstance(cell, str):
        return cell
    parts = cell.split("/")
    return parts[index].strip() if len(parts) == count else cell
