"""Learning a task after another one (Phang et al. 2018): a network that starts where a checkpoint left it.

A BiLSTM goes on from a checkpoint's weights and vocabulary, an encoder from its adapters or the layers that learned
whole. An encoder of sentences has never looked from one text into another. Answering questions teaches it that, and
what it learns helps wherever two texts are held against each other.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn

from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import adapters, checkpoint
from engine.checkpoints.card import read_tokenizer
from engine.checkpoints.shipped import shipped_folder
from engine.recipes.schema import AdapterConfig, BiLSTMConfig, PretrainedConfig


def start(inner: Any, config: PretrainedConfig, settings: AdapterConfig | None) -> None:
    """Put what another checkpoint learned into an encoder: its low-rank matrices, or whole layers.

    With ``settings`` of the same form they go on learning, and are what the checkpoint of this run will hold; so it
    needs the encoder alone, as every adapter does. Without, they are added to the weights, all of which learn. Of whole
    layers the head goes on as well, if it has as many classes.

    Args:
        inner: A model of the transformers library, without adapters.
        config: The recipe's model section, with ``after``.
        settings: The recipe's adapter section.

    Raises:
        CheckpointError: The checkpoint is not there, is damaged, or holds no adapters.
        RecipeError: It was made for another encoder, or its adapters have another form than the recipe's.
    """
    folder, card, weights = _read(str(config.after))
    theirs = card.recipe.adapter
    source = getattr(card.recipe.model, "source", None)
    if theirs is None:
        raise CheckpointError(f"{folder}: model.after needs a checkpoint with adapters; this one has none.")
    if source != config.source:
        raise RecipeError(f"model.after = '{config.after}': its adapters belong to {source}, not to {config.source}.")
    if settings is not None and _form(settings) != _form(theirs):
        form = "whole = true" if theirs.whole else f"rank = {theirs.rank}, alpha = {theirs.alpha:g}"
        raise RecipeError(
            f"adapter: to go on with the adapters of {config.after}, take theirs: {form}, targets = "
            f"{list(theirs.targets)}."
        )
    adapters.inject(inner, settings or theirs, adapters.CLASSIFIER)
    if theirs.whole:
        _copy_whole(inner, adapters.single_precision(weights), folder)
    else:
        _copy(inner, weights, folder)
    if settings is None:
        adapters.merge(inner)
        inner.requires_grad_(True)


def start_bilstm(network: nn.Module, config: BiLSTMConfig) -> None:
    """Give a BiLSTM the weights of another checkpoint; a linear layer for another number of classes stays as it is.

    Args:
        network: Of the recipe's sizes.
        config: The recipe's model section, with ``after``.

    Raises:
        CheckpointError: The checkpoint is not there, is damaged, or is no BiLSTM.
        RecipeError: It has other sizes.
    """
    folder, card, weights = _read(str(config.after))
    theirs = card.recipe.model
    if not isinstance(theirs, BiLSTMConfig):
        raise CheckpointError(f"{folder}: model.after needs the checkpoint of a BiLSTM; this one is a {theirs.kind}.")
    sizes = ("vocab_size", "embedding_dim", "hidden_dim")
    if any(getattr(theirs, name) != getattr(config, name) for name in sizes):
        named = ", ".join(f"model.{name} = {getattr(theirs, name)}" for name in sizes)
        raise RecipeError(f"model.after = '{config.after}': to go on with its weights, take its sizes: {named}.")
    own = network.state_dict()
    fitting = {name: tensor for name, tensor in weights.items() if own[name].shape == tensor.shape}
    network.load_state_dict(fitting, strict=False)


def tokenizer(config: BiLSTMConfig) -> Tokenizer:
    """The tokenizer of the checkpoint that a BiLSTM goes on from.

    Raises:
        CheckpointError: The checkpoint is not there or is damaged.
    """
    return read_tokenizer(_read(str(config.after))[0])


def _form(settings: AdapterConfig) -> tuple[object, ...]:
    return settings.whole, settings.rank, settings.alpha, settings.targets


def _read(named: str) -> tuple[Path, checkpoint.Card, Mapping[str, torch.Tensor]]:
    folder = shipped_folder(named) or Path(named).expanduser()
    if not folder.is_dir():
        raise CheckpointError(f"model.after = '{named}': there is no shipped checkpoint and no folder of that name.")
    card = checkpoint.read_card(folder)
    return folder, card, checkpoint.read_weights(folder, card)


def _copy(inner: nn.Module, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Matrices by the place of their layer in the encoder; a model with a head has one more word before it."""
    matrices = {_layer_name(name): tensor for name, tensor in weights.items() if "lora_" in name}
    own = {_layer_name(name): parameter for name, parameter in inner.named_parameters() if "lora_" in name}
    if matrices.keys() != own.keys():
        raise CheckpointError(f"{folder}: its adapters stand at other layers than those of the encoder.")
    with torch.no_grad():
        for layer_name, parameter in own.items():
            parameter.copy_(matrices[layer_name])


@torch.no_grad()
def _copy_whole(inner: nn.Module, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Layers by their place in the encoder, and the parts of a head that fit by their names."""
    theirs = {_layer_name(name): tensor for name, tensor in weights.items()}
    own = {_layer_name(name): parameter for name, parameter in inner.named_parameters()}
    fitting = {name for name in own.keys() & theirs.keys() if own[name].shape == theirs[name].shape}
    if not {name for name in theirs if name.startswith("layer.")} <= fitting:
        raise CheckpointError(f"{folder}: its layers are not those of the encoder.")
    for name in fitting:
        own[name].copy_(theirs[name])


def _layer_name(name: str) -> str:
    """The name from the layer's number on, ``layer.3.output.dense.weight``; outside the layers its last two words."""
    _, layer, rest = name.partition("layer.")
    return layer + rest if layer else ".".join(name.split(".")[-2:])
