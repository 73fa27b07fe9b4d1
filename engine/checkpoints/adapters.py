"""Adapters on encoders: low-rank ones (Hu et al. 2021), or the linear layers themselves, stored in 8 bits.

The library peft puts low-rank ones in for a training. A model that only answers needs no library for them: what they
learned is added to the weights beside which they stood. Whole layers learn more of a larger training set; embeddings,
the larger part of a small multilingual encoder, stay where they are in either case.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping

import torch
from torch import nn

from engine.base.errors import RecipeError
from engine.recipes.schema import AdapterConfig

CLASSIFIER = ("classifier", "pre_classifier", "pooler", "score")
"""What transformers' models call the layers that make a class of an encoder's output; they learn whole."""


_A, _B = "lora_A.default.weight", "lora_B.default.weight"
"""What the library calls the two matrices."""

_SCALE = "weight_scale"
"""Beside the 8-bit weight of a layer that learned whole: the step of each row, in single precision."""


def require_targets(inner: nn.Module, settings: AdapterConfig, heads: Collection[str]) -> None:
    """Refuse names of layers that the encoder does not have; the library would pass over some of several.

    Args:
        inner: A model of the transformers library.
        settings: The recipe's adapter section.
        heads: Names of the layers that learn whole.

    Raises:
        RecipeError: Tells which there are.
    """
    layers = [
        name for name, layer in inner.named_modules() if isinstance(layer, nn.Linear) and not _inside(name, heads)
    ]
    unknown = [target for target in settings.targets if not any(f".{name}".endswith(f".{target}") for name in layers)]
    if unknown:
        raise RecipeError(
            f"adapter.targets: the encoder has no linear layer {', '.join(map(repr, unknown))}; it has "
            f"{', '.join(sorted({name.rpartition('.')[2] for name in layers}))}."
        )
    if not any(_target_layers(inner, settings, heads)):
        raise RecipeError(
            f"adapter.first_layer = {settings.first_layer}: the encoder has no layer to learn from there."
        )


def inject(inner: nn.Module, settings: AdapterConfig, heads: Collection[str]) -> None:
    """Put adapters beside the linear layers that the settings name, and freeze everything but them and the heads.

    Raises:
        RecipeError: See ``require_targets``.
    """
    require_targets(inner, settings, heads)
    if settings.whole:
        layers = whole_layers(inner, settings, heads)
        for name, parameter in inner.named_parameters():
            parameter.requires_grad = name in layers or _inside(name, heads)
        return
    from peft import LoraConfig, inject_adapter_in_model  # noqa: PLC0415 - a second to import, for trainings alone

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=[name for name, _ in _target_layers(inner, settings, heads)],
    )
    inject_adapter_in_model(config, inner)
    for name, parameter in inner.named_parameters():
        parameter.requires_grad = _learns(name, heads)


def learned(
    weights: Mapping[str, torch.Tensor], model: nn.Module, settings: AdapterConfig, heads: Collection[str]
) -> dict[str, torch.Tensor]:
    """What an adapter's checkpoint holds: its own matrices, or whole layers in 8 bits, and the heads.

    Args:
        weights: Of the trained model.
        model: The trained model, for the names of its layers.
        settings: The recipe's adapter section.
        heads: Names of the layers that learn whole.
    """
    made = {name: tensor for name, tensor in weights.items() if _learns(name, heads)}
    for name, _ in _target_layers(model, settings, heads) if settings.whole else ():
        # Symmetric, one scale a row, as int8 inference has it.
        scale = weights[f"{name}.weight"].float().abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
        made[f"{name}.weight"] = (weights[f"{name}.weight"].float() / scale).round().to(torch.int8)
        made[f"{name}.{_SCALE}"] = scale
        made[f"{name}.bias"] = weights[f"{name}.bias"]
    return made


def single_precision(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors of ``learned`` with the 8-bit weights of whole layers multiplied by their scales."""
    return {
        name: tensor * weights[scale] if (scale := f"{name.removesuffix('.weight')}.{_SCALE}") in weights else tensor
        for name, tensor in weights.items()
        if not name.endswith(_SCALE)
    }


