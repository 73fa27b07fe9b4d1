"""Questions that a training uses, and what is refused before it begins."""

import json
from pathlib import Path
from typing import Any

import pytest

from db.storage.store import Store
from engine.base.errors import DataError, FeatherboardError, ModelError, RecipeError
from engine.families.span_qa import family, questions
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories import recipes
from tests.factories.command_line import one_line
from tests.factories.span_qa import as_squad, content, span_recipe, toy_questions

SMALL = {"rank": 2, "alpha": 4}


def test_some_questions_are_drawn_alike_for_every_seed(folder: str, source: Path) -> None:
    """qa.questions draws the same ones whatever the run's seed, fewer among them; more than there are is refused."""
    train = questions.load("qa-en-mini", folder).train

    def selected(count: int | None, seed: int = 0) -> list[str]:
        recipe = span_recipe(source, qa={"questions": count}, seed=seed)
        return [question.id for question in family.training_questions(train, recipe).questions]

    assert selected(10) == selected(10, 5)
    assert set(selected(5)) < set(selected(10)) < set(selected(None)) == {question.id for question in train.questions}
    assert selected(10) != [question.id for question in train.questions[:10]]
    few, every = (span_recipe(source, qa={"questions": count}) for count in (2000, None))
    assert [family.trained_on(recipe, "squad") for recipe in (few, every)] == ["squad (2,000 drawn)", "squad"]
    with pytest.raises(RecipeError, match=r"qa\.questions = 31: the training split has 30 to choose from"):
        selected(31)


def test_guessed_places_are_left_out_unless_they_are_wanted(folder: str, source: Path) -> None:
    """A guess teaches wrong ends; where all are guesses that is told."""
    train = questions.load("qa-en-mini", folder).train
    some = [
        questions.Question(question.id, question.question, question.context, question.answers, guessed=index % 3 == 0)
        for index, question in enumerate(train.questions)
    ]
    exact, every = (span_recipe(source, qa={"exact_offsets": wish}) for wish in (True, False))
    selected = family.training_questions(questions.make_set(some), exact).questions
    assert len(selected) == 20
    assert not any(question.guessed for question in selected)
    assert len(family.training_questions(questions.make_set(some), every)) == 30
    with pytest.raises(RecipeError, match="the places of all 10 answers of the training split are guesses"):
        family.training_questions(questions.make_set([question for question in some if question.guessed]), exact)


def _refused(job: Job, error: type[FeatherboardError], *message: str) -> None:
    """One line, and nothing on the board."""
    text = one_line(lambda: pipeline.train(job), error)
    for part in message:
        assert part in text
    assert job.store.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def _recipe(source: Path, **sections: Any) -> Recipe:
    return loader.validate(content(source, **sections), "toy")


def test_what_could_only_fail_is_refused_first(board: Store, folder: str, source: Path, tmp_path: Path) -> None:
    """Tasks of the other kind, sections of the other kind, and data that cannot be split."""
    classifies = {**recipes.content("other"), "task": "squad", "mini_task": "qa-en-mini"}
    _refused(Job(loader.validate(classifies, "x"), folder, board), FeatherboardError, "squad")
    _refused(Job(loader.validate(classifies, "x"), None, board), FeatherboardError, "qa-en-mini")
    _refused(
        Job(_recipe(source, task="reviews-ko-mini"), folder, board),
        DataError,
        "The task 'reviews-ko-mini' has no questions over texts; these have: squad, korquad",
    )
    for sections in ({"pretrain": {}}, {"data": {"add": ["steam"]}}):
        _refused(Job(_recipe(source, **sections), folder, board), RecipeError, "are for classifiers")
    _refused(
        Job(_recipe(source, adapter=SMALL, model={"init": "random"}), folder, board),
        RecipeError,
        "adapter: it is kept without its encoder",
    )
    _refused(Job(_recipe("distilled:x", adapter=SMALL), folder, board), RecipeError, "which is on this machine alone")
    reviews = recipes.write_reviews(tmp_path / "reviews")
    adapted = loader.validate({**recipes.content("other"), "adapter": SMALL}, "x")
    _refused(Job(adapted, str(reviews), board), RecipeError, "adapter: it is for model.kind = 'span'")
    _refused(Job(_recipe(source, adapter={**SMALL, "targets": ["nope"]}), folder, board), RecipeError, "'nope'")
    _refused(Job(_recipe(source, qa={"max_length": 65}), folder, board), RecipeError, "has only 64 positions")
    _refused(Job(_recipe(tmp_path / "none"), folder, board), ModelError, "there is no folder of that name")
    _refused(Job(_recipe(source, qa={"questions": 31}), folder, board), RecipeError, "qa.questions = 31")
    (Path(folder) / "train.json").write_text(json.dumps(as_squad(toy_questions(2, prefix="train"))))
    _refused(Job(_recipe(source), folder, board), DataError, "about 1 text(s)")
