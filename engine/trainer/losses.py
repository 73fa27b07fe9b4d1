"""Losses of plain training and of distillation."""

from typing import Literal

import torch
from torch.nn import functional

from engine.data.corpora import UNLABELLED


def distillation_loss(
    student: torch.Tensor,
    teacher: torch.Tensor,
    labels: torch.Tensor,
    *,
    loss_rate: float,
    temperature: float = 1.0,
    kind: Literal["kl", "mse"] = "kl",
) -> torch.Tensor:
    """``loss_rate * CE + (1 - loss_rate) * soft``, averaged over the batch; an example without label counts ``soft``.

    ``soft`` is ``T^2 * KL(teacher || student)`` with both distributions softened by ``T`` (Hinton et al. 2015); the
    factor ``T^2`` keeps its gradient at the size of the hard part when ``T`` changes. Or it is the mean squared error
    of the logits (Tang et al. 2019), which takes no temperature.

    Args:
        student: Logits, shape (batch, labels).
        teacher: Logits, shape (batch, labels); no gradient flows into them.
        labels: True classes, shape (batch,); ``UNLABELLED`` where there is none.
        loss_rate: Weight of the true labels, 0 to 1.
        temperature: ``T``, above 0.
        kind: Which ``soft``.
    """
    if kind == "mse":
        soft = functional.mse_loss(student, teacher.detach(), reduction="none").mean(dim=-1)
    else:
        soft = temperature**2 * functional.kl_div(
            functional.log_softmax(student / temperature, dim=-1),
            functional.log_softmax(teacher.detach() / temperature, dim=-1),
            reduction="none",
            log_target=True,
        ).sum(dim=-1)
    hard = functional.cross_entropy(student, labels, ignore_index=UNLABELLED, reduction="none")
    mixed = loss_rate * hard + (1.0 - loss_rate) * soft
    return torch.where(labels == UNLABELLED, soft, mixed).mean()
