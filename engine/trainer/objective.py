"""What a training minimises: the interface that the loop knows, and the loss of distillation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from engine.data.corpora import UNLABELLED
from engine.trainer.evaluation import Scored

Forward = Callable[..., Any]
"""A model's forward pass in the number format of the training."""


@dataclass(frozen=True)
class Term:
    """A summand of a loss: a mean over ``count`` examples or tokens, times a weight."""

    mean: torch.Tensor
    count: int
    weight: float = 1.0


@dataclass(frozen=True)
class StepLoss:
    """The loss of one batch, the parts of it that get curves of their own, and tokens read if their rate gets one."""

    terms: Sequence[Term]
    parts: dict[str, torch.Tensor] = field(default_factory=dict)
    tokens: int = 0

    @property
    def total(self) -> torch.Tensor:
        """The sum of the weighted terms."""
        return torch.stack([term.weight * term.mean for term in self.terms]).sum()


class Objective(Protocol):
    """One way to teach a model."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each training example."""

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device, epoch: int = 0) -> StepLoss:
        """The loss of a batch, in single precision.

        Args:
            forward: The model.
            index: Positions of the batch's examples.
            where: The processor that computes.
            epoch: Which one it is, from 0.
        """

    def score(self, model: nn.Module) -> Scored:
        """Accuracy and loss on what is held out to choose the epoch."""


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
