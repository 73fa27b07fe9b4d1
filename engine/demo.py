"""The demo: which variants a first board shows, and which are missing. No torch: a second look takes no time."""

from db import runs
from db.store import Store
from engine import data, recipe
from engine.recipe import Recipe

VARIANTS = (
    "char-ngrams",
    "kobilstm-large",
    "kobilstm-base",
    "kobilstm-small",
    "kobilstm-mini",
    "kobilstm-tiny",
    "distilkobilstm-base",
    "distilkobilstm-small",
    "distilkobilstm-mini",
    "distilkobilstm-tiny",
    "bilstm-nli",
)
"""A baseline, the teacher, then plain and distilled twins, and one pair classifier."""


def recipes() -> list[Recipe]:
    """The demo's recipes, each for its mini corpus."""
    return [recipe.load(name, mini=True) for name in VARIANTS]


def missing(store: Store) -> list[Recipe]:
    """The demo's recipes that have no finished run on their mini corpus in this database."""
    wanted = recipes()
    hashes = {task: data.load(task, None).sha256 for task in {one.mini_task for one in wanted}}
    return [one for one in wanted if not runs.finished(store, one.digest(), hashes[one.mini_task], one.seed)]
