"""Scoring and timing a classifier."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn import functional

from db.runs.writer import MetricValue
from db.statistics import correlation
from engine.base import device
from engine.data.text_sets import TextSet
from engine.networks.classifier import BATCH, Prepared
from engine.recipes.schema import Recipe


@dataclass(frozen=True)
class Scored:
    """Score and loss on one set: accuracy and mean cross-entropy of classes, correlation and squared error of numbers.

    Attributes:
        accuracy: The score, of which more is better.
        loss: Mean over the examples.
        name: Of the score.
    """

    accuracy: float
    loss: float
    name: str = "accuracy"


def scoring(recipe: Recipe) -> torch.autocast:
    """The number format in which a recipe's test split is answered, as a context."""
    return torch.autocast(device.best().type, torch.bfloat16, enabled=device.halves(recipe.train.scoring))


def score(prepared: Prepared, labels: NDArray[Any]) -> Scored:
    """Accuracy and loss on a set."""
    return scored(torch.from_numpy(prepared.logits()), labels)


def scored(logits: torch.Tensor, labels: NDArray[Any]) -> Scored:
    """Score and loss of logits, shape (examples, labels); numbers as labels make it a regression."""
    gold = torch.from_numpy(labels)
    if gold.is_floating_point():
        predicted = logits.squeeze(-1).double()
        value, _ = correlation.score("pearson", labels, predicted.numpy())
        return Scored(value, float(functional.mse_loss(predicted, gold)), "pearson")
    right = (logits.argmax(dim=-1) == gold).float().mean()
    return Scored(float(right), float(functional.cross_entropy(logits, gold)))


def number_rows(test: TextSet, numbers: NDArray[np.float64]) -> pd.DataFrame:
    """Predictions of a regression as the store keeps them; a number has no probability."""
    texts = {"gold": map(correlation.as_text, test.labels), "predicted": map(correlation.as_text, numbers)}
    return pd.DataFrame(
        {"example_id": test.ids, **{name: list(column) for name, column in texts.items()}, "score": np.nan}
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


@torch.inference_mode()
def timing(prepared: Prepared, *, calls: int = 200, seed: int = 0, batched: bool = True) -> list[MetricValue]:
    """Latency: one example at a time, then batches of 64.

    Measured on the set's own texts, after a warm-up, with the threads that the process is pinned to; what
    ``Classifier.prepare`` does once (a network's tokenisation) is not included. The load average just before is kept
    beside the figures.

    Args:
        prepared: On the CPU.
        calls: Timed calls with batch size 1; a tenth of them with batches of 64.
        seed: Draws the texts.
        batched: Time batches of 64 too.
    """
    load = device.load_average()
    generator = np.random.default_rng(seed)

    def clock(size: int, repeats: int) -> NDArray[np.float64]:
        times = []
        for call in range(repeats + max(3, repeats // 10)):
            index = generator.integers(0, prepared.size, size)
            started = time.perf_counter()
            prepared.forward(index)
            if call >= max(3, repeats // 10):
                times.append(time.perf_counter() - started)
        return np.asarray(times)

    times_by_name = {"latency": clock(1, calls)}
    if batched:
        times_by_name["batch64"] = clock(BATCH, max(5, calls // 10))
    return [
        *(
            MetricValue(f"{name}_ms_p{share}", float(np.quantile(times, share / 100)) * 1e3, len(times))
            for name, times in times_by_name.items()
            for share in (50, 95)
        ),
        MetricValue("latency_threads", float(torch.get_num_threads())),
        MetricValue("latency_load", load),
    ]


@torch.inference_mode()
def throughput(prepared: Prepared, limit: int = 2048) -> MetricValue:
    """Texts per second in batches of 64, over a whole set or over every so-manyth batch of a large one.

    Args:
        prepared: Its batches stand in the order of their length, so that a part of them is like the whole.
        limit: Texts that are timed, at most; what adds up several classifiers is timed over all.
    """
    started = time.perf_counter()
    if prepared.parts:
        prepared.logits()
        return MetricValue("examples_per_s", prepared.size / (time.perf_counter() - started), prepared.size)
    part = prepared.order[:: max(1, -(-prepared.size // limit))]
    for index in part:
        prepared.forward(index)
    size = sum(len(index) for index in part)
    return MetricValue("examples_per_s", size / (time.perf_counter() - started), size)
