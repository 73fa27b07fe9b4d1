"""Training on a part of a split: the same examples for every seed, told on the board."""

import pytest

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import RecipeError
from engine.data import extra_training_data
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories.recipes import content


def _recipe(examples: int | None, seed: int = 0) -> Recipe:
    data = {} if examples is None else {"examples": examples}
    return loader.validate({**content("some", epochs=1), "data": data, "seed": seed}, "some")


def _load(folder: str | None, examples: int | None, seed: int = 0) -> extra_training_data.Corpus:
    return extra_training_data.load_corpus(_recipe(examples, seed), "reviews-ko-mini", folder)


def test_a_part_is_drawn_and_the_test_split_stays(folder: str) -> None:
    """Twenty of 48, each once and in the split's order, the same for every seed; another hash."""
    whole, part = _load(folder, None), _load(folder, 20)
    assert len(part.train) == len(set(part.train.ids)) == 20
    places = [whole.train.ids.index(example_id) for example_id in part.train.ids]
    assert places == sorted(places) != list(range(20))
    assert _load(folder, 20, seed=5).train.ids == part.train.ids
    assert part.test.sha256 == whole.test.sha256
    assert len({part.sha256, whole.sha256, _load(folder, 21).sha256}) == 3
    assert _load(folder, 48).sha256 == whole.sha256


def test_a_mini_corpus_is_always_whole() -> None:
    """Without --data nothing is left out."""
    assert len(_load(None, 20).train) == 400


def test_more_than_there_are_is_refused(folder: str) -> None:
    """The message says how many there are."""
    with pytest.raises(RecipeError, match=r"data\.examples = 49: the training split of reviews-ko-mini has 48\."):
        _load(folder, 49)


def test_the_board_says_so(board: Store, folder: str) -> None:
    """A run's data set and note name the part, so it never stands for one on all."""
    run = detail.run_detail(board, pipeline.train(Job(_recipe(20), folder, board))).run
    assert run["dataset"] == "reviews-ko-mini (20 drawn)"
    assert run["notes"] == "Trained on reviews-ko-mini (20 drawn), 20 examples of its training split."
