"""A tiny recipe for pairs of texts."""

from typing import Any

from engine.recipes import loader
from engine.recipes.loader import Recipe
from tests.factories.recipes import content


def pair_recipe(task: str = "nli-en-mini", *, epochs: int = 1, **data: Any) -> Recipe:
    """The recipe of a toy network that puts English pairs into three classes; ``data`` is its data section."""
    model = {**content()["model"], "num_labels": 3}
    facts = {"language": "en", "task": task, "mini_task": "nli-en-mini", "model": model, "data": data}
    return loader.validate({**content("pair", epochs=epochs), **facts}, "pair")
