"""Jobs and runs of the toy recipe, for the tests of this folder."""

from typing import Any

from db.base.paths import checkpoint_folder
from db.storage.store import Store
from engine.families.classification import classifiers
from engine.recipes.loader import Recipe
from engine.training.job import Job
from tests.factories.recipes import toy_recipe


def toy_job(board: Store, folder: str | None, recipe: Recipe | None = None, **more: Any) -> Job:
    """A job that trains two epochs of the toy recipe, or of another."""
    return Job(recipe or toy_recipe(epochs=2), folder, board, **more)


def weights_of(board: Store, run_id: str) -> str:
    """Digest of the weights that a run left."""
    return classifiers.load(checkpoint_folder(board.path, run_id)).sha256


def only_run(board: Store, name: str = "toy") -> str:
    """The id of the only run of a model."""
    rows = board.query("SELECT run_id FROM runs WHERE model_id = ?", [name])
    assert len(rows) == 1
    return str(rows["run_id"].iloc[0])
