"""Low-rank adapters on a span model; see ``engine.checkpoints.adapters``."""

from collections.abc import Mapping

import torch

from engine.checkpoints import adapters
from engine.checkpoints.adapters import merge
from engine.families.span_qa.model import SpanModel
from engine.recipes.schema import AdapterConfig

__all__ = ["HEAD", "add", "inject", "learned", "merge", "require_targets", "stored"]

HEAD = "qa_outputs"
"""The span head of transformers' models; it learns whole."""


def require_targets(model: SpanModel, settings: AdapterConfig) -> None:
    """Refuse names of layers that the encoder does not have.

    Raises:
        RecipeError: Tells which there are.
    """
    adapters.require_targets(model.inner, settings, (HEAD,))


def inject(model: SpanModel, settings: AdapterConfig) -> None:
    """Put adapters beside the linear layers that the settings name, and freeze everything but them and the head.

    Raises:
        RecipeError: The encoder has no layers of one of these names.
    """
    adapters.inject(model.inner, settings, (HEAD,))


def learned(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What an adapter's checkpoint holds: its own matrices and the head."""
    return adapters.learned(weights, (HEAD,))


def stored(model: SpanModel, settings: AdapterConfig) -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor that an adapter's checkpoint holds."""
    return adapters.stored(model, settings, (HEAD,))


def add(model: SpanModel, weights: Mapping[str, torch.Tensor], settings: AdapterConfig) -> None:
    """Add what an adapter learned to a model without one."""
    adapters.add(model, weights, settings, (HEAD,))
