"""Low-rank adapters (Hu et al. 2021) on a span model: the library peft puts them in, and merges them again."""

from collections.abc import Mapping

import torch
from peft import LoraConfig, inject_adapter_in_model
from peft.tuners.lora import LoraLayer
from torch import nn

from engine.config import AdapterConfig
from engine.errors import RecipeError
from engine.qa.model import SpanModel

HEAD = "qa_outputs"
"""The span head of transformers' models; it learns whole."""


def inject(model: SpanModel, settings: AdapterConfig) -> None:
    """Put adapters beside the linear layers that the settings name, and freeze everything but them and the head.

    Raises:
        RecipeError: The encoder has no layers of these names.
    """
    config = LoraConfig(
        r=settings.rank, lora_alpha=settings.alpha, lora_dropout=settings.dropout,
        target_modules=list(settings.targets), exclude_modules=[HEAD],
    )  # fmt: skip
    try:
        inject_adapter_in_model(config, model.inner)
    except ValueError as error:
        layers = sorted({name.rpartition(".")[2] for name, layer in model.named_modules()
                         if isinstance(layer, nn.Linear) and HEAD not in name})  # fmt: skip
        raise RecipeError(
            f"adapter.targets = {list(settings.targets)}: the encoder has other linear layers: {', '.join(layers)}."
        ) from error
    for name, parameter in model.named_parameters():
        parameter.requires_grad = "lora_" in name or HEAD in name


def learned(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What an adapter's checkpoint holds: its own matrices and the head."""
    return {name: tensor for name, tensor in weights.items() if "lora_" in name or HEAD in name}


def merge(model: SpanModel) -> None:
    """Add the adapters to the weights beside which they stand; the model is a plain one again, and as fast."""
    for name, layer in list(model.named_modules()):
        if isinstance(layer, LoraLayer):
            layer.merge()
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, layer.get_base_layer())
