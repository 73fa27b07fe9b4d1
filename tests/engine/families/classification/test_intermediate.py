"""Learning one task after another: an encoder goes on from a checkpoint's adapters, a BiLSTM from its weights."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from db.base.paths import checkpoint_folder
from db.storage.store import Store
from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import adapters, checkpoint
from engine.families.classification import fit, intermediate
from engine.networks import architectures, transformer_classifier
from engine.recipes import loader
from engine.recipes.schema import AdapterConfig, BiLSTMConfig, PretrainedConfig
from engine.training import run
from engine.training.job import Job
from tests.factories.masked_lm import tiny_bert
from tests.factories.recipes import content as toy_content
from tests.factories.recipes import tuned_on_pairs, write_recipe

SMALL = {"rank": 2, "alpha": 4}
IDS = torch.tensor([[2, 5, 6, 3, 7, 8, 3]])


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT without head."""
    return tiny_bert(tmp_path_factory.mktemp("source") / "bert", head=False)


def _recipe(tmp_path: Path, source: Path, model: dict[str, Any], **sections: Any) -> loader.Recipe:
    name = "second" if "after" in model else "first"
    return tuned_on_pairs(tmp_path, source, name=name, model={"dropout": 0.0, **model}, **sections)


def _trained(board: Store, recipe: loader.Recipe) -> Path:
    return checkpoint_folder(board.path, run.train(Job(recipe, None, board)))


@pytest.fixture(scope="module")
def before(shared_board: Store, bert: Path) -> Path:
    """A checkpoint of adapters that have learned something."""
    return _trained(shared_board, _recipe(bert, bert, {}, adapter=SMALL))


def _states(inner: Any) -> torch.Tensor:
    encoder = getattr(inner, inner.base_model_prefix, inner)
    with torch.inference_mode():
        return torch.as_tensor(encoder.eval()(input_ids=IDS).last_hidden_state)


def _started(
    bert: Path, after: Path | str, settings: AdapterConfig | None = None, labels: int = 3, head: Any = "own"
) -> Any:
    """A network on an encoder that goes on from a checkpoint."""
    network = transformer_classifier.from_source(str(bert), labels, dropout=0.0, head=head)
    config = PretrainedConfig(source=str(bert), after=str(after), head=head, num_labels=labels)
    intermediate.start(network.inner, config, settings)
    return network


@pytest.mark.parametrize("head", ["own", "pair"])
@pytest.mark.parametrize("settings", [None, AdapterConfig(**SMALL)])
def test_the_encoder_starts_where_the_other_task_left_it(before: Path, bert: Path, head: Any, settings: Any) -> None:
    """Whether its matrices stay or are added to the weights, its states are those of the checkpoint."""
    network: Any = checkpoint.load_network(before, checkpoint.read_card(before)).model
    plain = _states(transformer_classifier.from_source(str(bert), 3, dropout=0.0, head=head).inner)
    fresh = _started(bert, before, settings, head=head)
    assert torch.allclose(_states(fresh.inner), _states(network.inner), atol=1e-3)
    assert not torch.allclose(_states(fresh.inner), plain, atol=1e-3)
    learning = {name for name, parameter in fresh.named_parameters() if parameter.requires_grad}
    everything = {name for name, _ in fresh.named_parameters()}
    assert (learning == everything) is (settings is None)
    assert any("lora_" in name for name in everything) is (settings is not None)


def test_what_it_learns_needs_the_encoder_alone(board: Store, before: Path, bert: Path, tmp_path: Path) -> None:
    """The checkpoint of the second task holds its own matrices: the first may be gone."""
    first = Path(shutil.copytree(before, tmp_path / "first"))
    second = _trained(board, _recipe(tmp_path, bert, {"after": str(first)}, adapter=SMALL))
    shutil.rmtree(first)
    card = checkpoint.read_card(second)
    loaded: Any = checkpoint.load_network(second, card).model
    assert not any("lora_" in name for name, _ in loaded.named_parameters())
    names = checkpoint.read_weights(second, card)
    assert all("lora_" in name or set(name.split(".")) & set(adapters.CLASSIFIER) for name in names)


def test_a_recipe_without_adapters_learns_all_weights_after_it(before: Path, bert: Path, tmp_path: Path) -> None:
    """The network that training starts from has no matrices left and nothing frozen."""
    recipe = _recipe(tmp_path, bert, {"after": str(before)})
    model = fit.start(recipe)
    fit._adapt(recipe, model)
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert not any("lora_" in name for name, _ in model.named_parameters())


def test_adapters_of_another_form_are_refused(before: Path, bert: Path) -> None:
    """The message gives the settings to take."""
    for settings in (AdapterConfig(rank=3, alpha=4), AdapterConfig(**SMALL, whole=True)):
        with pytest.raises(RecipeError, match=r"take theirs: rank = 2, alpha = 4"):
            _started(bert, before, settings)


@pytest.fixture(scope="module")
def whole_before(shared_board: Store, bert: Path) -> Path:
    """A checkpoint of linear layers that learned whole, with three classes."""
    return _trained(shared_board, _recipe(bert, bert, {}, adapter={"whole": True}))


