"""What a training must keep to go on as if it had never stopped."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

Tensors = dict[str, torch.Tensor]

FORMER_NAMES = {"reading": "training_seconds", "told": "point_time"}
"""What fields are called in the resume states of earlier versions."""


@dataclass
class TrainingState:
    """Where a training stands; all of it goes into the resume state.

    Of text that is read: ``tokens`` in ``training_seconds`` until ``point_time``, the second of the last curve point,
    and ``read`` tokens since then.
    """

    epoch: int = 0
    batch: int = 0
    step: int = 0
    best_accuracy: float = -1.0
    best_loss: float = math.inf
    best_epoch: int = 0
    seconds: float = 0.0
    loss_sum: float = 0.0
    loss_steps: int = 0
    parts: dict[str, float] = field(default_factory=dict)
    part_steps: dict[str, int] = field(default_factory=dict)
    tokens: int = 0
    training_seconds: float = 0.0
    read: int = 0
    point_time: float = 0.0
    done: bool = False


def pack(
    weights: Mapping[str, torch.Tensor],
    best: Mapping[str, torch.Tensor],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
) -> tuple[Tensors, dict[str, Any]]:
    """Weights, best weights, moments, schedule and random generators, as tensors by name and as plain facts."""
    tensors = {f"model.{name}": tensor for name, tensor in weights.items()}
    tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{index}.{name}": torch.as_tensor(value) for name, value in moments.items()}
    tensors["rng"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["rng.cuda"] = torch.cuda.get_rng_state()
    groups = [
        {key: value for key, value in group.items() if isinstance(value, int | float) or value is None}
        for group in optimizer.state_dict()["param_groups"]
    ]
    plain = {key: value for key, value in schedule.state_dict().items() if _is_plain(value)}
    return tensors, {"groups": groups, "schedule": plain}


def unpack(
    tensors: Tensors, facts: Mapping[str, Any], optimizer: torch.optim.Optimizer, schedule: Any
) -> tuple[Tensors, Tensors]:
    """Set optimizer, schedule and random generators as they were; return the weights and the best weights."""
    before = optimizer.state_dict()
    moments: dict[int, Tensors] = {}
    for name, tensor in _under(tensors, "adam.").items():
        index, _, key = name.partition(".")
        moments.setdefault(int(index), {})[key] = tensor
    groups = [{**old, **new} for old, new in zip(before["param_groups"], facts["groups"], strict=True)]
    optimizer.load_state_dict({"state": moments, "param_groups": groups})
    schedule.load_state_dict({**schedule.state_dict(), **facts["schedule"]})
    torch.set_rng_state(tensors["rng"])
    if "rng.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["rng.cuda"])
    return _under(tensors, "model."), _under(tensors, "best.")


def _under(tensors: Tensors, prefix: str) -> Tensors:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)
