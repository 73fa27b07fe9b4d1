"""Language-model pretraining of a BiLSTM: it reads texts without labels before it learns the task.

The forward direction predicts the next token and the backward direction the previous one (Dai and Le 2015; Peters et
al. 2018), each from a projection of its hidden state onto the embedding, with the loss of a sampled softmax (Jean et
al. 2015): the whole vocabulary would cost ten times the network. The result depends on texts, tokenizer, architecture
and the recipe's ``pretrain`` section alone, so it is computed once and kept; seeds and folds share it.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import nn

from db.base.atomic import atomic_write
from engine.base import device
from engine.base.errors import CheckpointError
from engine.base.progress import Bar
from engine.data.batching import batches, collate
from engine.data.tokenizer import PAD_ID, SPECIALS, encode
from engine.networks import architectures
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.classifier import Texts
from engine.recipes.schema import BiLSTMConfig, PretrainConfig

SEP_ID = SPECIALS.index("[SEP]")

SMOOTHING = 0.75
"""Exponent of the token frequencies that negatives are drawn by (Mikolov et al. 2013)."""


@dataclass(frozen=True)
class PretrainingResult:
    """The mean loss of each epoch of a pretraining, and the seconds that it took when it was done."""

    losses: list[float]
    seconds: float


class _LanguageModel(nn.Module):
    """The embedding and the LSTM of a classifier, and a head per direction."""

    def __init__(self, inner: BiLSTMClassifier, frequencies: torch.Tensor, negatives: int) -> None:
        super().__init__()
        self.embedding, self.lstm = inner.embedding, inner.lstm
        width = inner.embedding.embedding_dim
        # The embedding is the output layer too. At its usual scale of 1 a rare token keeps the noise it began with.
        nn.init.normal_(self.embedding.weight, std=0.1)
        with torch.no_grad():
            self.embedding.weight[PAD_ID] = 0.0
        self.heads = nn.ModuleList(nn.Linear(inner.lstm.hidden_size, width) for _ in range(2))
        self.bias = nn.Parameter(torch.zeros(inner.embedding.num_embeddings))
        self.dropout = nn.Dropout(0.1)
        weights = (frequencies + 1.0) ** SMOOTHING
        weights[PAD_ID] = 0.0
        self.frequency_weights = nn.Buffer(weights / weights.sum())
        self.negatives = negatives

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The loss on a batch of equal length, shape (batch, tokens)."""
        hidden, _ = self.lstm(self.dropout(self.embedding(ids)))
        forward, backward = self.dropout(hidden).chunk(2, dim=-1)
        width = self.embedding.embedding_dim
        guess = torch.cat(
            [self.heads[0](forward[:, :-1]).reshape(-1, width), self.heads[1](backward[:, 1:]).reshape(-1, width)]
        )
        target = torch.cat([ids[:, 1:].reshape(-1), ids[:, :-1].reshape(-1)])
        wrong = torch.multinomial(self.frequency_weights, self.negatives, replacement=True)
        # Expected draws of each token are taken off, or frequent tokens would be punished for being drawn often.
        often = (self.frequency_weights * self.negatives + 1e-20).log()
        right = (guess * self.embedding(target)).sum(dim=-1).float() + self.bias[target] - often[target]
        other = (guess @ self.embedding.weight[wrong].T).float() + self.bias[wrong] - often[wrong]
        other = other.masked_fill(target.unsqueeze(1) == wrong, -1e4)
        loss: torch.Tensor = (torch.logsumexp(torch.cat([right.unsqueeze(1), other], dim=1), dim=1) - right).mean()
        return loss


