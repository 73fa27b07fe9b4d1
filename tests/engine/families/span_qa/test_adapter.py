"""Low-rank adapters: what they change, what learns, what a checkpoint holds, and what it is refused over."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from engine.base.errors import CheckpointError, ModelError, RecipeError
from engine.checkpoints import adapters
from engine.checkpoints import checkpoint as files
from engine.families.span_qa import checkpoint
from engine.families.span_qa.checkpoint import HEADS
from engine.families.span_qa.model import SpanModel, batch
from engine.families.span_qa.windows import cut
from engine.recipes.loader import Recipe
from tests.factories.command_line import one_line
from tests.factories.recipes import kind_recipe
from tests.factories.span_qa import (
    make_question,
    settings,
    span_recipe,
    started,
    toy_questions,
    toy_tokenizer,
    write_source,
)

SMALL = {"rank": 3, "alpha": 6}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tiny encoder."""
    return write_source(tmp_path / "encoder")


@torch.inference_mode()
def _logits(model: SpanModel) -> torch.Tensor:
    windows = cut(toy_tokenizer(), toy_questions(6), settings())
    return torch.cat([model(*batch(windows, np.array([i])))[0] for i in range(len(windows))])


def _taught(recipe: Recipe, seed: int = 0) -> SpanModel:
    """With adapters that say something: a few random steps away from the start."""
    model = started(recipe, seed)
    torch.manual_seed(seed + 1)
    for _, parameter in model.named_parameters():
        if parameter.requires_grad:
            parameter.data += 0.1 * torch.randn_like(parameter)
    return model


def _saved(folder: Path, recipe: Recipe, model: SpanModel, half: bool = False) -> Path:
    weights = {name: tensor.half() if half else tensor for name, tensor in model.state_dict().items()}
    files.save_network(folder, recipe, model, weights, toy_tokenizer(), HEADS)
    return folder


def test_a_fresh_adapter_changes_nothing(source: Path) -> None:
    """The model with adapters begins where the one without stands."""
    plain, adapted = started(span_recipe(source)), started(span_recipe(source, adapter=SMALL))
    assert any("lora_A" in name for name in adapted.state_dict())
    assert torch.allclose(_logits(adapted), _logits(plain), atol=1e-6)


def test_only_adapters_and_head_learn(source: Path) -> None:
    """Every linear layer of the encoder has one; no other parameter has a gradient, and all of these have one."""
    model = started(span_recipe(source, adapter=SMALL)).train()
    learning = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert {name for name in learning if "lora_" not in name} == {"inner.qa_outputs.weight", "inner.qa_outputs.bias"}
    assert len([name for name in learning if "lora_A" in name]) == 2 * 6
    assert {model.state_dict()[name].shape[0] for name in learning if "lora_A" in name} == {3}
    windows = cut(toy_tokenizer(), toy_questions(4), settings())
    model(*batch(windows, np.arange(4))).square().sum().backward()
    assert {name for name, parameter in model.named_parameters() if parameter.grad is not None} == learning
    assert not any("qa_outputs" in name and "lora" in name for name in model.state_dict())


def test_merged_and_beside_it_are_the_same(source: Path) -> None:
    """A merged model is a plain one of the encoder's size, with the same logits, which differ from the start."""
    recipe = span_recipe(source, adapter=SMALL)
    model = _taught(recipe)
    before = _logits(model)
    adapters.merge(model)
    assert model.state_dict().keys() == started(span_recipe(source)).state_dict().keys()
    assert torch.allclose(_logits(model), before, atol=1e-5)
    assert not torch.allclose(before, _logits(started(recipe)), atol=1e-2)


def test_alpha_over_rank_scales_what_is_added(source: Path) -> None:
    """Twice the alpha adds twice as much to a weight."""
    changes = []
    for alpha in (6, 12):
        model = _taught(span_recipe(source, adapter={"rank": 3, "alpha": alpha}))
        name = "inner.bert.encoder.layer.1.output.dense"
        before = model.state_dict()[f"{name}.base_layer.weight"].clone()
        adapters.merge(model)
        changes.append(model.state_dict()[f"{name}.weight"] - before)
    assert torch.allclose(changes[1], 2 * changes[0], atol=1e-5)
    assert changes[0].abs().max() > 0.001


