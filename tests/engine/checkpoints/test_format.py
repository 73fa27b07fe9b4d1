"""Checkpoints: what was saved comes back, and what is damaged, foreign or a pickle is refused in one line."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.base.errors import CheckpointError
from engine.checkpoints import checkpoint
from engine.data.tokenizer import encode, train_tokenizer
from engine.families.classification import classifiers
from engine.networks import architectures
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.neural_classifier import NeuralClassifier, prepare
from tests.engine.damage import Trap, refusal, reseal
from tests.factories.recipes import toy_recipe, toy_set


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with a whole checkpoint of the toy recipe."""
    recipe = toy_recipe()
    torch.manual_seed(1)
    tokenizer = train_tokenizer(toy_set(40).texts, recipe.model.vocab_size, recipe.tokenizer)
    model = architectures.build(recipe.model)
    checkpoint.save_network(tmp_path / "checkpoint", recipe, model, model.state_dict(), tokenizer)
    return tmp_path / "checkpoint"


def _network(folder: Path) -> NeuralClassifier:
    loaded = classifiers.load(folder)
    assert isinstance(loaded, NeuralClassifier)
    return loaded


def test_a_checkpoint_comes_back_with_the_same_logits(tmp_path: Path) -> None:
    """Weights, recipe and tokenizer survive the round trip: the logits are bit for bit the same."""
    recipe = toy_recipe()
    torch.manual_seed(1)
    model = architectures.build(recipe.model)
    tokenizer = train_tokenizer(toy_set(40).texts, recipe.model.vocab_size, recipe.tokenizer)
    before = prepare(model, encode(tokenizer, toy_set(40).texts, 20)).logits()
    checkpoint.save_network(tmp_path, recipe, model, model.state_dict(), tokenizer)
    loaded = _network(tmp_path)
    assert loaded.recipe == recipe
    assert not loaded.model.training
    assert np.array_equal(loaded.logits(toy_set(40).texts), before)


def test_artifacts_tell_size_and_hash(saved: Path, tmp_path: Path) -> None:
    """Saving returns each file with its bytes and SHA-256, and the sizes add up to the folder's."""
    model = _network(saved)
    artifacts = checkpoint.save_network(
        tmp_path / "again", model.recipe, model.model, model.model.state_dict(), model.tokenizer
    )
    assert {a.kind for a in artifacts} == {"weights", "tokenizer", "card"}
    for artifact in artifacts:
        file = tmp_path / "again" / artifact.path
        assert (artifact.bytes, artifact.sha256) == (file.stat().st_size, checkpoint.sha256(file))
    assert sum(artifact.bytes for artifact in artifacts) == checkpoint.folder_bytes(tmp_path / "again")
    assert model.sha256 == next(artifact.sha256 for artifact in artifacts if artifact.kind == "weights")