def pretrain(
    model: BiLSTMClassifier,
    sequences: list[NDArray[np.int32]],
    settings: PretrainConfig,
    tick: Callable[[], None] = lambda: None,
) -> PretrainingResult:
    """Train the model's embedding and LSTM in place.

    Args:
        model: A classifier; its linear layer is left alone.
        sequences: Token ids of each text.
        settings: The recipe's section.
        tick: Called after every step.
    """
    torch.manual_seed(settings.seed)
    ends = np.array([SEP_ID], dtype=np.int32)
    wrapped = [np.concatenate([ends, sequence, ends]) for sequence in sequences]
    lengths = np.fromiter((len(sequence) for sequence in wrapped), dtype=np.int64, count=len(wrapped))
    size = model.embedding.num_embeddings
    counts = torch.from_numpy(np.bincount(np.concatenate(wrapped), minlength=size)).float()
    where, half = device.best(), device.halves(settings.precision)
    learner = _LanguageModel(model, counts, settings.negatives).to(where)
    optimizer = torch.optim.AdamW(learner.parameters(), lr=settings.lr, weight_decay=0.0, fused=True)
    # Whole batches of one length alone: what is left of each length would have to be padded.
    order = [_whole(batches(lengths, settings.batch_size, epoch), lengths) for epoch in range(settings.epochs)]
    steps = sum(len(index) for index in order)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.lr, total_steps=max(2, steps), pct_start=0.05)
    losses, started = [], time.monotonic()
    learner.train()
    with Bar("pretraining", sum(len(index) for epoch in order for index in epoch)) as bar:
        for epoch in order:
            total = 0.0
            for index in epoch:
                ids, _ = collate(wrapped, index)
                with torch.autocast(where.type, torch.bfloat16, enabled=half):
                    loss = learner(ids.to(where))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                total += float(loss.detach())
                bar.advance(len(index), f"loss {float(loss.detach()):.3f}")
                tick()
            losses.append(total / max(1, len(epoch)))
    model.cpu()
    return PretrainingResult(losses, time.monotonic() - started)


def _whole(order: list[NDArray[np.int64]], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [index for index in order if lengths[index].min() == lengths[index].max()]


def warm(
    model: BiLSTMClassifier,
    config: BiLSTMConfig,
    tokenizer: Tokenizer,
    texts: Texts,
    settings: PretrainConfig,
    cache: Path,
    tick: Callable[[], None] = lambda: None,
) -> PretrainingResult:
    """Pretrain a fresh model, or take the weights that the same pretraining gave before.

    Args:
        model: With random weights; changed in place.
        config: Its architecture.
        tokenizer: Its tokenizer.
        texts: With or without labels; only the text is read.
        settings: The recipe's section.
        cache: Folder of results.
        tick: Called on the way.

    Raises:
        CheckpointError: A kept result cannot be read.
    """
    digest = hashlib.sha256(tokenizer.to_str().encode())
    digest.update(json.dumps([config.model_dump(exclude={"dropout", "num_labels"}), settings.model_dump()]).encode())
    for text in texts:
        digest.update(json.dumps(text, ensure_ascii=False).encode())
    file = cache / "language_model" / f"{digest.hexdigest()[:32]}.safetensors"
    if not file.is_file():
        # A network of the section's own seed: what all seeds share must not depend on which of them came first.
        torch.manual_seed(settings.seed)
        reader = architectures.build(config)
        if not isinstance(reader, BiLSTMClassifier):
            raise TypeError(config.kind)
        done = pretrain(reader, encode(tokenizer, texts, settings.max_length).sequences, settings, tick)
        tensors = {name: tensor for name, tensor in reader.state_dict().items() if not name.startswith("classifier.")}
        with atomic_write(file) as part:
            save_file(tensors, part, metadata={"losses": json.dumps(done.losses), "seconds": str(done.seconds)})
    try:
        with safe_open(file, "pt") as opened:
            facts = opened.metadata()
            result = PretrainingResult([float(loss) for loss in json.loads(facts["losses"])], float(facts["seconds"]))
            weights = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error}). Delete it; it is computed again.") from error
    model.load_state_dict(weights, strict=False)
    return result
