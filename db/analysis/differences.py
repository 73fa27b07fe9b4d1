"""Differences of runs: the facts of each run and model, and every setting of its recipe, one row each."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from db.analysis.comparison import RunSelection

GROUPS = ("run", "model", "recipe")
"""Where a fact comes from."""

Value = str | tuple[str, ...]
"""A fact as text; of a mean over seeds that differ in it, one text a seed."""

_RUN = (
    *("name", "seed", "source", "verified", "status", "dataset", "dataset_hash", "split", "task_version", "teacher"),
    *("device", "train_seconds", "code_version", "created_at", "finished_at", "recipe", "recipe_hash", "command"),
    *("citation", "caveat", "notes"),
)
_MODEL = ("model", "family", "architecture", "params", "params_reported")


def facts(selection: RunSelection) -> pd.DataFrame:
    """Tabulate what is known of runs, one row a fact that at least one of them has.

    Returns:
        ``group`` (of ``GROUPS``), ``key`` (a column's name; of nested values the path: ``train.lr``), ``differs``,
        and for each run by its index 0, 1, ... the value as text, None where it has none. Of a mean over seeds whose
        seeds differ it is a tuple of their values, by seed; such a fact differs.
    """
    values: dict[tuple[str, str], dict[int, Value]] = {}
    for index, members in enumerate(selection.members):
        for (group, key), value in _together(selection.parts.loc[list(members)]).items():
            values.setdefault((group, key), {})[index] = value
    runs = range(len(selection))
    rows = [
        (group, key, _differs([by_run.get(run) for run in runs]), *(by_run.get(run) for run in runs))
        for (group, key), by_run in values.items()
    ]
    frame = pd.DataFrame(rows, columns=["group", "key", "differs", *runs])
    order = frame["group"].map(GROUPS.index)
    return frame.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def _together(runs: pd.DataFrame) -> dict[tuple[str, str], Value]:
    """The facts of one run, or of the seeds of one mean."""
    by_seed = [{(group, key): value for group, key, value in _facts(row)} for row in runs.to_dict("records")]
    together: dict[tuple[str, str], Value] = {}
    for key in dict.fromkeys(key for facts in by_seed for key in facts):
        values = [facts.get(key) for facts in by_seed]
        same = all(value == values[0] for value in values)
        value = values[0] if same else tuple(value or "" for value in values)
        if value is not None:
            together[key] = value
    return together


def _differs(values: list[Value | None]) -> bool:
    return len(set(values)) > 1 or any(isinstance(value, tuple) for value in values)


def _facts(row: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    yield from (("run", key, _text(row[key])) for key in _RUN)
    yield from (("run", f"libraries.{key}", value) for key, value in _leaves(row["libraries"]))
    for key in _MODEL:
        value = row[key]
        number = isinstance(value, int | float) and not pd.isna(value)
        yield "model", key, f"{value:,.0f}" if number else _text(value)
    yield from (("model", f"config.{key}", value) for key, value in _leaves(row["config"]))
    yield from (("recipe", key, value) for key, value in _leaves(row["recipe_json"]))


def _leaves(stored: object) -> list[tuple[str, str | None]]:
    """The leaves of a stored JSON object by their paths; nothing of anything else."""
    try:
        parsed = json.loads(stored) if isinstance(stored, str) else {}
    except (ValueError, RecursionError):
        return []
    leaves: list[tuple[str, str | None]] = []
    pending: list[tuple[str, Any]] = [("", parsed)] if isinstance(parsed, dict) else []
    while pending:  # not by recursion: somebody else's bundle may nest as deep as it likes
        path, value = pending.pop()
        if isinstance(value, dict) and value:
            inner = [(f"{path}.{key}" if path else str(key), item) for key, item in value.items()]
            pending.extend(reversed(inner))
        elif path:
            leaves.append((path, _json(value) if isinstance(value, dict | list) else _text(value)))
    return leaves


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _text(value: Any) -> str | None:
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, pd.Timestamp) else str(value)
