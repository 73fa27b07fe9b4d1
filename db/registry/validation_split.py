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

CHOSEN_BY_SEED = (
    "Epoch chosen on validation texts that its seed drew, as in runs before all runs held out the same: validation "
    "scores of its seeds are of different texts. The test split was not used for it."
)
"""Of other runs whose seed drew the texts that chose their weights."""

CAVEATS = (None, CHOSEN_BY_SEED, TEACHER_HAD_LEARNED)
"""By how much is to be known of a choice of weights; see ``CHOICE``."""

CHOICE = """CASE
    WHEN r.seed IS NULL OR NOT coalesce(contains(r.recipe_json, '"validation_fraction": '), false) THEN 0
    WHEN contains(r.recipe_json, '"teacher": "shipped:') THEN 2
    WHEN contains(r.recipe_json, '"held_out": "text"') THEN 0
    WHEN (contains(r.recipe_json, '"distill": {') OR contains(r.recipe_json, '"triple": {'))
        AND r.seed <> coalesce(TRY_CAST(json_extract_string(r.recipe_json, '$.distill.teacher_seed') AS BIGINT),
                               TRY_CAST(json_extract_string(r.recipe_json, '$.triple.teacher_seed') AS BIGINT), 0)
        THEN 2
    ELSE 1 END::BIGINT AS choice"""
"""A column of a query on ``runs r``: the index in ``CAVEATS`` of what is to be known of the choice of weights."""


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


def choice_caveat(recipe_json: object, seed: object) -> str | None:
    """Word what must be known of how a run's weights were chosen; one of ``CAVEATS``."""
    if teacher_had_learned(recipe_json, seed):
        return TEACHER_HAD_LEARNED
    train = _train(parse_recipe(recipe_json))
    by_seed = "validation_fraction" in train and train.get("held_out", "seed") == "seed"
    return CHOSEN_BY_SEED if by_seed and seed is not None else None


def caveat(recipe_json: object, seed: object, stored: str | None) -> str | None:
    """Word what must be known of a run: what is stored with it, and how its weights were chosen."""
    return joined(stored, choice_caveat(recipe_json, seed))


def joined(*caveats: str | None) -> str | None:
    """Join caveats; None where there is none."""
    return " ".join(text for text in caveats if isinstance(text, str) and text) or None


def command(recipe_json: object, stored: str | None) -> str | None:
    """Return the command that makes a run again; of an earlier run it names the defaults of its day."""
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