def test_layers_that_are_not_there_are_told(source: Path, tmp_path: Path) -> None:
    """None of them, or one beside others that are there: the wrong ones and those that exist are named."""
    for targets in (("nope",), ("query", "nope"), ("ery",)):
        with pytest.raises(RecipeError) as caught:
            started(span_recipe(source, adapter={**SMALL, "targets": targets}))
        assert f"no linear layer {targets[-1]!r}; it has dense, key, query, value." in str(caught.value)
    other = write_source(tmp_path / "distilbert", "distilbert")
    with pytest.raises(RecipeError, match="it has k_lin, lin1, lin2, out_lin, q_lin, v_lin"):
        started(span_recipe(other, adapter=SMALL))
    assert started(span_recipe(other, adapter={**SMALL, "targets": ("q_lin", "v_lin")}))
    model = started(span_recipe(source, adapter={**SMALL, "targets": ("attention.output.dense",)}))
    assert len([name for name in model.state_dict() if "lora_A" in name]) == 2


def test_a_checkpoint_holds_adapter_and_head_alone(source: Path, tmp_path: Path) -> None:
    """It is small, names no folder for its weights, and gives the model's logits again."""
    recipe = span_recipe(source, adapter=SMALL)
    model = _taught(recipe)
    folder = _saved(tmp_path / "saved", recipe, model)
    names = set(load_file(folder / files.WEIGHTS))
    assert names == {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    whole = _saved(tmp_path / "whole", span_recipe(source), started(span_recipe(source)))
    assert (folder / files.WEIGHTS).stat().st_size < (whole / files.WEIGHTS).stat().st_size
    loaded = checkpoint.load(folder)
    assert torch.allclose(_logits(loaded.model), _logits(model), atol=1e-5)
    assert loaded.params == started(span_recipe(source)).inner.num_parameters()
    assert not any("lora_" in name for name in loaded.model.state_dict())
    assert loaded.tokenizer.encode("the dog").ids == toy_tokenizer().encode("the dog").ids


def test_a_whole_checkpoint_needs_no_encoder(source: Path, tmp_path: Path) -> None:
    """Without an adapter everything is in it; its card names its architecture, and the source may be gone."""
    model = _taught(span_recipe(source))
    folder = _saved(tmp_path / "saved", span_recipe(source), model)
    shutil.rmtree(source)
    loaded = checkpoint.load(folder)
    assert torch.allclose(_logits(loaded.model), _logits(model), atol=1e-6)
    assert loaded.recipe == span_recipe(source)


@pytest.mark.parametrize("sections", [{}, {"adapter": SMALL}])
def test_half_precision_is_read_in_single(source: Path, tmp_path: Path, sections: dict[str, object]) -> None:
    """A checkpoint in float16 computes in float32, near the original."""
    recipe = span_recipe(source, **sections)
    model = _taught(recipe)
    folder = _saved(tmp_path / "half", recipe, model, half=True)
    assert {tensor.dtype for tensor in load_file(folder / files.WEIGHTS).values()} == {torch.float16}
    loaded = checkpoint.load(folder)
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}
    assert torch.allclose(_logits(loaded.model), _logits(model), atol=0.03)
    assert not torch.equal(_logits(loaded.model), _logits(model))


def test_layers_that_learn_whole_are_stored_in_8_bits(source: Path, tmp_path: Path) -> None:
    """Nothing but linear layers and the head learns, and embeddings are no part of the checkpoint."""
    recipe = span_recipe(source, adapter={"whole": True})
    start = started(recipe)
    learning = {name for name, parameter in start.named_parameters() if parameter.requires_grad}
    assert not [name for name in learning if "embeddings" in name or "LayerNorm" in name]
    model = _taught(recipe)
    folder = _saved(tmp_path / "whole", recipe, model)
    stored = load_file(folder / files.WEIGHTS)
    assert len([name for name, tensor in stored.items() if tensor.dtype == torch.int8]) == 2 * 6
    assert not [name for name in stored if "embeddings" in name]
    loaded = checkpoint.load(folder).model
    for name, tensor in model.state_dict().items():
        step = stored.get(name.removesuffix(".weight") + ".weight_scale", torch.zeros(1))
        assert ((loaded.state_dict()[name] - tensor).abs() <= step / 2 + 1e-6).all(), name
    write_source(source, seed=1)
    with pytest.raises(CheckpointError, match="was made for another"):
        checkpoint.load(folder)


def test_another_encoder_of_the_same_shape_is_refused(source: Path, tmp_path: Path) -> None:
    """One number that differs is another encoder; the message says so, before anything is answered."""
    recipe = span_recipe(source, adapter=SMALL)
    folder = _saved(tmp_path / "saved", recipe, _taught(recipe))
    assert checkpoint.load(folder)
    write_source(source, seed=1)
    with pytest.raises(CheckpointError, match="was made for another"):
        checkpoint.load(folder)
    shutil.rmtree(source)
    with pytest.raises(ModelError, match="there is no folder of that name"):
        checkpoint.load(folder)


