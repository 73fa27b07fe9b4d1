"""What a network that names hidden words learns from, and how well it names those of held-out text."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from engine.data.batching import batches
from engine.families.masked_lm.blocks import Blocks
from engine.families.masked_lm.masking import Batch, Masking, batch
from engine.families.masked_lm.network import MaskedLM, within
from engine.recipes.schema import TripleConfig
from engine.trainer.evaluation import Scored
from engine.trainer.objective import Forward, StepLoss

SCORING_SEED = 0
"""Hides the words of held-out text, whatever the run's seed: all runs are asked for the same ones."""

_BLOCKS_AT_ONCE = 32


@dataclass(frozen=True)
class TeacherTargets:
    """A teacher and what is learned from it."""

    model: MaskedLM
    wish: TripleConfig


@dataclass
class MaskedLMObjective:
    """An ``Objective``: name the hidden words, and with a guide do and see as the teacher does.

    The words that are hidden depend on seed, epoch and block alone: a resumed run hides the same ones, and so do the
    students of one seed whatever they learn from.

    Attributes:
        train: What is learned from.
        held: What chooses the epoch.
        masking: How words are hidden.
        seed: Of the run.
        guide: None: only the words themselves are learned.
        half: Compute matrix products in bfloat16, also the teacher's and those of scoring.
        epoch: Says which epoch it is, from 0.
    """

    train: Blocks
    held: Blocks
    masking: Masking
    seed: int
    guide: TeacherTargets | None = None
    half: bool = False
    epoch: Callable[[], int] = field(default=lambda: 0)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """See ``engine.trainer.objective.Objective``."""
        return self.train.lengths

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        masked = batch(self.train, index, self.masking, self.seed, self.epoch()).to(where)
        if self.guide is None:
            _, logits = forward(masked.ids, masked.lengths, masked.chosen)
            return StepLoss(masked_tokens(logits.float(), masked.gold))
        return self._triple(self.guide, forward, masked)

    def _triple(self, guide: TeacherTargets, forward: Forward, masked: Batch) -> StepLoss:
        wish, real = guide.wish, within(masked.ids, masked.lengths)
        everywhere = wish.kl > 0 and wish.kl_tokens == "all"
        positions = real if everywhere else masked.chosen if wish.kl > 0 or wish.mlm > 0 else None
        states, logits = forward(masked.ids, masked.lengths, positions)
        with torch.inference_mode(), _format(masked.ids.device, self.half):
            their_states, their_logits = guide.model(masked.ids, masked.lengths, positions if wish.kl > 0 else None)
        parts: dict[str, torch.Tensor] = {}
        if wish.kl > 0:
            parts["kl_loss"] = soft_labels(logits.float(), their_logits.float(), wish.temperature)
        if wish.mlm > 0:
            named = logits[masked.chosen[real]] if everywhere else logits
            parts["mlm_loss"] = masked_tokens(named.float(), masked.gold)
        if wish.cosine > 0:
            parts["cosine_loss"] = directions(states[real].float(), their_states[real].float())
        weights = {"kl_loss": wish.kl, "mlm_loss": wish.mlm, "cosine_loss": wish.cosine}
        together = wish.kl + wish.mlm + wish.cosine
        weighted = [weights[name] / together * part for name, part in parts.items()]
        return StepLoss(torch.stack(weighted).sum(), parts)

    def score(self, model: nn.Module) -> Scored:
        """See ``engine.trainer.objective.Objective``."""
        return answers(model, self.held, self.masking, half=self.half).scored


@dataclass
class BertPretrainingObjective(MaskedLMObjective):
    """An ``Objective``: the sum of two cross-entropies (Devlin et al. 2019), or that of the hidden words alone.

    Its parts are curves: the share of hidden words named and of pairs told right, and with pairs both losses.
    """

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        masked = batch(self.train, index, self.masking, self.seed, self.epoch()).to(where)
        _, logits, pairs = forward(*masked.inputs)
        words = masked_tokens(logits.float(), masked.gold)
        tokens = int(masked.lengths.sum())
        parts = {"masked_accuracy": _right(logits, masked.gold)}
        if pairs is None or masked.foreign is None:
            return StepLoss(words, parts, tokens)
        following = functional.cross_entropy(pairs.float(), masked.foreign)
        parts |= {"mlm_loss": words, "next_loss": following, "next_accuracy": _right(pairs, masked.foreign)}
        return StepLoss(words + following, parts, tokens)


