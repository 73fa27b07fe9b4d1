"""The demo: which variants a first board shows, and which are missing. No torch: a second look takes no time."""

from db.runs.status import finished
from db.storage.store import Store
from engine.data import corpora
from engine.recipes import loader
from engine.recipes.loader import Recipe

VARIANTS = ("demo-teacher", "demo-plain", "demo-distilled")
"""A teacher, a small network that learns from the labels alone, and the same network distilled from the teacher."""


def recipes() -> list[Recipe]:
    """The demo's recipes, each for its mini corpus."""
    return [loader.load(name, mini=True) for name in VARIANTS]


def missing(store: Store) -> list[Recipe]:
    """The demo's recipes that have no finished run on their mini corpus in this database."""
    variants = recipes()
    hashes = {task: corpora.load(task, None).sha256 for task in {recipe.mini_task for recipe in variants}}
    return [
        recipe for recipe in variants if not finished(store, recipe.digest(), hashes[recipe.mini_task], recipe.seed)
    ]
