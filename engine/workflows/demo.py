"""The demo: which variants a first board shows, and which are missing. No torch: a second look takes no time."""

from db.runs import writer
from db.storage.store import Store
from engine.data import corpora
from engine.recipes import loader
from engine.recipes.loader import Recipe

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
    return [loader.load(name, mini=True) for name in VARIANTS]


def missing(store: Store) -> list[Recipe]:
    """The demo's recipes that have no finished run on their mini corpus in this database."""
    wanted = recipes()
    hashes = {task: corpora.load(task, None).sha256 for task in {one.mini_task for one in wanted}}
    return [one for one in wanted if not writer.finished(store, one.digest(), hashes[one.mini_task], one.seed)]
