"""Which split figures are of, as files name it: no figure of training or validation passes for the test's."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.importers import metric_names, values
from db.importers.safe_json import quoted
from db.importers.tables import Table
from db.registry import tasks

NAMES = frozenset(
    ["split", "data_split", "dataset_split", "eval_split", "evaluation_split", "evaluated_on", "분할", "데이터_분할"]
)
"""Columns and keys that name a split, in their normal spelling."""
_TRAINED_ON = {"train", "training", "학습", "훈련"}
_CHOSEN_ON = {"validation", "valid", "val", "dev", "development", "검증"}
_MOST_NAMED = 5


def is_training(split: object) -> bool:
    """Whether a name is that of a training split."""
    return _normal(split) in _TRAINED_ON


def is_validation(split: object) -> bool:
    """Whether a name is that of a validation split, which is the test of some tasks."""
    return _normal(split) in _CHOSEN_ON


def is_other(split: object, task_id: str | None) -> bool:
    """Whether a split is not the one that a board ranks: one of training, part of one, or validation beside a test.

    Args:
        split: Its name in a file, such as ``test[:10%]``.
        task_id: The task, if it is known.
    """
    task = tasks.by_name(task_id) if task_id else None
    chosen = is_validation(split) and task is not None and task.split == "test"
    return is_training(split) or chosen or "[" in str(split)


def in_name(name: object) -> str:
    """The split of training or validation that a metric's name holds, such as ``Validation Accuracy``; "" for none."""
    words = metric_names.normal(str(name)[:100]).split("_")
    return next((word for word in words if word in _TRAINED_ON | _CHOSEN_ON), "")


def other_rows(table: Table, tasks_: Sequence[str | None]) -> tuple[dict[int, str], list[str]]:
    """Rows of a table of claims that are of another split, with its name, and notes.

    Args:
        table: With or without a column that names the split.
        tasks_: The task of each row, if it is known.
    """
    column = next((name for name in table.columns if metric_names.normal(name) in NAMES), None)
    if column is None:
        return {}, []
    cells = table.column(column)
    tested = any(not values.is_missing(cell) and not is_training(cell) and not is_validation(cell) for cell in cells)
    other = {
        row: str(cell)
        for row, (cell, task) in enumerate(zip(cells, tasks_, strict=True))
        if is_other(cell, task) or (tested and task is None and is_validation(cell))
    }
    notes = []
    if other:
        rows = ", ".join(f"{table.places[row]:,}" for row in list(other)[:_MOST_NAMED])
        more = " and more" if len(other) > _MOST_NAMED else ""
        names = ", ".join(map(quoted, list(dict.fromkeys(other.values()))[:_MOST_NAMED]))
        notes.append(f"{table.unit} {rows}{more}: of the split {names}, not of the one that is ranked, and left out.")
    elif any(is_validation(cell) and task is None for cell, task in zip(cells, tasks_, strict=True)):
        notes.append(f"Column {quoted(column)} names a validation split; a board ranks the split that it names.")
    return other, notes


def of_object(data: Mapping[str, Any]) -> object:
    """The split that a JSON object names, or None."""
    return next((value for key, value in data.items() if metric_names.normal(key) in NAMES), None)


def _normal(split: object) -> str:
    return metric_names.normal(str(split or "").partition("[")[0][:100])
