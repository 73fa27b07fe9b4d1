"""Learning to mark answers: cross-entropy of the first and the last token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from engine.data.batching import batches
from engine.families.span_qa.model import batch
from engine.families.span_qa.windows import Window
from engine.recipes.schema import DistillConfig
from engine.trainer.evaluation import Scored
from engine.trainer.objective import Forward, StepLoss, Term, distillation_loss

BATCH = 32
_NEVER = -1e4


@dataclass(frozen=True)
class Marked:
    """Windows and where the answer begins and ends in each, shape (windows, 2)."""

    windows: Sequence[Window]
    places: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each window."""
        return np.fromiter((len(window.ids) for window in self.windows), dtype=np.int64, count=len(self.windows))


@dataclass(frozen=True)
class Spans:
    """The mean of two cross-entropies over the tokens of a window, start and end (Devlin et al. 2019).

    With a teacher that was fine-tuned on the same questions, the mean of two losses of distillation, as DistilBERT (D)
    learned (Sanh et al. 2019, section 3).

    Attributes:
        train: What is learned.
        validation: What chooses the epoch.
        distill: How a teacher's logits and the answers are weighed.
        teacher: Its logits on each training window, shape (tokens, 2).
    """

    train: Marked
    validation: Marked
    distill: DistillConfig | None = None
    teacher: Sequence[NDArray[np.float16]] | None = None

    @property
    def lengths(self) -> NDArray[np.int64]:
        """See ``engine.trainer.objective.Objective``."""
        return self.train.lengths

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device, epoch: int = 0) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        ids, types, lengths = batch(self.train.windows, index)
        logits = forward(ids.to(where), types.to(where), lengths).float()
        places, true_lengths = torch.from_numpy(self.train.places[index]).to(where), lengths.to(where)
        wish = self.distill
        if wish is None or self.teacher is None:
            return StepLoss([Term(span_loss(logits, places, true_lengths), len(index))])
        soft = torch.zeros_like(logits)
        for row, position in enumerate(index):
            soft[row, : lengths[row]] = torch.from_numpy(self.teacher[position].astype(np.float32)).to(where)
        loss = distillation_loss(
            ends(logits, true_lengths),
            ends(soft, true_lengths),
            places.flatten(),
            loss_rate=wish.loss_rate,
            temperature=wish.temperature,
            kind=wish.loss,
        )
        return StepLoss([Term(loss, len(index))])

    @torch.inference_mode()
    def score(self, model: nn.Module) -> Scored:
        """Share of windows with both ends right, and the loss; what chooses the epoch."""
        model.eval()
        where = next(model.parameters()).device
        right, total = 0, 0.0
        for index in batches(self.validation.lengths, BATCH):
            ids, types, lengths = batch(self.validation.windows, index)
            logits = model(ids.to(where), types.to(where), lengths).float()
            places = torch.from_numpy(self.validation.places[index]).to(where)
            masked = masked_logits(logits, lengths.to(where))
            right += int((masked.argmax(dim=1) == places).all(dim=1).sum())
            total += float(span_loss(logits, places, lengths.to(where))) * len(index)
        size = len(self.validation.windows)
        return Scored(right / size, total / size)


def masked_logits(logits: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Logits with those of padding so low that no softmax sees them, at any temperature; shape (batch, tokens, 2)."""
    outside = torch.arange(logits.shape[1], device=logits.device) >= lengths[:, None]
    return logits.masked_fill(outside[:, :, None], _NEVER)


def span_loss(logits: torch.Tensor, places: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The mean of the cross-entropies of start and end.

    Args:
        logits: Shape (batch, tokens, 2).
        places: First and last token of the answer, shape (batch, 2).
        lengths: True lengths, shape (batch,).
    """
    return functional.cross_entropy(ends(logits, lengths), places.flatten())


def ends(logits: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Both ends of each window as examples of one classification over its tokens, shape (2 * batch, tokens)."""
    return masked_logits(logits, lengths).transpose(1, 2).flatten(0, 1)
