"""Fine-tuned transformers: pairs of texts, random weights, dropout, positions, and heads over both texts."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from engine.base.errors import ModelError, RecipeError
from engine.checkpoints import adapters, checkpoint
from engine.data.tokenizer import encode
from engine.families.classification import classifiers
from engine.networks import quantization, sources, transformer_classifier
from engine.networks.neural_classifier import NeuralClassifier
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import PretrainedConfig
from tests.factories.command_line import one_line
from tests.factories.masked_lm import content, tiny_bert, tiny_config, tiny_tokenizer

SEP = 3
PAIR = ("the red cat sits", "a dog runs near the house")


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A tiny BERT without head, with two segments."""
    return tiny_bert(tmp_path / "bert", head=False)


def _start(source: Path | str, *, pairs: bool = True, max_length: int = 30, **model: Any) -> Any:
    config = PretrainedConfig(source=str(source), num_labels=3, **model)
    return transformer_classifier.start(config, str(source), max_length, pairs=pairs).eval()


def _distilbert(folder: Path) -> Path:
    """A tiny classifier without segments."""
    config = DistilBertConfig(vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=20)
    DistilBertForSequenceClassification(config).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def _roberta(folder: Path, **changes: Any) -> Path:
    """A tiny classifier that keeps two of its 22 positions for itself."""
    sizes = {"vocab_size": 40, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = RobertaConfig(**sizes, intermediate_size=8, max_position_embeddings=22, **changes)
    RobertaForSequenceClassification(config).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def _recipe(source: str, more: dict[str, Any] | None = None, **sections: Any) -> Recipe:
    """A classifier of pairs."""
    tasks = {"task": "mnli", "mini_task": "nli-en-mini", "text": None, **sections}
    pretrained = {"kind": "pretrained", "source": source, "num_labels": 3, **(more or {})}
    return loader.validate({**content("nli", source="x"), **tasks, "model": pretrained}, "nli")


@torch.no_grad()
def test_the_second_text_is_the_second_segment(bert: Path) -> None:
    """A pair has the logits that transformers gives with its tokenizer's segments; padding changes nothing."""
    model = _start(bert)
    theirs = BertForSequenceClassification(model.inner.config).eval()
    theirs.load_state_dict(model.inner.state_dict())
    expected = theirs(**tiny_tokenizer()(*PAIR, return_tensors="pt", return_token_type_ids=True)).logits
    ids = torch.from_numpy(
        encode(transformer_classifier.tokenizer(str(bert), 30), [PAIR], 30).sequences[0].astype("int64")
    )
    assert torch.allclose(model(ids[None], torch.tensor([len(ids)])), expected, atol=1e-6)
    padded = torch.nn.functional.pad(ids, (0, 5))[None]
    assert torch.allclose(model(padded, torch.tensor([len(ids)])), expected, atol=1e-5)
    model.separator = None
    assert not torch.allclose(model(ids[None], torch.tensor([len(ids)])), expected, atol=1e-3)


def test_segments_are_counted_from_the_first_separator() -> None:
    """The separator itself closes the first text; later ones change nothing."""
    ids = torch.tensor([[2, 5, 3, 6, 7, 3, 0], [2, 5, 6, 7, 8, 9, 3]])
    assert transformer_classifier.token_types(ids, SEP).tolist() == [[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]]


def test_single_texts_have_one_segment(bert: Path) -> None:
    """For a task of single texts nothing changes, and the card says nothing of segments."""
    model = _start(bert, pairs=False)
    assert model.separator is None
    assert "separator" not in model.facts


def test_models_without_segments_get_none(tmp_path: Path) -> None:
    """DistilBERT has no segments and RoBERTa one: both read pairs as they always did."""
    for source in (_distilbert(tmp_path / "d"), _roberta(tmp_path / "r", type_vocab_size=1)):
        model = _start(source, max_length=10)
        assert model.separator is None
        assert model(torch.tensor([[2, 5, 3, 6, 3]]), torch.tensor([5])).shape == (1, 3)


@torch.no_grad()
def test_a_checkpoint_of_pairs_comes_back(bert: Path, tmp_path: Path) -> None:
    """The separator is on the card: a pair has the same logits after the source is gone."""
    recipe = _recipe("x")
    model, tokenizer = _start(bert), transformer_classifier.tokenizer(str(bert), 20)
    before = NeuralClassifier(recipe, "", model, tokenizer).logits([PAIR, ("a", "b")])
    checkpoint.save_network(tmp_path / "saved", recipe, model, model.state_dict(), tokenizer)
    shutil.rmtree(bert)
    loaded = classifiers.load(tmp_path / "saved")
    assert loaded.model.separator == SEP
    assert np.allclose(loaded.logits([PAIR, ("a", "b")]), before, atol=1e-6)


def test_random_weights_in_the_same_architecture(bert: Path) -> None:
    """The shapes of the source, the weights of the seed."""
    taken, states = _start(bert).state_dict(), []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        states.append(_start(bert, init="random").state_dict())
    assert {name: tensor.shape for name, tensor in states[0].items()} == {name: t.shape for name, t in taken.items()}
    word = "inner.bert.embeddings.word_embeddings.weight"
    assert torch.equal(states[0][word], states[1][word])
    assert not torch.equal(states[0][word], states[2][word])
    assert not torch.allclose(states[0][word], taken[word], atol=0.05)


def test_random_weights_need_no_file_of_weights(bert: Path) -> None:
    """Configuration and tokenizer are enough where the weights are random."""
    (bert / "model.safetensors").unlink()
    assert _start(bert, init="random").inner.config.hidden_size == 12
    assert "no usable classifier" in one_line(lambda: _start(bert), ModelError)


def test_dropout_is_the_recipes(bert: Path) -> None:
    """Without dropout a training step sees what scoring sees; without the key the source's own holds."""
    model = _start(bert, dropout=0.0).train()
    ids, lengths = torch.tensor([[2, 5, 3]]), torch.tensor([3])
    assert model.inner.config.hidden_dropout_prob == model.inner.config.attention_probs_dropout_prob == 0.0
    assert torch.equal(model.inner.bert(ids).last_hidden_state, model.inner.bert(ids).last_hidden_state)
    assert _start(bert).inner.config.hidden_dropout_prob == tiny_config().hidden_dropout_prob
    assert model(ids, lengths).shape == (1, 3)


def test_more_tokens_than_positions_are_refused(bert: Path, tmp_path: Path) -> None:
    """The message names the key and the largest value; a RoBERTa keeps two of its positions for itself."""
    assert _start(bert, max_length=40)
    message = one_line(lambda: _start(bert, max_length=41), RecipeError)
    assert "tokenizer.max_length = 41" in message
    assert "--set tokenizer.max_length=40" in message
    folder = _roberta(tmp_path / "r", pad_token_id=1)
    assert _start(folder, max_length=20)(torch.full((1, 20), 5), torch.tensor([20])).shape == (1, 3)
    assert "--set tokenizer.max_length=20" in one_line(lambda: _start(folder, max_length=21), RecipeError)


def test_the_packaged_encoder_is_found_or_its_package_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the packaged encoder is a folder where the package is installed; without it the extra is named."""
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    assert "engine,offline" in one_line(lambda: sources.locate(sources.MINILM), ModelError)
    assert sources.locate("some/hub-id") == "some/hub-id"


def _pair_head(bert: Path, **model: Any) -> Any:
    torch.manual_seed(0)
    return _start(bert, head="pair", **model)


@torch.no_grad()
def test_a_pair_head_sees_the_means_of_both_texts(bert: Path) -> None:
    """Its features are the means, their difference and their product; padding changes nothing."""
    model = _pair_head(bert)
    assert model.inner.pooler is None
    ids, lengths = torch.tensor([[2, 5, 6, 3, 9, 3]]), torch.tensor([6])
    states = model.inner(input_ids=ids, token_type_ids=torch.tensor([[0, 0, 0, 0, 1, 1]])).last_hidden_state[0]
    u, v = states[:4].mean(dim=0), states[4:].mean(dim=0)
    expected = model.classifier(torch.cat([u, v, (u - v).abs(), u * v]))
    assert torch.allclose(model(ids, lengths)[0], expected, atol=1e-6)
    padded = torch.nn.functional.pad(ids, (0, 3))
    assert torch.allclose(model(padded, lengths)[0], expected, atol=1e-5)


@torch.no_grad()
def test_a_pair_head_reads_a_single_text_too(bert: Path) -> None:
    """What is hidden counts as nothing, in a batch beside whole pairs as well."""
    model = _pair_head(bert)
    alone = model(torch.tensor([[2, 5, 6, 3]]), torch.tensor([4]))
    assert torch.isfinite(alone).all()
    padded = model(torch.tensor([[2, 5, 6, 3, 0, 0], [2, 5, 6, 3, 9, 3]]), torch.tensor([4, 6]))
    assert torch.allclose(padded[:1], alone, atol=1e-5)
    assert not torch.allclose(padded[1:], alone, atol=1e-3)


@torch.no_grad()
def test_a_pair_head_answers_in_other_number_formats(bert: Path) -> None:
    """It says about the same; its means are taken in float32 all the same."""
    ids, lengths = torch.tensor([[2, 5, 6, 3, 9, 3]]), torch.tensor([6])
    expected = _pair_head(bert)(ids, lengths)
    assert torch.allclose(quantization.apply(_pair_head(bert), "bfloat16")(ids, lengths).float(), expected, atol=0.02)
    assert torch.allclose(quantization.apply(_pair_head(bert), "int8")(ids, lengths), expected, atol=0.02)


def test_parameters_are_those_of_the_model_in_any_number_format(bert: Path) -> None:
    """Weights in int8 are no parameters for torch, and yet what was learned."""
    classifier = NeuralClassifier(_recipe(str(bert)), "0" * 64, _pair_head(bert), tiny_tokenizer())
    count = classifier.params
    quantization.apply(classifier.model, "int8")
    assert classifier.params == count > 0


@torch.no_grad()
def test_a_pair_head_works_without_segments(tmp_path: Path) -> None:
    """DistilBERT has none: the tokenizer's separator says where the second text begins."""
    model = _start(_distilbert(tmp_path / "d"), max_length=10, head="pair")
    assert model.separator == SEP
    assert model(torch.tensor([[2, 5, 3, 6, 3]]), torch.tensor([5])).shape == (1, 3)


@torch.no_grad()
@pytest.mark.parametrize("adapted", [False, True])
def test_a_checkpoint_with_a_pair_head_comes_back(bert: Path, tmp_path: Path, adapted: bool) -> None:
    """Whole, or as an adapter with its head over the encoder where it lies."""
    sections = {"adapter": {"rank": 2, "alpha": 4}} if adapted else {}
    recipe = _recipe(str(bert), {"head": "pair"}, **sections)
    model, tokenizer = _pair_head(bert), transformer_classifier.tokenizer(str(bert), 20)
    if recipe.adapter:
        adapters.inject(model.inner, recipe.adapter, adapters.CLASSIFIER)
    before = NeuralClassifier(recipe, "", model, tokenizer).logits([PAIR, ("a", "b")])
    checkpoint.save_network(tmp_path / "saved", recipe, model, model.state_dict(), tokenizer)
    loaded = classifiers.load(tmp_path / "saved")
    assert np.allclose(loaded.logits([PAIR, ("a", "b")]), before, atol=1e-6)
