"""The settings of a recipe as they are compared: flat, without what does not count."""

import json
from collections.abc import Collection
from typing import Any

TITLES = frozenset({"name", "model_id", "label", "family", "summary", "seed"})
"""What a recipe says of itself, and its seed: no two recipes are different for it."""


def flat(recipe_json: object, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Keys such as ``train.epochs`` with their values, by name.

    Args:
        recipe_json: A stored recipe; none, and anything but an object, has no settings.
        without: Sections or keys that do not count beside ``TITLES``.
    """
    parsed = json.loads(recipe_json) if isinstance(recipe_json, str) else None
    found: dict[str, Any] = {}
    for section, value in (parsed if isinstance(parsed, dict) else {}).items():
        if section not in TITLES and section not in without:
            whole = isinstance(value, dict)
            found |= {f"{section}.{key}": one for key, one in value.items()} if whole else {section: value}
    return {key: found[key] for key in sorted(found) if key not in without}