def test_a_folder_without_a_card_is_no_checkpoint(saved: Path, tmp_path: Path) -> None:
    """A folder whose card is missing, or that is not there, is told as such."""
    (saved / checkpoint.CARD).unlink()
    assert "there is no card.json" in refusal(saved)
    assert "there is no card.json" in refusal(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.pkl"])
def test_a_pickle_is_never_read(tmp_path: Path, name: str) -> None:
    """A folder with pickled weights is refused by the file's name, without opening it."""
    torch.save(Trap(tmp_path / "executed"), tmp_path / name)
    message = refusal(tmp_path)
    assert name in message
    assert "safetensors" in message
    assert not (tmp_path / "executed").exists()


def test_weights_that_do_not_fit_the_card_are_named(saved: Path) -> None:
    """A weight of another shape than the recipe's is named with both shapes."""
    weights = load_file(saved / checkpoint.WEIGHTS)
    weights["embedding.weight"] = torch.zeros(120, 9)
    save_file(weights, saved / checkpoint.WEIGHTS)
    reseal(saved)
    message = refusal(saved)
    assert "embedding.weight has shape (120, 9), the recipe says (120, 8)" in message


@pytest.mark.parametrize("change", ["more", "less"])
def test_missing_and_surplus_weights_are_named(saved: Path, change: str) -> None:
    """A weight that the model lacks, or that the file lacks, is refused by name."""
    weights = load_file(saved / checkpoint.WEIGHTS)
    if change == "more":
        weights["pooler.weight"] = torch.zeros(2)
    else:
        del weights["classifier.bias"]
    save_file(weights, saved / checkpoint.WEIGHTS)
    reseal(saved)
    assert ("pooler.weight" if change == "more" else "classifier.bias") in refusal(saved)


def test_other_weights_of_the_same_shape_are_noticed(saved: Path) -> None:
    """Weights that are not those the card was written for are refused: a listed score belongs to these bytes."""
    weights = load_file(saved / checkpoint.WEIGHTS)
    weights["classifier.bias"] = weights["classifier.bias"] + 1
    save_file(weights, saved / checkpoint.WEIGHTS)
    assert "damaged or not the one" in refusal(saved)


@pytest.mark.parametrize("keep", [0, 5, 200, -1])
def test_a_truncated_weights_file_is_told(saved: Path, keep: int) -> None:
    """Weights that were cut off anywhere are refused."""
    whole = (saved / checkpoint.WEIGHTS).read_bytes()
    (saved / checkpoint.WEIGHTS).write_bytes(whole[:keep])
    assert "cannot be read" in refusal(saved)


@pytest.mark.parametrize("name", [checkpoint.WEIGHTS, checkpoint.TOKENIZER])
def test_a_missing_file_is_told(saved: Path, name: str) -> None:
    """A checkpoint that lacks its weights or its tokenizer is refused."""
    (saved / name).unlink()
    assert "cannot be read" in refusal(saved)


@pytest.mark.parametrize("card", ["{", "{}", "[]", '{"recipe": 5}'])
def test_a_damaged_card_is_told(saved: Path, card: str) -> None:
    """A card that is not JSON, or not a card, is refused."""
    (saved / checkpoint.CARD).write_text(card)
    refusal(saved)


def test_a_card_with_an_impossible_recipe_is_told(saved: Path) -> None:
    """A card whose recipe has a wrong value names the key."""
    card = json.loads((saved / checkpoint.CARD).read_text())
    card["recipe"]["model"]["hidden_dim"] = -4
    (saved / checkpoint.CARD).write_text(json.dumps(card))
    assert "model.hidden_dim" in refusal(saved)


def test_a_damaged_tokenizer_is_told(saved: Path) -> None:
    """A tokenizer file that is none is refused."""
    (saved / checkpoint.TOKENIZER).write_text('{"version": "1.0"}')
    assert "tokenizer" in refusal(saved)


def test_a_resume_state_comes_back_exactly(tmp_path: Path) -> None:
    """Tensors and facts of a resume state survive the round trip, floats to the last bit."""
    tensors = {"a": torch.rand(3), "rng": torch.get_rng_state(), "step": torch.tensor(7.0)}
    facts = {"best": 0.1 + 0.2, "loss": float("inf"), "none": None, "list": [1e-3]}
    checkpoint.save_state(tmp_path / "deep" / "s.safetensors", tensors, facts)
    loaded, saved = checkpoint.load_state(tmp_path / "deep" / "s.safetensors")
    assert saved == facts
    assert all(torch.equal(loaded[name], tensor) for name, tensor in tensors.items())
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["s.safetensors"]


def test_a_resume_state_is_replaced_only_when_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half-way leaves the state that was there."""
    file = tmp_path / "s.safetensors"
    checkpoint.save_state(file, {"a": torch.ones(1)}, {})

    def half(_: object, path: Path, **__: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(checkpoint, "save_file", half)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save_state(file, {"a": torch.zeros(1)}, {})
    assert checkpoint.load_state(file)[0]["a"].item() == 1


def test_a_missing_or_damaged_resume_state_is_told(tmp_path: Path) -> None:
    """Without a readable state the error names the file."""
    (tmp_path / "s.safetensors").write_bytes(b"\x00" * 20)
    for name in ("s.safetensors", "none.safetensors"):
        with pytest.raises(CheckpointError, match="no resume state"):
            checkpoint.load_state(tmp_path / name)


def test_a_loaded_model_is_of_our_own_class(saved: Path) -> None:
    """What is built comes from the recipe's known kinds, never from a class that a file names."""
    assert type(_network(saved).model) is BiLSTMClassifier
