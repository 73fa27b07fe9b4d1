"""Runs with their facts, and the settings of their recipes: what the analyses select and pair runs by."""

import json
from collections.abc import Collection
from typing import Any

import pandas as pd

from db.storage.ownership import OWNER

SCORED_RUNS = f"""
    SELECT r.*, m.name AS model, m.family, m.architecture, m.config, m.params, m.params_reported,
           t.name AS task, t.metric, t.direction, t.language, t.mini, p.value AS score, p.low, p.high,
           {OWNER}
    FROM runs r
    LEFT JOIN models m USING (model_id)
    LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
"""  # noqa: S608 - a constant
"""A query of all runs with their model, their task and the value of the task's metric."""

LATEST_VERSION = "task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)"
REPEATABLE = "source = 'measured' AND status = 'finished' AND seed IS NOT NULL AND score IS NOT NULL AND owner IS NULL"
"""A condition on ``SCORED_RUNS``: finished runs of this project's recipes, which can be paired by their seed. What
another installation says of its recipes is no evidence about them."""

TITLES = frozenset({"name", "model_id", "label", "family", "summary", "seed"})
"""Keys that describe a recipe, and its seed: they are not compared."""


def flat(recipe_json: object, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings of a recipe under keys such as ``train.epochs``, sorted.

    Args:
        recipe_json: A stored recipe; anything but a JSON object has no settings.
        without: Sections or keys to leave out, beside ``TITLES``.
    """
    parsed = json.loads(recipe_json) if isinstance(recipe_json, str) else None
    settings: dict[str, Any] = {}
    for section, value in (parsed if isinstance(parsed, dict) else {}).items():
        if section not in TITLES and section not in without:
            nested = isinstance(value, dict)
            settings |= {f"{section}.{key}": inner for key, inner in value.items()} if nested else {section: value}
    return {key: settings[key] for key in sorted(settings) if key not in without}


def groups(
    rows: pd.DataFrame, columns: Collection[str], *, without: Collection[str], shared_keys: bool = False
) -> list[pd.DataFrame]:
    """Split runs into groups with equal recipe settings, in the order of their first rows.

    Args:
        rows: Runs with ``recipe_json`` and ``columns``.
        columns: Columns that must be equal too.
        without: Settings that may differ.
        shared_keys: Compare only keys that all recipes have, so that a key added by a later version splits nothing.
    """
    settings = [flat(recipe, without=without) for recipe in rows["recipe_json"]]
    keys = set.intersection(*map(set, settings)) if shared_keys and settings else None
    fingerprints = [
        json.dumps([{key: value for key, value in recipe.items() if keys is None or key in keys}, *facts])
        for recipe, facts in zip(settings, rows[list(columns)].itertuples(index=False), strict=True)
    ]
    return [group for _, group in rows.groupby(pd.Series(fingerprints, index=rows.index, dtype=object), sort=False)]
