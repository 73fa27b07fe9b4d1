"""What of a text a model reads: full stops at ends, a hidden premise; the same in training, scoring and use."""

import json
from pathlib import Path

import numpy as np
import pytest

from db.base.paths import checkpoint_folder
from db.storage.store import Store
from engine.base.errors import RecipeError
from engine.data import corpora, extra_training_data, text_transforms
from engine.families.classification import classifiers
from engine.recipes import loader
from engine.recipes.schema import DataConfig
from engine.training import run
from engine.training.job import Job
from tests.engine.pairs import pair_recipe
from tests.factories.recipes import content, kind_recipe

TASK = "nli-en-mini"


def _folder(folder: Path, stops: bool, count: int = 30) -> str:
    """Pairs in which each premise stands with its full stop and without it."""
    words = ("cat", "dog", "bird", "tree", "house", "river")
    for name, shift in (("train", 0), ("test", 3)):
        rows = [
            {
                "id": f"{name}-{i}",
                "premise": f"The {words[(i // 2 + shift) % 6]} sits {i // 2}{'.' if stops or i % 2 else ''}",
                "hypothesis": f"A {words[i % 6]} runs.",
                "label": i % 3,
            }
            for i in range(count)
        ]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It rains.", "It rains"),
        ("It rains", "It rains"),
        ("Wait ...", "Wait"),
        ("Dr. No?", "Dr. No?"),
        ("It rains. \n", "It rains"),
        ("...", "..."),
        ("", ""),
    ],
)
def test_full_stops_at_the_end_are_left_out(text: str, read: str) -> None:
    """Those alone: other marks and stops inside stay, and a text of nothing else keeps something."""
    settings = DataConfig(strip_stops=True)
    once = text_transforms.as_read([(text, text)], settings)
    assert once == [(read, read)]
    assert text_transforms.as_read(once, settings) == once
    assert text_transforms.as_read([(text,)], DataConfig()) == [(text,)]


def test_a_hidden_premise_leaves_the_hypothesis() -> None:
    """One text of the pair, with or without its full stop."""
    assert text_transforms.as_read([("a.", "b.")], DataConfig(hide="premise")) == [("b.",)]
    assert text_transforms.as_read([("a.", "b.")], DataConfig(hide="premise", strip_stops=True)) == [("b",)]


def test_premises_that_differ_in_their_stop_are_one(tmp_path: Path) -> None:
    """The held-out part shares no premise with the rest, whether its full stop was lost or not."""
    folder = _folder(tmp_path / "mixed", stops=False)
    corpus = extra_training_data.load_corpus(pair_recipe(epochs=2, strip_stops=True), TASK, folder)
    training, held = corpora.split_validation(corpus.train, 0.2, 0)
    firsts = [text[0] for text in corpus.train.texts]
    assert {firsts[i] for i in training}.isdisjoint(firsts[i] for i in held)
    assert corpus.sha256 != corpora.load(TASK, folder).sha256
    assert corpus.test.ids == corpora.load(TASK, folder).test.ids


def test_the_stop_changes_no_answer(board: Store, tmp_path: Path) -> None:
    """A model that is not shown them answers the same with and without; one that is may not."""
    run_id = run.train(Job(pair_recipe(epochs=2, strip_stops=True), _folder(tmp_path / "a", stops=False), board))
    loaded = classifiers.load(checkpoint_folder(board.path, run_id))
    assert loaded.recipe.data.strip_stops
    assert np.array_equal(loaded.logits([("The cat sits.", "It runs.")]), loaded.logits([("The cat sits", "It runs")]))
    assert "." not in loaded.tokenizer.get_vocab()


def test_the_premise_changes_no_answer_where_it_is_hidden(board: Store, tmp_path: Path) -> None:
    """The same logits for any premise; the twin that reads it has others."""
    folder = _folder(tmp_path / "a", stops=True)
    places = [
        checkpoint_folder(board.path, run.train(Job(recipe, folder, board)))
        for recipe in (pair_recipe(epochs=2, hide="premise"), pair_recipe(epochs=2).model_copy(update={"name": "twin"}))
    ]
    blind, twin = (classifiers.load(folder) for folder in places)
    pairs = [("The cat sits.", "A dog runs."), ("A river.", "A dog runs.")]
    assert np.array_equal(blind.logits(pairs[:1]), blind.logits(pairs[1:]))
    assert not np.allclose(twin.logits(pairs[:1]), twin.logits(pairs[1:]))
    hashes = board.query("SELECT count(DISTINCT dataset_hash) AS n FROM runs WHERE source = 'measured'")["n"].iloc[0]
    assert hashes == 1, "the twins learn from the same data, so they can be compared"


def test_only_a_network_on_pairs_can_be_blind(board: Store, tmp_path: Path) -> None:
    """Told in one line, before anything is trained."""
    single = loader.validate({**content("s"), "data": {"hide": "premise"}}, "s")
    grams = kind_recipe("char-ngrams").model_copy(
        update={
            "task": TASK,
            "mini_task": TASK,
            "data": DataConfig(hide="premise"),
            "model": kind_recipe("char-ngrams", num_labels=3).model,
        }
    )
    for recipe, message in ((single, "the task has no pairs"), (grams, "it is for networks")):
        with pytest.raises(RecipeError, match=message):
            run.train(Job(recipe, None, board))
