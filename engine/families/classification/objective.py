"""Learning from labels: cross-entropy with classes, distillation from a teacher, squared error of numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from engine.data.batching import collate
from engine.data.corpora import UNLABELLED
from engine.data.tokenizer import Encoded
from engine.networks.neural_classifier import prepare
from engine.recipes.schema import DistillConfig
from engine.trainer.evaluation import Scored, score
from engine.trainer.objective import Forward, StepLoss, Term, distillation_loss


@dataclass(frozen=True)
class Examples:
    """Encoded examples, their labels and, for distillation, the teacher's logits (examples, labels).

    Labels are classes, or numbers of a regression. A class may be ``engine.data.corpora.UNLABELLED`` where there are
    logits.
    """

    encoded: Encoded
    labels: NDArray[Any]
    teacher: torch.Tensor | None = None

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Classification:
    """Texts into classes: cross-entropy with the labels, or what ``distill`` makes of them and a teacher's logits."""

    train: Examples
    validation: Examples
    distill: DistillConfig | None = None

    @property
    def lengths(self) -> NDArray[np.int64]:
        """See ``Objective``."""
        return self.train.encoded.lengths

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device, epoch: int = 0) -> StepLoss:
        """See ``Objective``."""
        ids, lengths = collate(self.train.encoded.sequences, index)
        labels = torch.from_numpy(self.train.labels[index]).to(where)
        logits = forward(ids.to(where), lengths).float()
        if labels.is_floating_point():
            return StepLoss([Term(nn.functional.mse_loss(logits.squeeze(-1), labels.float()), len(index))])
        parts = _right(logits.detach(), labels)
        wish = self.distill
        if wish is None or self.train.teacher is None:
            return StepLoss([Term(nn.functional.cross_entropy(logits, labels), len(index))], parts)
        teacher = self.train.teacher[torch.from_numpy(index)].to(where)
        loss = distillation_loss(
            logits, teacher, labels, loss_rate=wish.loss_rate, temperature=wish.temperature, kind=wish.loss
        )
        return StepLoss([Term(loss, len(index))], parts)

    def score(self, model: nn.Module) -> Scored:
        """See ``Objective``."""
        return score(prepare(model, self.validation.encoded), self.validation.labels)


def _right(logits: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
    """The share of a batch that is answered right before it is learned from; nothing of a batch without labels."""
    labelled = labels != UNLABELLED
    return {"train_accuracy": (logits.argmax(dim=1) == labels)[labelled].float().mean()} if bool(labelled.any()) else {}
