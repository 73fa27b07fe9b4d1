"""Learning to mark answers: cross-entropy of the first and the last token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from engine.batching import batches
from engine.evaluate import Scored
from engine.objective import Forward, StepLoss
from engine.qa.model import batch
from engine.qa.windows import Window

BATCH = 32


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
    """The mean of two cross-entropies over the tokens of a window, start and end (Devlin et al. 2019)."""

    train: Marked
    validation: Marked

    @property
    def lengths(self) -> NDArray[np.int64]:
        """See ``engine.objective.Objective``."""
        return self.train.lengths

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device) -> StepLoss:
        """See ``engine.objective.Objective``."""
        ids, types, lengths = batch(self.train.windows, index)
        logits = forward(ids.to(where), types.to(where), lengths).float()
        places = torch.from_numpy(self.train.places[index]).to(where)
        return StepLoss(span_loss(logits, places, lengths.to(where)))

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
    """Logits with those of padding at the lowest value; shape (batch, tokens, 2)."""
    outside = torch.arange(logits.shape[1], device=logits.device) >= lengths[:, None]
    return logits.masked_fill(outside[:, :, None], torch.finfo(logits.dtype).min)


def span_loss(logits: torch.Tensor, places: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The mean of the cross-entropies of start and end.

    Args:
        logits: Shape (batch, tokens, 2).
        places: First and last token of the answer, shape (batch, 2).
        lengths: True lengths, shape (batch,).
    """
    # (batch, 2, tokens) against (batch, 2): both ends are examples of one classification over tokens.
    return functional.cross_entropy(masked_logits(logits, lengths).transpose(1, 2).flatten(0, 1), places.flatten())