@dataclass(frozen=True)
class Answers:
    """What a network named the hidden words of held-out text.

    Attributes:
        places: Block and position of each hidden word, shape (words, 2).
        gold: True tokens, shape (words,).
        named: The likeliest tokens, shape (words,).
        probability: Of these, shape (words,).
        loss: Mean cross-entropy.
        pairs_right: Which pairs the model recognised as belonging together or not, shape (pairs,); None without pairs.
    """

    places: NDArray[np.int64]
    gold: NDArray[np.int64]
    named: NDArray[np.int64]
    probability: NDArray[np.float64]
    loss: float
    pairs_right: NDArray[np.bool_] | None = None

    @property
    def scored(self) -> Scored:
        """Share of words named right, and the loss."""
        return Scored(float((self.gold == self.named).mean()), self.loss)


@torch.inference_mode()
def answers(
    model: Any, blocks: Blocks, masking: Masking, *, half: bool, tick: Callable[[], None] = lambda: None
) -> Answers:
    """Ask a network for the hidden words of held-out text, the same for every network and every run.

    Args:
        model: A ``MaskedLM``; put into evaluation mode, left where it is.
        blocks: Held-out text, in its own order.
        masking: How words are hidden.
        half: Compute matrix products in bfloat16.
        tick: Called after every batch.
    """
    model.eval()
    where = next(model.parameters()).device
    gold, named, probability, loss, places, pairs_right = [], [], [], [], [], []
    for index in batches(blocks.lengths, _BLOCKS_AT_ONCE):
        masked = batch(blocks, index, masking, SCORING_SEED, 0).to(where)
        with _format(where, half):
            _, logits, *pairs = model(*masked.inputs)
        log_probabilities = functional.log_softmax(logits.float(), dim=-1)
        best = log_probabilities.max(dim=-1)
        gold.append(masked.gold.cpu())
        named.append(best.indices.cpu())
        probability.append(best.values.exp().double().cpu())
        loss.append(-log_probabilities.gather(1, masked.gold.unsqueeze(1)).squeeze(1).double().cpu())
        if masked.foreign is not None:
            pairs_right.append((pairs[0].argmax(dim=-1) == masked.foreign).cpu())
        rows, positions = masked.chosen.cpu().nonzero(as_tuple=True)
        places.append(torch.stack([torch.from_numpy(index)[rows], positions], dim=1))
        tick()
    order = np.lexsort(torch.cat(places).numpy().T[::-1])
    return Answers(
        torch.cat(places).numpy()[order],
        torch.cat(gold).numpy()[order],
        torch.cat(named).numpy()[order],
        torch.cat(probability).numpy()[order],
        float(torch.cat(loss).mean()),
        torch.cat(pairs_right).numpy() if pairs_right else None,
    )


def _format(where: torch.device, half: bool) -> AbstractContextManager[Any]:
    return torch.autocast(where.type, torch.bfloat16, enabled=half)


def _right(logits: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    return (logits.detach().argmax(dim=-1) == gold).float().mean()


def soft_labels(student: torch.Tensor, teacher: torch.Tensor, temperature: float) -> torch.Tensor:
    """``T^2 * KL(teacher || student)``, both distributions softened by ``T``, as a mean over tokens.

    The factor keeps the gradient at the size of the other parts when ``T`` changes (Hinton et al. 2015).

    Args:
        student: Logits, shape (tokens, vocabulary).
        teacher: Logits, same shape; no gradient flows into them.
        temperature: ``T``, above 0.
    """
    return temperature**2 * functional.kl_div(
        functional.log_softmax(student / temperature, dim=-1),
        functional.log_softmax(teacher.detach() / temperature, dim=-1),
        reduction="batchmean",
        log_target=True,
    )


def masked_tokens(logits: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Cross-entropy with the tokens that were hidden, as a mean over them.

    Args:
        logits: Shape (hidden tokens, vocabulary).
        gold: Their ids, shape (hidden tokens,).
    """
    return functional.cross_entropy(logits, gold)


def directions(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """``1 - cosine`` between the hidden states of both, as a mean over tokens: between 0 and 2.

    Args:
        student: Shape (tokens, width), of the tokens that are no padding.
        teacher: Same shape; no gradient flows into it.
    """
    return (1.0 - functional.cosine_similarity(student, teacher.detach(), dim=-1)).mean()
