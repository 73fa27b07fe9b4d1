"""Pretraining of a BiLSTM as a language model: reading before learning."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.base.errors import CheckpointError
from engine.data.tokenizer import encode, train_tokenizer
from engine.families.classification import lstm_pretraining
from engine.networks import architectures
from engine.networks.bilstm import BiLSTMClassifier
from engine.recipes.schema import PretrainConfig
from tests.factories.recipes import toy_recipe, toy_set

SETTINGS = PretrainConfig(epochs=6, batch_size=16, lr=1e-2, negatives=64, max_length=20, precision="float32")


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, ...]]:
    return toy_set(400).texts


@pytest.fixture(scope="module")
def first(texts: list[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory) -> tuple[BiLSTMClassifier, Path]:
    """A model that has read them, and the cache."""
    model, cache = _fresh(), tmp_path_factory.mktemp("first")
    _warm(model, texts, cache)
    return model, cache


@pytest.fixture
def cache(first: tuple[BiLSTMClassifier, Path], tmp_path: Path) -> Path:
    """A copy of that cache."""
    return Path(shutil.copytree(first[1], tmp_path / "cache"))


def _fresh(seed: int = 0) -> BiLSTMClassifier:
    torch.manual_seed(seed)
    model = architectures.build(architectures.own(toy_recipe()))
    assert isinstance(model, BiLSTMClassifier)
    return model


def _warm(model: BiLSTMClassifier, texts: list[tuple[str, ...]], cache: Path, settings: PretrainConfig = SETTINGS):
    recipe = toy_recipe()
    tokenizer = train_tokenizer(texts, recipe.model.vocab_size, recipe.tokenizer)
    return lstm_pretraining.warm(model, architectures.own(recipe), tokenizer, texts, settings, cache)


def test_reading_lowers_the_loss(texts):
    """A text of a few words over and over can be predicted: the loss falls to well under where it began."""
    recipe = toy_recipe()
    tokenizer = train_tokenizer(texts, recipe.model.vocab_size, recipe.tokenizer)
    pretrained = lstm_pretraining.pretrain(_fresh(), encode(tokenizer, texts, 20).sequences, SETTINGS)
    assert len(pretrained.losses) == 6
    assert pretrained.losses[-1] < 0.7 * pretrained.losses[0]
    assert pretrained.seconds > 0


def test_both_directions_and_the_embedding_are_trained_and_the_head_is_not(first):
    """What reads is what later learns; the linear layer has nothing to read."""
    before, after = _fresh().state_dict(), first[0].state_dict()
    for name in ("embedding.weight", "lstm.weight_hh_l0", "lstm.weight_hh_l0_reverse"):
        assert not torch.equal(before[name], after[name]), name
    assert torch.equal(before["classifier.weight"], after["classifier.weight"])


def test_the_result_is_kept_and_shared(texts, first, cache):
    """A second model of another seed gets the same weights without reading again."""
    second = _fresh(1)
    (file,) = (cache / "language_model").iterdir()
    written = file.stat().st_mtime_ns
    assert _warm(second, texts, cache) == _warm(_fresh(0), texts, cache)
    assert file.stat().st_mtime_ns == written
    assert torch.equal(first[0].lstm.weight_ih_l0, second.lstm.weight_ih_l0)
    assert not torch.equal(first[0].classifier.weight, second.classifier.weight)


def test_the_same_reading_gives_the_same_weights(texts, first, tmp_path):
    """Two caches, one result: a run does not depend on whether, or with which seed, somebody read before."""
    second = _fresh(1)
    _warm(second, texts, tmp_path)
    assert torch.equal(first[0].lstm.weight_hh_l0, second.lstm.weight_hh_l0)
    assert torch.equal(first[0].embedding.weight, second.embedding.weight)


@pytest.mark.parametrize("change", [{"epochs": 2}, {"lr": 2e-2}, {"seed": 1}])
def test_another_setting_is_another_reading(texts, cache, change):
    """Nothing is taken from the cache that was made in another way."""
    _warm(_fresh(), texts, cache, SETTINGS.model_copy(update=change))
    assert len(list((cache / "language_model").iterdir())) == 2


def test_other_texts_are_another_reading(texts, cache):
    """One more review is read."""
    _warm(_fresh(), [*texts, ("새로운 영화",)], cache)
    assert len(list((cache / "language_model").iterdir())) == 2


def test_a_damaged_result_is_told(texts, cache):
    """One line that names the file and what to do; the model is not half loaded."""
    (file,) = (cache / "language_model").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    again, before = _fresh(), _fresh().state_dict()
    with pytest.raises(CheckpointError, match="Delete it; it is computed again") as caught:
        _warm(again, texts, cache)
    assert str(file) in str(caught.value)
    assert all(torch.equal(before[name], tensor) for name, tensor in again.state_dict().items())


def test_texts_of_one_token_and_of_none_are_no_obstacle(tmp_path):
    """An empty review has one unknown token and two ends; it is read like any other."""
    texts = [("",), ("가",)] * 40
    result = _warm(_fresh(), texts, tmp_path)
    assert np.isfinite(result.losses).all()
