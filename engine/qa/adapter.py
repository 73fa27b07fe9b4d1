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


def require_targets(model: SpanModel, settings: AdapterConfig) -> None:
    """Refuse names of layers that the encoder does not have; the library would pass over some of several.

    Raises:
        RecipeError: Tells which there are.
    """
    layers = [name for name, layer in model.inner.named_modules() if isinstance(layer, nn.Linear) and HEAD not in name]
    unknown = [target for target in settings.targets if not any(f".{name}".endswith(f".{target}") for name in layers)]
    if unknown:
        raise RecipeError(
            f"adapter.targets: the encoder has no linear layer {', '.join(map(repr, unknown))}; it has "
            f"{', '.join(sorted({name.rpartition('.')[2] for name in layers}))}."
        )


def inject(model: SpanModel, settings: AdapterConfig) -> None:
    """Put adapters beside the linear layers that the settings name, and freeze everything but them and the head.

    Raises:
        RecipeError: The encoder has no layers of one of these names.
    """
    require_targets(model, settings)
    config = LoraConfig(
        r=settings.rank, lora_alpha=settings.alpha, lora_dropout=settings.dropout,
        target_modules=list(settings.targets), exclude_modules=[HEAD],
    )  # fmt: skip
    inject_adapter_in_model(config, model.inner)
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