def test_the_fingerprint_is_of_the_encoder(source: Path) -> None:
    """It does not change with adapters, head or order, and does with any weight or name of the encoder."""
    plain = started(span_recipe(source)).state_dict()
    adapted = _taught(span_recipe(source, adapter=SMALL)).state_dict()
    fingerprint = partial(adapters.fingerprint, heads=HEADS)
    base = fingerprint(plain)
    assert base == fingerprint(adapted) == fingerprint(dict(reversed(plain.items())))
    for name in (name for name in plain if "qa_outputs" not in name):
        changed = {**plain, name: plain[name].clone()}
        changed[name].view(-1)[0] += 1e-3
        assert fingerprint(changed) != base
    assert fingerprint({name: tensor for name, tensor in plain.items() if "layer.1" not in name}) != base


def _card(folder: Path, **changes: object) -> None:
    card = json.loads((folder / files.CARD).read_text())
    (folder / files.CARD).write_text(json.dumps({**card, **changes}))


@pytest.mark.parametrize(
    "facts", [{}, None, {"model_type": "nosuch"}, {"model_type": "bert", "hidden_size": 7}, "bert"]
)
def test_a_card_without_a_usable_architecture_is_told(source: Path, tmp_path: Path, facts: object) -> None:
    """One line, whatever stands there."""
    folder = _saved(tmp_path / "saved", span_recipe(source), _taught(span_recipe(source)))
    _card(folder, transformer=facts)
    assert str(folder) in one_line(lambda: checkpoint.load(folder), CheckpointError)


def test_damage_is_told(source: Path, tmp_path: Path) -> None:
    """Weights or tokenizer that are not those of the card, weights of another shape, and a pickle beside no card."""
    expected = span_recipe(source, adapter=SMALL)
    folder = _saved(tmp_path / "saved", expected, _taught(expected))
    for name in (files.WEIGHTS, files.TOKENIZER):
        part = shutil.copytree(folder, tmp_path / f"damaged-{name}")
        whole = bytearray((part / name).read_bytes())
        whole[-5] ^= 1
        (part / name).write_bytes(whole)
        with pytest.raises(CheckpointError, match="damaged or not the one"):
            checkpoint.load(part)
        (part / name).unlink()
        with pytest.raises(CheckpointError, match="cannot be read"):
            checkpoint.load(part)
    other = shutil.copytree(folder, tmp_path / "other")
    recipe = {**json.loads((folder / files.CARD).read_text())["recipe"]}
    _card(other, recipe={**recipe, "adapter": {**recipe["adapter"], "rank": 5}})
    with pytest.raises(CheckpointError, match="the weights do not fit the card"):
        checkpoint.load(other)
    (folder / files.CARD).unlink()
    (folder / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(CheckpointError, match="may hold a pickle, which is never read"):
        checkpoint.load(folder)


def test_a_classifiers_checkpoint_is_refused(tmp_path: Path) -> None:
    """It has no head for answers; the message says what it does."""
    files.save(tmp_path / "saved", kind_recipe("cnn", embedding_dim=4, filters=2), {"x": torch.zeros(1)}, {})
    with pytest.raises(ModelError, match="has no question-answering head; it classifies texts"):
        checkpoint.load(tmp_path / "saved")


def test_the_loaded_model_answers(source: Path, tmp_path: Path) -> None:
    """The tokenizer of the checkpoint cuts the windows; the answer is part of the text."""
    recipe = span_recipe(source, adapter=SMALL)
    loaded = checkpoint.load(_saved(tmp_path / "saved", recipe, _taught(recipe)))
    assert isinstance(loaded.tokenizer, Tokenizer)
    (answer,) = loaded.answer([make_question("The dog is red.")])
    assert answer.best[0].text in "The dog is red."
    assert not loaded.model.training


@pytest.mark.parametrize("half", [False, True])
def test_what_is_added_on_reading_is_what_the_library_merges(source: Path, tmp_path: Path, half: bool) -> None:
    """Bit for bit; reading needs no library for it."""
    recipe = span_recipe(source, adapter=SMALL)
    model = _taught(recipe)
    read = checkpoint.load(_saved(tmp_path / "saved", recipe, model, half=half)).model
    if half:
        model.load_state_dict(
            {
                name: tensor.half().float() if "lora_" in name or "qa_outputs" in name else tensor
                for name, tensor in model.state_dict().items()
            }
        )
    adapters.merge(model)
    assert read.state_dict().keys() == model.state_dict().keys()
    for name, tensor in model.state_dict().items():
        assert torch.equal(read.state_dict()[name], tensor), name