def merge(model: nn.Module) -> None:
    """Add the adapters to the weights beside which they stand; the model is a plain one again, and as fast."""
    from peft.tuners.lora import LoraLayer  # noqa: PLC0415 - see above

    for name, layer in list(model.named_modules()):
        if isinstance(layer, LoraLayer):
            layer.merge()
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, layer.get_base_layer())


def stored(model: nn.Module, settings: AdapterConfig, heads: Collection[str]) -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor that the checkpoint of an adapter on a model holds.

    Args:
        model: Without adapters.
        settings: The recipe's adapter section.
        heads: Names of the layers that learn whole.
    """
    shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items() if _inside(name, heads)}
    for name, layer in _target_layers(model, settings, heads):
        if settings.whole:
            shapes[f"{name}.weight"] = (layer.out_features, layer.in_features)
            shapes[f"{name}.{_SCALE}"] = (layer.out_features, 1)
            shapes[f"{name}.bias"] = (layer.out_features,)
            continue
        shapes[f"{name}.{_A}"] = (settings.rank, layer.in_features)
        shapes[f"{name}.{_B}"] = (layer.out_features, settings.rank)
    return shapes


@torch.no_grad()
def add(model: nn.Module, weights: Mapping[str, torch.Tensor], settings: AdapterConfig, heads: Collection[str]) -> None:
    """Add what an adapter learned to a model without one, as ``inject``, loading and ``merge`` would: W + s B A.

    Whole layers take the place of the model's own.

    Args:
        model: The model that it was made for.
        weights: Those of ``stored``.
        settings: The recipe's adapter section; s is its alpha over its rank.
        heads: Names of the layers that learn whole.
    """
    weights = single_precision(weights)
    for name, layer in _target_layers(model, settings, heads):
        if settings.whole:
            layer.weight.copy_(weights[f"{name}.weight"])
            layer.bias.copy_(weights[f"{name}.bias"])
            continue
        layer.weight += weights[f"{name}.{_B}"] @ weights[f"{name}.{_A}"] * (settings.alpha / settings.rank)
    model.load_state_dict({name: tensor for name, tensor in weights.items() if _inside(name, heads)}, strict=False)


def _target_layers(
    model: nn.Module, settings: AdapterConfig, heads: Collection[str]
) -> Iterator[tuple[str, nn.Linear]]:
    for name, layer in model.named_modules():
        matches = any(f".{name}".endswith(f".{target}") for target in settings.targets)
        number = next((int(part) for part in name.split(".") if part.isdigit()), settings.first_layer)
        if isinstance(layer, nn.Linear) and matches and number >= settings.first_layer and not _inside(name, heads):
            yield name, layer


def fingerprint(weights: Mapping[str, torch.Tensor], heads: Collection[str], layers: Collection[str] = ()) -> str:
    """SHA-256 over names and values of an encoder's tensors, heads and adapters left out.

    Args:
        weights: Of the model, with or without adapters.
        heads: Names of the layers that learn whole.
        layers: See ``whole_layers``; left out as well.
    """
    digest = hashlib.sha256()
    for name in sorted(weights):
        if name not in layers and not _learns(name, heads):
            digest.update(name.replace("base_layer.", "").encode())
            digest.update(weights[name].detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def fingerprint_of(model: nn.Module, settings: AdapterConfig, heads: Collection[str]) -> str:
    """The fingerprint of what stays as it is under an adapter."""
    return fingerprint(model.state_dict(), heads, whole_layers(model, settings, heads))


def whole_layers(model: nn.Module, settings: AdapterConfig, heads: Collection[str]) -> set[str]:
    """Names of the tensors of the encoder that learn themselves; none with low-rank adapters."""
    layers = _target_layers(model, settings, heads) if settings.whole else ()
    return {f"{name}.{kind}" for name, _ in layers for kind in ("weight", "bias")}


def _inside(name: str, heads: Collection[str]) -> bool:
    return any(part in heads for part in name.split("."))


def _learns(name: str, heads: Collection[str]) -> bool:
    return "lora_" in name or _inside(name, heads)
