"""Losses of plain training and of distillation."""

import torch
from torch.nn import functional


def distillation_loss(
    student: torch.Tensor, teacher: torch.Tensor, labels: torch.Tensor, *, loss_rate: float, temperature: float
) -> torch.Tensor:
    """``loss_rate * CE + (1 - loss_rate) * T^2 * KL(teacher || student)``, both softened by ``T`` (Hinton et al. 2015).

    The factor ``T^2`` keeps the gradient of the soft part at the size of the hard part when ``T`` changes.

    Args:
        student: Logits, shape (batch, labels).
        teacher: Logits, shape (batch, labels); no gradient flows into them.
        labels: True classes, shape (batch,).
        loss_rate: Weight of the true labels, 0 to 1.
        temperature: ``T``, above 0.
    """
    hard = functional.cross_entropy(student, labels)
    soft = functional.kl_div(
        functional.log_softmax(student / temperature, dim=-1),
        functional.log_softmax(teacher.detach() / temperature, dim=-1),
        reduction="batchmean",
        log_target=True,
    )
    return loss_rate * hard + (1.0 - loss_rate) * temperature**2 * soft
