"""What a network that names hidden words learns from, and how well it names those of held-out text."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
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
from engine.families.masked_lm.recurring_spans import SpanTokens, pointed_right, pointing_loss
from engine.recipes.schema import TripleConfig
from engine.trainer.evaluation import Scored
from engine.trainer.objective import Forward, StepLoss, Term

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
    """

    train: Blocks
    held: Blocks
    masking: Masking
    seed: int
    guide: TeacherTargets | None = None
    half: bool = False

    @property
    def lengths(self) -> NDArray[np.int64]:
        """See ``engine.trainer.objective.Objective``."""
        return self.train.lengths

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device, epoch: int = 0) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        masked = batch(self.train, index, self.masking, self.seed, epoch).to(where)
        if self.guide is None:
            _, logits = forward(masked.ids, masked.lengths, masked.chosen)
            return StepLoss([Term(masked_tokens(logits.float(), masked.gold), len(masked.gold))])
        return self._triple(self.guide, forward, masked)

    def _triple(self, guide: TeacherTargets, forward: Forward, masked: Batch) -> StepLoss:
        wish, real = guide.wish, within(masked.ids, masked.lengths)
        everywhere = wish.kl > 0 and wish.kl_tokens == "all"
        positions = real if everywhere else masked.chosen if wish.kl > 0 or wish.mlm > 0 else None
        states, logits = forward(masked.ids, masked.lengths, positions)
        with torch.inference_mode(), _format(masked.ids.device, self.half):
            their_states, their_logits = guide.model(masked.ids, masked.lengths, positions if wish.kl > 0 else None)
        terms: dict[str, Term] = {}
        together = wish.kl + wish.mlm + wish.cosine
        if wish.kl > 0:
            loss = soft_labels(logits.float(), their_logits.float(), wish.temperature)
            terms["kl_loss"] = Term(loss, len(logits), wish.kl / together)
        if wish.mlm > 0:
            named = logits[masked.chosen[real]] if everywhere else logits
            loss = masked_tokens(named.float(), masked.gold)
            terms["mlm_loss"] = Term(loss, len(masked.gold), wish.mlm / together)
        if wish.cosine > 0:
            loss = directions(states[real].float(), their_states[real].float())
            terms["cosine_loss"] = Term(loss, int(masked.lengths.sum()), wish.cosine / together)
        return StepLoss(list(terms.values()), {name: term.mean for name, term in terms.items()})

    def score(self, model: nn.Module) -> Scored:
        """See ``engine.trainer.objective.Objective``."""
        return answers(model, self.held, self.masking, half=self.half).scored


@dataclass
class BertPretrainingObjective(MaskedLMObjective):
    """An ``Objective``: the sum of the cross-entropies of words and pairs (Devlin et al. 2019) and spans (Ram et al.).

    Its parts are curves: the share of hidden words named, of pairs told right and of hidden spans pointed at, and the
    losses where there are several. Hidden words choose the epoch; where they are not learned, hidden spans do.

    Attributes:
        spans: How recurring spans are hidden; None: they are not.
        words: Hide words.
    """

    spans: SpanTokens | None = None
    words: bool = True

    def loss(self, forward: Forward, index: NDArray[np.int64], where: torch.device, epoch: int = 0) -> StepLoss:
        """See ``engine.trainer.objective.Objective``."""
        numbers = self.seed, epoch
        masked = batch(self.train, index, self.masking, *numbers, spans=self.spans, words=self.words).to(where)
        _, logits, pairs, pointed = forward(*masked.inputs)
        losses: dict[str, Term] = {}
        parts: dict[str, torch.Tensor] = {}
        if self.words:
            losses["mlm_loss"] = Term(masked_tokens(logits.float(), masked.gold), len(masked.gold))
            parts["masked_accuracy"] = _right(logits, masked.gold)
        if pairs is not None and masked.foreign is not None:
            losses["next_loss"] = Term(functional.cross_entropy(pairs.float(), masked.foreign), len(masked.foreign))
            parts["next_accuracy"] = _right(pairs, masked.foreign)
        if pointed is not None and masked.answers is not None:
            right = pointed_right(pointed, masked.answers)
            losses["span_loss"] = Term(pointing_loss(pointed.float(), masked.answers), len(right))
            parts |= {self.spans.metric: right.float().mean()} if self.spans and len(right) else {}
        if len(losses) > 1:
            parts |= {name: term.mean for name, term in losses.items()}
        return StepLoss(list(losses.values()), parts, int(masked.lengths.sum()))

    def score(self, model: nn.Module) -> Scored:
        """See ``engine.trainer.objective.Objective``."""
        if self.spans is None or self.words:
            return super().score(model)
        return pointed(model, self.held, self.masking, self.spans, half=self.half).scored


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


@dataclass(frozen=True)
class Pointed:
    """Which hidden spans of held-out text a network pointed at rightly, shape (spans,), and the mean loss."""

    right: NDArray[np.bool_]
    loss: float

    @property
    def scored(self) -> Scored:
        """Share of spans with both ends right, and the loss."""
        return Scored(float(self.right.mean()) if len(self.right) else 0.0, self.loss)


@torch.inference_mode()
def pointed(
    model: Any,
    blocks: Blocks,
    masking: Masking,
    spans: SpanTokens,
    *,
    half: bool,
    tick: Callable[[], None] = lambda: None,
) -> Pointed:
    """Ask a network for the recurring spans of held-out text, the same for every run; see ``answers``."""
    model.eval()
    where = next(model.parameters()).device
    right, loss = [], 0.0
    for index in batches(blocks.lengths, _BLOCKS_AT_ONCE):
        hidden = batch(blocks, index, masking, SCORING_SEED, 0, spans=spans, words=False).to(where)
        assert hidden.answers is not None  # noqa: S101 - there are spans
        with _format(where, half):
            logits = model(*hidden.inputs)[-1]
        right.append(pointed_right(logits, hidden.answers).cpu().numpy())
        loss += float(pointing_loss(logits.float(), hidden.answers)) * len(right[-1])
        tick()
    everywhere = np.concatenate(right)
    return Pointed(everywhere, loss / max(1, len(everywhere)))


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
