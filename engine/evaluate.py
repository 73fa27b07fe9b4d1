"""Scoring and timing a classifier."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import nn

from db.runs import MetricValue
from engine import device
from engine.batching import batches, collate
from engine.data import TextSet
from engine.progress import Bar
from engine.tokenizer import Encoded

EVAL_BATCH = 64


@dataclass(frozen=True)
class Scored:
    """Accuracy and mean cross-entropy on one set."""

    accuracy: float
    loss: float


@torch.no_grad()
def logits_of(
    model: nn.Module, encoded: Encoded, *, where: torch.device | None = None, label: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> torch.Tensor:  # fmt: skip
    """Logits of every example in the set's order, on the CPU.

    Args:
        model: Called with (ids, lengths).
        encoded: The examples.
        where: The device that holds the model.
        label: Shows a progress bar under this name.
        tick: Called after every batch; a long pass must not look like a dead run.

    Returns:
        Shape (examples, labels), float32.
    """
    model.eval()
    order = batches(encoded.lengths, EVAL_BATCH)
    parts = []
    with Bar(label, len(encoded.sequences)) if label else nullcontext() as bar:
        for index in order:
            ids, lengths = collate(encoded.sequences, index)
            parts.append(model(ids.to(where) if where else ids, lengths).float().cpu())
            if bar:
                bar.advance(len(index))
            tick()
    together = torch.cat(parts)
    ordered = torch.empty_like(together)
    ordered[torch.from_numpy(np.concatenate(order))] = together
    return ordered


def probabilities_of(
    model: nn.Module, encoded: Encoded, *, label: str | None = None, tick: Callable[[], None] = lambda: None
) -> NDArray[np.float64]:
    """Class probabilities of every example, shape (examples, labels); in double precision, so that rows sum to 1."""
    logits = logits_of(model, encoded, label=label, tick=tick).double()
    probabilities: NDArray[np.float64] = torch.softmax(logits, dim=-1).numpy()
    return probabilities


def score(model: nn.Module, encoded: Encoded, labels: NDArray[np.int64], where: torch.device) -> Scored:
    """Accuracy and loss of a model on a set."""
    logits = logits_of(model, encoded, where=where)
    gold = torch.from_numpy(labels)
    return Scored(
        float((logits.argmax(dim=-1) == gold).float().mean()), float(nn.functional.cross_entropy(logits, gold))
    )


def prediction_rows(test: TextSet, probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """Per-example predictions as the store keeps them: ``example_id, gold, predicted, score``."""
    predicted = probabilities.argmax(axis=1)
    return pd.DataFrame(
        {
            "example_id": test.ids,
            "gold": test.labels.astype(str),
            "predicted": predicted.astype(str),
            # Half precision is enough for a probability that is looked at, and halves the shipped runs.
            "score": probabilities.max(axis=1).astype(np.float16).astype(np.float32),
        }
    )


@torch.no_grad()
def timing(model: nn.Module, encoded: Encoded, *, calls: int = 200, seed: int = 0) -> list[MetricValue]:
    """Latency of the model on the CPU: one example at a time, then batches of 64.

    Measured on the set's own texts, after a warm-up, with the threads that the process is pinned to; tokenisation is
    not included. The load average just before is kept beside the figures.

    Args:
        model: On the CPU, in evaluation mode.
        encoded: Where the texts are drawn from.
        calls: Timed calls with batch size 1; a tenth of them with batches of 64.
        seed: Draws the texts.
    """
    load = device.load_average()
    generator = np.random.default_rng(seed)

    def clock(size: int, repeats: int) -> NDArray[np.float64]:
        times = []
        for call in range(repeats + max(3, repeats // 10)):
            index = generator.integers(0, len(encoded.sequences), size)
            ids, lengths = collate(encoded.sequences, index)
            started = time.perf_counter()
            model(ids, lengths)
            if call >= max(3, repeats // 10):
                times.append(time.perf_counter() - started)
        return np.asarray(times)

    model.eval()
    single, batch = clock(1, calls), clock(EVAL_BATCH, max(5, calls // 10))
    return [
        MetricValue("latency_ms_p50", float(np.median(single)) * 1e3, calls),
        MetricValue("latency_ms_p95", float(np.quantile(single, 0.95)) * 1e3, calls),
        MetricValue("batch64_ms_p50", float(np.median(batch)) * 1e3, len(batch)),
        MetricValue("latency_threads", float(torch.get_num_threads())),
        MetricValue("latency_load", load),
    ]


def throughput(model: nn.Module, encoded: Encoded) -> MetricValue:
    """Examples per second over a whole set in batches of 64."""
    started = time.perf_counter()
    logits_of(model, encoded)
    examples = len(encoded.sequences)
    return MetricValue("examples_per_s", examples / (time.perf_counter() - started), examples)
