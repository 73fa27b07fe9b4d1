"""How a run chose its weights: by texts held out for every run alike, or by its seed, as earlier runs did."""

import json
from typing import Any

DEFAULTS = {"held_out": "text", "validation_fraction": 0.05}
"""Of a recipe's section ``train`` today. A stored recipe without ``held_out`` was trained with ``seed``."""

TEACHER_HAD_LEARNED = (
    "Epoch chosen on validation texts that its teacher had learned from: the validation accuracy is too high, and "
    "another epoch may score better. The test split was not used for it."
)
"""Of a run for which ``teacher_had_learned`` holds."""


def teacher_had_learned(recipe_json: object, seed: object) -> bool:
    """Whether the teacher of a run had learned from the texts that chose the run's weights.

    Where the seed held them out, student and teacher held out the same ones only if their seeds are equal. What a
    teacher of the package held out is not known here.

    Args:
        recipe_json: The stored recipe; anything else has no teacher.
        seed: Of the run.
    """
    recipe = parse_recipe(recipe_json)
    teaching = recipe.get("distill") or recipe.get("triple")
    if isinstance(teaching, dict) and str(teaching.get("teacher")).startswith("shipped:"):
        return True
    if not isinstance(teaching, dict) or _train(recipe).get("held_out", "seed") != "seed" or seed is None:
        return False
    return bool(seed != teaching.get("teacher_seed", 0))


def caveat(recipe_json: object, seed: object, stored: str | None) -> str | None:
    """Word what must be known of a run: what is stored with it, and how its weights were chosen."""
    texts = [stored, TEACHER_HAD_LEARNED if teacher_had_learned(recipe_json, seed) else None]
    return " ".join(text for text in texts if text) or None


def command(recipe_json: object, stored: str | None) -> str | None:
    """Return the command that makes a run again; of an earlier run it names the defaults of its day.

    Args:
        recipe_json: The stored recipe.
        stored: The command as it was stored with the run.
    """
    train = _train(parse_recipe(recipe_json))
    if not stored or "validation_fraction" not in train or "held_out" in train:
        return stored
    was = {"held_out": "seed", "validation_fraction": train["validation_fraction"]}
    mini = " --data " not in stored  # a mini corpus has a fraction of its own
    changed = [
        f" --set train.{key}={value}"
        for key, value in was.items()
        if value != DEFAULTS[key] and f"train.{key}=" not in stored and not (mini and key == "validation_fraction")
    ]
    return stored + "".join(changed)


def parse_recipe(recipe_json: object) -> dict[str, Any]:
    """Read a stored recipe; anything but a JSON object is an empty one."""
    try:
        recipe = json.loads(recipe_json) if isinstance(recipe_json, str) else None
    except (ValueError, RecursionError):
        return {}
    return recipe if isinstance(recipe, dict) else {}


def _train(recipe: dict[str, Any]) -> dict[str, Any]:
    train = recipe.get("train")
    return train if isinstance(train, dict) else {}
