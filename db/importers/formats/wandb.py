"""Weights & Biases: its history as CSV becomes curves, its ``wandb-summary.json`` and ``config.yaml`` a claim."""

import math
import re
from collections import Counter
from typing import Any

from db.importers import metric_names, values
from db.importers.formats import mlflow
from db.importers.result import ImportedFile, curves_frame, listed
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table

_POSITION = (
    "_step",
    "epoch",
    "_runtime",
    "_timestamp",
    "train/global_step",
    "trainer/global_step",
    "Step",
    "train/epoch",
)
_SPREAD = ("__MIN", "__MAX")
_STEPS = ("train/global_step", "trainer/global_step", "_step", "Step")
"""Columns of steps, the truer first: ``_step`` counts calls of the logger."""


def takes_columns(columns: tuple[str, ...]) -> bool:
    """Whether a table is a history."""
    return "_step" in columns or ("Step" in columns and any(column.endswith(_SPREAD) for column in columns))


def series(column: str) -> str:
    """The name of a column's curve, as the trainer's own log has it: ``train/loss`` is ``loss``."""
    plain = column.rpartition(" - ")[2] if " - " in column else column
    plain = re.sub(r"^train[/.]", "", plain)
    plain = re.sub(r"^(?:eval|val|valid|validation|test)[/.]", lambda part: f"{part[0][:-1]}_", plain)
    return plain.strip()[:120]


def read(table: Table) -> ImportedFile:
    """The curves of a history.

    Raises:
        SubmissionError: No row has both a step and a figure.
    """
    columns = dict(zip(table.columns, table.cells, strict=True))
    by = next((column for column in _STEPS if column in columns and _mostly(columns[column])), None)
    by = by or next(column for column in _STEPS if column in columns)
    steps = [values.whole(values.plain(cell)) for cell in columns[by]]
    epochs = columns.get("epoch") or columns.get("train/epoch") or [None] * len(table)
    plotted = {name: cells for name, cells in columns.items() if name not in _POSITION and not name.endswith(_SPREAD)}
    several = len({name.rpartition(" - ")[0] for name in plotted if " - " in name}) > 1
    counts = Counter(series(name) for name in plotted)  # loss beside train/loss, both of which would be loss
    points: list[tuple[str, int, float, float]] = []
    broken = 0
    unknown = [name for name in columns if name.endswith(_SPREAD)]
    for name, cells in plotted.items():
        label = name[:120] if several or counts[series(name)] > 1 else series(name)
        before = len(points)
        for step, epoch, cell in zip(steps, epochs, cells, strict=True):
            value, position = values.number(values.plain(cell)), values.number(values.plain(epoch))
            if step is not None and value is not None:
                points.append((label, step, math.nan if position is None else position, value))
        if len(points) == before:
            unknown.append(name)
        else:
            filled = sum(cell is not None and cell != "" for cell in cells)
            broken += filled - sum(values.number(values.plain(cell)) is not None for cell in cells)
    curves, notes = curves_frame(points)
    if curves is None:
        raise FileError(table.name, f"column {quoted(by)}", "no row has both a step and a figure; export the history.")
    if by != "_step" and "_step" in columns:
        notes.append(f"Steps are those of {by}; _step counts how often something was logged.")
    stepless = sum(step is None for step in steps)
    if stepless:
        notes.append(f"{stepless:,} of {len(table):,} rows have no step and were left out of the curves.")
    if broken:
        notes.append(f"{broken:,} cell(s) hold no finite number and were left out of the curves.")
    draft, told_seconds = _seconds(columns)
    notes += told_seconds
    notes.append("The history names neither task, model nor final figure; they must be chosen or typed.")
    return ImportedFile(
        "wandb", (draft,) if draft else (), None, curves, None, listed([*unknown, *table.unread]), tuple(notes)
    )


def _mostly(steps: list[Any]) -> bool:
    """Whether a column of steps is filled in most rows; evaluation may be logged without it."""
    return sum(not values.is_missing(step) for step in steps) * 2 > len(steps)


def _seconds(columns: dict[str, list[Any]]) -> tuple[dict[str, object], list[str]]:
    times = [time for cell in columns.get("_runtime", []) if (time := values.number(values.plain(cell))) is not None]
    if not times or max(times) <= 0:
        return {}, []
    return {"train_seconds": max(times)}, ["The training time is that until the last record, evaluation included."]


def takes_summary(data: Any) -> bool:
    """Whether a JSON value is the summary of a run."""
    return isinstance(data, dict) and "_step" in data and bool({"_runtime", "_timestamp", "_wandb"} & data.keys())


def read_summary(name: str, data: dict[str, Any]) -> ImportedFile:
    """The last logged figures of a run; its model and task stand elsewhere.

    Raises:
        SubmissionError: None of its figures is known here.
    """
    metrics, unknown = metric_names.collect(
        (key, value) for key, value in data.items() if not key.startswith("_") and key not in _POSITION
    )
    if not metrics:
        present = ", ".join(shown(key, 40) for key in list(data)[:8])
        raise FileError(name, "", f"no figure that is known here, such as test/accuracy; there are {present}.")
    metrics, notes = metric_names.taken(metrics)
    notes += metric_names.validation_note(data, metrics)
    runtime = values.mapping(data.get("_wandb")).get("runtime", data.get("_runtime"))
    draft, seconds_notes = _seconds({"_runtime": [runtime]})
    notes += [*seconds_notes, "The summary names neither task nor model; both must be chosen or typed."]
    return ImportedFile("wandb", ({"metrics": metrics, **draft},), unknown=listed(unknown), notes=tuple(notes))


def takes_config(data: Any) -> bool:
    """Whether a YAML value is the ``config.yaml`` of a run."""
    entries = [value for key, value in values.mapping(data).items() if key != "wandb_version"]
    return bool(entries) and all(isinstance(entry, dict) and "value" in entry for entry in entries)


def read_config(data: dict[str, Any]) -> ImportedFile:
    """The settings of a run."""
    params = {key: values.mapping(entry).get("value") for key, entry in data.items() if not key.startswith("_wandb")}
    draft, unknown, notes = mlflow.run_claim({}, params, None, None)
    del draft["metrics"]
    return ImportedFile("wandb", (draft,) if draft else (), unknown=listed(unknown), notes=tuple(notes))
