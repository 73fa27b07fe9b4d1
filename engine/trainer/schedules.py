"""Learning-rate schedules."""

import math
from typing import Any

import torch

from engine.recipes.schema import TrainConfig

BY_STEP = ("cyclic", "cosine")
"""Schedules that move at every step; the others move at the end of an epoch."""


def build(optimizer: torch.optim.Optimizer, settings: TrainConfig, steps_per_epoch: int) -> Any:
    """The schedule of a recipe's train section.

    ``cosine`` rises on a line over the warm-up and falls on half a cosine to 0 (Loshchilov and Hutter 2017).
    """
    if settings.scheduler == "cyclic":
        # As 000_06aba4b165819136.txt: half an epoch up, half down, no momentum cycle (Adam has none).
        return torch.optim.lr_scheduler.CyclicLR(
            optimizer,
            base_lr=settings.scheduler_base_lr,
            max_lr=settings.lr,
            step_size_up=max(1, steps_per_epoch // 2),
            cycle_momentum=False,
        )
    if settings.scheduler == "cosine":
        steps = settings.epochs * steps_per_epoch
        rise = max(1, round(settings.warmup * steps))

        def factor(step: int) -> float:
            if step < rise:
                return (step + 1) / rise
            return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, steps - rise))))

        return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    gamma = settings.scheduler_gamma if settings.scheduler == "step" else 1.0
    return torch.optim.lr_scheduler.StepLR(optimizer, settings.scheduler_step_size, gamma)
