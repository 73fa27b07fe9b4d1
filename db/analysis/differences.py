"""In what runs differ: the facts of each run and model, and every setting of its recipe, one row each."""

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from db.analysis.comparison import Chosen

GROUPS = ("run", "model", "recipe")
"""Where a fact comes from."""

_RUN = (
    "name",
    "seed",
    "source",
    "verified",
    "status",
    "dataset",
    "dataset_hash",
    "split",
    "task_version",
    "teacher",
    "device",
    "train_seconds",
    "code_version",
    "created_at",
    "finished_at",
    "recipe",
    "recipe_hash",
    "command",
    "citation",
    "caveat",
    "notes",
)
_MODEL = ("model", "family", "architecture", "params", "params_reported")


def facts(chosen: Chosen) -> pd.DataFrame:
    """What is known of runs, one row a fact that at least one of them has.

    Returns:
        ``group`` (of ``GROUPS``), ``key`` (a column's name; of what is nested, its path: ``train.lr``), ``differs``,
        and for each run by its place 0, 1, ... the value as text, None where it has none.
    """
    told: dict[tuple[str, str], dict[int, str]] = {}
    for place, row in enumerate(chosen.runs.to_dict("records")):
        for group, key, value in _of_run(row):
            if value is not None:
                told.setdefault((group, key), {})[place] = value
    places = range(len(chosen))
    rows = [
        (group, key, len({values.get(place) for place in places}) > 1, *(values.get(place) for place in places))
        for (group, key), values in told.items()
    ]
    frame = pd.DataFrame(rows, columns=["group", "key", "differs", *places])
    order = frame["group"].map(GROUPS.index)
    return frame.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def _of_run(row: dict[str, Any]) -> Iterable[tuple[str, str, str | None]]:
    yield from (("run", key, _text(row[key])) for key in _RUN)
    yield from (("run", f"libraries.{key}", value) for key, value in _flat(row["libraries"]))
    yield from (("model", key, _counted(row[key])) for key in _MODEL)
    yield from (("model", f"config.{key}", value) for key, value in _flat(row["config"]))
    yield from (("recipe", key, value) for key, value in _flat(row["recipe_json"]))


def _flat(stored: object) -> list[tuple[str, str]]:
    """The leaves of a stored JSON object by their paths; nothing of anything else."""
    try:
        parsed = json.loads(stored) if isinstance(stored, str) else {}
    except (ValueError, RecursionError):
        return []
    found: list[tuple[str, str | None]] = []
    ahead: list[tuple[str, Any]] = [("", parsed)] if isinstance(parsed, dict) else []
    while ahead:  # not by recursion: somebody else's bundle may nest as deep as it likes
        path, value = ahead.pop()
        if isinstance(value, dict) and value:
            inner = [(f"{path}.{key}" if path else str(key), one) for key, one in value.items()]
            ahead.extend(reversed(inner))
        elif path:
            found.append((path, _text(value) if not isinstance(value, dict | list) else _json(value)))
    return [(path, value) for path, value in found if value is not None]


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _counted(value: Any) -> str | None:
    """Numbers of parameters with their thousands parted."""
    return f"{value:,.0f}" if isinstance(value, int | float) and not pd.isna(value) else _text(value)


def _text(value: Any) -> str | None:
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, pd.Timestamp) else str(value)
