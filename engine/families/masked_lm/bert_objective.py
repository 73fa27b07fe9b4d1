"""What a BERT of our own learns from text: hidden words and, of a pair of texts, whether the second one follows."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from engine.families.masked_lm import losses
from engine.families.masked_lm.masking import batch
from engine.families.masked_lm.objective import HiddenWords
from engine.trainer.objective import Forward, StepLoss


@dataclass
class Reading(HiddenWords):
    """An ``Objective``: the sum of two cross-entropies (Devlin et al. 2019), or that of the hidden words alone.

    Its parts are curves: the share of hidden words named and of pairs told right, and with pairs both losses.
    """

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        asked = batch(self.train, index, self.masking, self.seed, self.epoch()).to(where)
        _, logits, pairs = forward(*asked.inputs)
        words = losses.hidden_words(logits.float(), asked.gold)
        tokens = int(asked.lengths.sum())
        parts = {"masked_accuracy": _right(logits, asked.gold)}
        if pairs is None or asked.foreign is None:
            return StepLoss(words, parts, tokens)
        following = functional.cross_entropy(pairs.float(), asked.foreign)
        parts |= {"mlm_loss": words, "next_loss": following, "next_accuracy": _right(pairs, asked.foreign)}
        return StepLoss(words + following, parts, tokens)


def _right(logits: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    return (logits.detach().argmax(dim=-1) == gold).float().mean()
