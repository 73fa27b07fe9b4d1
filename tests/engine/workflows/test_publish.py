"""A run's checkpoint made ready to give away."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from db.storage.store import Store
from engine.base.errors import CheckpointError, ModelError
from engine.checkpoints import checkpoint
from engine.data import corpora
from engine.families.classification import classifiers
from engine.recipes.schema import NgramConfig
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import publish
from tests import paths
from tests.factories.recipes import kind_recipe, toy_recipe, write_reviews

SHIPPED = paths.REPO / "engine" / "pretrained"


@pytest.fixture
def run_id(board: Store, folder: str) -> str:
    """A finished run on the toy task."""
    return pipeline.train(Job(toy_recipe(epochs=2), folder, board))


def test_half_precision_halves_the_weights_and_hardly_moves_a_probability(
    board: Store, run_id: str, folder: str, tmp_path: Path
) -> None:
    """What is written loads by itself and answers as the run did."""
    for half in (False, True):
        publish.publish(board, run_id, tmp_path / str(half), folder, half=half)
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("False", "True")]
    assert sizes[1] < 0.6 * sizes[0]
    texts = corpora.load("reviews-ko-mini", folder).test.texts
    whole, halved = (softmax(classifiers.load(tmp_path / name).logits(texts), axis=-1) for name in ("False", "True"))
    assert np.allclose(whole, halved, atol=2e-3)


def test_the_card_tells_the_figures_of_what_was_written(board: Store, run_id: str, folder: str, tmp_path: Path) -> None:
    """Data, licence, seed, command and metrics, scored on the written weights."""
    facts = publish.publish(board, run_id, tmp_path / "out", folder, half=True)["about"]
    corpus = corpora.load("reviews-ko-mini", folder)
    answers = classifiers.load(tmp_path / "out").logits(corpus.test.texts).argmax(-1)
    assert facts["metrics"]["accuracy"]["value"] == np.mean(answers == corpus.test.labels)
    assert facts["run"] == run_id
    assert facts["data"]["sha256"] == corpus.sha256
    assert json.loads((tmp_path / "out" / "card.json").read_text("utf-8"))["about"] == facts
    readme = (tmp_path / "out" / "README.md").read_text("utf-8")
    for part in (facts["command"], facts["data"]["licence"], "95% interval"):
        assert part in readme


def test_nothing_is_overwritten(board: Store, run_id: str, folder: str, tmp_path: Path) -> None:
    """A folder that exists stays as it is."""
    (tmp_path / "out").mkdir()
    with pytest.raises(CheckpointError, match="exists already"):
        publish.publish(board, run_id, tmp_path / "out", folder, half=True)
    assert list((tmp_path / "out").iterdir()) == []


def test_other_data_are_refused(board: Store, run_id: str, tmp_path: Path) -> None:
    """Figures on another test set would not be the run's; nothing is left behind."""
    other = str(write_reviews(tmp_path / "other", test=12))
    with pytest.raises(CheckpointError, match="not those of run"):
        publish.publish(board, run_id, tmp_path / "out", other, half=True)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".publish-*"))


def test_only_networks_are_published(board: Store, folder: str, tmp_path: Path) -> None:
    """A model that lives on a long list of n-grams is told apart."""
    recipe = kind_recipe("char-ngrams", "counts", min_texts=1)
    assert isinstance(recipe.model, NgramConfig)
    run = pipeline.train(Job(recipe, folder, board))
    with pytest.raises(ModelError, match="only the network"):
        publish.publish(board, run, tmp_path / "out", folder, half=True)


def test_a_card_names_every_data_set_that_its_model_learned_from() -> None:
    """With the licence of each, and the checkpoint that it went on from."""
    card = json.loads((SHIPPED / "e5-nli" / "card.json").read_text("utf-8"))
    text = publish._card(checkpoint.read_card(SHIPPED / "e5-nli").recipe, card)
    assert text == (SHIPPED / "e5-nli" / "README.md").read_text("utf-8")
    assert "It also learned from: klue-nli (licence CC-BY-SA-4.0)." in text
    assert f"it goes on from {card['recipe']['model']['after']}." in text


def _cards() -> list[Any]:
    """Of the classifiers; the adapter of question answering has tests of its own."""
    return sorted(SHIPPED.glob("distilkobilstm-*/card.json")) if SHIPPED.is_dir() else []


@pytest.mark.parametrize("card", _cards(), ids=lambda card: card.parent.name)
def test_a_shipped_checkpoint_is_whole_and_small(card: Path) -> None:
    """It loads, has the documents' parameter count, and tells a licence, a seed and an accuracy with its interval."""
    model = classifiers.load(card.parent)
    about = json.loads(card.read_text("utf-8"))["about"]
    assert model.params == about["params"]
    assert about["data"]["licence"] == "CC0-1.0"
    figure = about["metrics"]["accuracy"]
    assert figure["low"] < figure["value"] < figure["high"]
    assert figure["n"] == 50_000


def test_the_shipped_students_are_small() -> None:
    """Eight, all together: a package that a Raspberry Pi downloads."""
    assert _cards(), "no checkpoint is shipped"
    assert sum(file.stat().st_size for card in _cards() for file in card.parent.iterdir()) <= 3_100_000