@pytest.mark.parametrize("settings", [None, AdapterConfig(whole=True)])
def test_layers_that_learned_whole_go_on_with_their_head(whole_before: Path, bert: Path, settings: Any) -> None:
    """The encoder computes what the checkpoint's did, and so does the head; embeddings learn only without adapters."""
    network: Any = checkpoint.load_network(whole_before, checkpoint.read_card(whole_before)).model
    fresh = _started(bert, whole_before, settings)
    with torch.inference_mode():
        logits = [model.inner.eval()(input_ids=IDS).logits for model in (fresh, network)]
    assert torch.allclose(*logits, atol=1e-5)
    assert fresh.get_parameter("inner.bert.encoder.layer.0.output.dense.weight").requires_grad
    embedding = fresh.get_parameter("inner.bert.embeddings.word_embeddings.weight")
    assert embedding.requires_grad is (settings is None)


def test_a_head_for_other_classes_stays_new(whole_before: Path, bert: Path) -> None:
    """Its shape does not fit; the layers of the encoder do."""
    network: Any = checkpoint.load_network(whole_before, checkpoint.read_card(whole_before)).model
    fresh = transformer_classifier.from_source(str(bert), 5, dropout=0.0)
    head = fresh.get_parameter("inner.classifier.weight").detach().clone()
    config = PretrainedConfig(source=str(bert), after=str(whole_before), num_labels=5)
    intermediate.start(fresh.inner, config, AdapterConfig(whole=True))
    assert torch.equal(fresh.get_parameter("inner.classifier.weight"), head)
    assert torch.allclose(_states(fresh.inner), _states(network.inner), atol=1e-5)


def test_whole_layers_do_not_go_on_as_matrices(whole_before: Path, bert: Path) -> None:
    """The message gives the setting to take."""
    with pytest.raises(RecipeError, match="take theirs: whole = true"):
        _started(bert, whole_before, AdapterConfig(**SMALL))


def test_layers_of_a_deeper_encoder_are_refused(whole_before: Path, bert: Path, tmp_path: Path) -> None:
    """They have no place in the encoder."""
    shallow = shutil.copytree(bert, tmp_path / "bert")
    config_file = shallow / "config.json"
    config_file.write_text(re.sub(r'("num_hidden_layers": )\d+', r"\g<1>1", config_file.read_text("utf-8")), "utf-8")
    model = transformer_classifier.from_source(str(shallow), 3)
    config = PretrainedConfig(source=str(bert), after=str(whole_before), num_labels=3)
    with pytest.raises(CheckpointError, match="its layers are not those of the encoder"):
        intermediate.start(model.inner, config, None)


def test_adapters_of_another_encoder_are_refused(before: Path, tmp_path: Path) -> None:
    """They would be added to weights that they do not belong to."""
    other = tiny_bert(tmp_path / "other", head=False)
    with pytest.raises(RecipeError, match="belong to"):
        _started(other, before)


def test_a_checkpoint_without_adapters_is_refused(board: Store, bert: Path, tmp_path: Path) -> None:
    """There is nothing to go on with."""
    whole = _trained(board, _recipe(tmp_path, bert, {}))
    with pytest.raises(CheckpointError, match="needs a checkpoint with adapters"):
        _started(bert, whole)


def _bilstm(board: Store, tmp_path: Path, name: str, **model: Any) -> loader.Recipe:
    content = toy_content(name)
    content["model"] |= model
    return loader.load(write_recipe(tmp_path / f"{name}.toml", content), mini=True)


def test_a_bilstm_goes_on_with_weights_and_vocabulary(board: Store, tmp_path: Path) -> None:
    """It starts as what the checkpoint is, and a linear layer for other classes is its own."""
    first = _trained(board, _bilstm(board, tmp_path, "toy-first"))
    card = checkpoint.read_card(first)
    weights = checkpoint.read_weights(first, card)
    second = _bilstm(board, tmp_path, "toy-second", after=str(first))
    network = fit.start(second)
    fit._adapt(second, network)
    assert all(torch.equal(tensor, weights[name]) for name, tensor in network.state_dict().items())
    assert isinstance(second.model, BiLSTMConfig)
    vocabulary = intermediate.tokenizer(second.model).get_vocab()
    assert vocabulary == checkpoint.load_network(first, card).tokenizer.get_vocab()
    other = second.model.model_copy(update={"num_labels": 3})
    wider = architectures.build(other)
    fresh = wider.state_dict()["classifier.weight"].clone()
    intermediate.start_bilstm(wider, other)
    assert torch.equal(wider.state_dict()["lstm.weight_ih_l0"], weights["lstm.weight_ih_l0"])
    assert torch.equal(wider.state_dict()["classifier.weight"], fresh)
    trained = _trained(board, second)
    assert checkpoint.load_network(trained, checkpoint.read_card(trained)).tokenizer.get_vocab() == vocabulary


def test_a_bilstm_of_other_sizes_is_refused(board: Store) -> None:
    """The message gives the sizes to take; what is no BiLSTM is named."""
    config = BiLSTMConfig(embedding_dim=64, hidden_dim=7, after="distilkobilstm-base")
    with pytest.raises(RecipeError, match=r"embedding_dim = 64, model.hidden_dim = 128"):
        intermediate.start_bilstm(architectures.build(config), config)
    config = config.model_copy(update={"after": "minilm-mnli"})
    with pytest.raises(CheckpointError, match="needs the checkpoint of a BiLSTM; this one is a pretrained"):
        intermediate.start_bilstm(architectures.build(config), config)


def test_a_checkpoint_that_is_not_there_is_named(bert: Path) -> None:
    """Shipped ones and folders were looked for."""
    with pytest.raises(CheckpointError, match="'nowhere': there is no shipped checkpoint and no folder"):
        _started(bert, "nowhere")
