"""The number format in which a test split is answered is the recipe's, on the board and when it is evaluated again."""

from pathlib import Path

import pytest
import torch

from db.runs import detail
from db.storage.store import Store
from engine.base import device
from engine.families.classification import family
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer import evaluation
from engine.training import run
from engine.training.job import Job
from engine.workflows import evaluate as jobs
from tests.factories.recipes import content, write_reviews


@pytest.fixture(autouse=True)
def _halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "halves", lambda precision: precision == "bfloat16")


def _recipe(name: str, scoring: str) -> Recipe:
    return loader.validate(content(name, epochs=2, scoring=scoring), name)


def test_half_precision_is_used_where_the_recipe_says_so(board: Store, tmp_path: Path) -> None:
    """The same training scored in both formats gives nearly, and not exactly, the same loss."""
    folder = str(write_reviews(tmp_path / "reviews"))
    losses = []
    for scoring in ("float32", "bfloat16"):
        run_id = run.train(Job(_recipe(scoring, scoring), folder, board))
        losses.append(float(detail.run_detail(board, run_id).metrics.set_index("name").loc["log_loss", "value"]))
    assert losses[0] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)


def test_evaluating_again_uses_the_same_format(
    board: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`featherboard evaluate` reproduces the stored score, in the format of the run."""
    folder = str(write_reviews(tmp_path / "reviews"))
    run_id = run.train(Job(_recipe("half", "bfloat16"), folder, board))
    used: list[str] = []
    monkeypatch.setattr(
        family, "scoring", lambda recipe: used.append(recipe.train.scoring) or evaluation.scoring(recipe)
    )
    jobs.evaluate(board, run_id, folder, 1, keep=False)
    assert used == ["bfloat16"]
    assert "The stored accuracy is reproduced." in capsys.readouterr().err


def test_timings_stay_in_single_precision(board: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is timed is what a user runs: no context is open around it."""
    seen: list[bool] = []
    timing = family.timing
    monkeypatch.setattr(
        family, "timing", lambda prepared: seen.append(torch.is_autocast_enabled("cpu")) or timing(prepared, calls=5)
    )
    run.train(Job(_recipe("half", "bfloat16"), str(write_reviews(tmp_path / "reviews")), board))
    assert seen == [False]
