"""What batches of equal length bring to the training step of a BiLSTM.

Three ways of working on the same examples, model and machine, in alternating order: batches of equal length (ours),
batches in random order padded to their own longest text and packed, and the whole set padded to its longest text.
"""

import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from engine import networks
from engine.data.batching import batches, collate
from engine.networks.bilstm import BiLSTMClassifier
from engine.recipes import loader

ROUNDS = 3
EXAMPLES = 100_000  # as many as there must be for whole batches of one length
STEPS = 32  # of them are timed
BATCH = 64


def _examples(seed: int = 0) -> list[np.ndarray]:
    """Token sequences as long as film reviews: mean about 21 tokens, a few up to 100."""
    generator = np.random.default_rng(seed)
    lengths = np.clip(generator.lognormal(2.8, 0.75, EXAMPLES).astype(int), 1, 100)
    return [generator.integers(3, 3000, length).astype(np.int32) for length in lengths]


def _step(model: BiLSTMClassifier, optimizer: torch.optim.Optimizer, ids: torch.Tensor, lengths: torch.Tensor) -> None:
    labels = torch.zeros(len(ids), dtype=torch.long)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(ids, lengths), labels).backward()
    optimizer.step()


def _ways(sequences: list[np.ndarray]) -> dict[str, Callable[[BiLSTMClassifier, torch.optim.Optimizer], None]]:
    lengths = np.array([len(sequence) for sequence in sequences])
    order = np.random.default_rng(1).permutation(len(sequences))
    random_batches = [order[i : i + BATCH] for i in range(0, STEPS * BATCH, BATCH)]
    equal_batches = batches(lengths, BATCH, seed=0)[:STEPS]
    longest = int(lengths.max())

    def equal_length(model: BiLSTMClassifier, optimizer: torch.optim.Optimizer) -> None:
        for index in equal_batches:
            _step(model, optimizer, *collate(sequences, index))

    def packed(model: BiLSTMClassifier, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            _step(model, optimizer, *collate(sequences, index))

    def all_padded(model: BiLSTMClassifier, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            ids, _ = collate(sequences, index)
            padded = nn.functional.pad(ids, (0, longest - ids.shape[1]))
            _step(model, optimizer, padded, torch.full((len(index),), longest))

    return {"equal length": equal_length, "random, packed": packed, "padded to the longest": all_padded}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kobilstm-tiny", "kobilstm-base"])
def test_batches_of_equal_length_are_faster(name):
    """Equal lengths beat packing and padding to the longest text on the same examples."""
    torch.set_num_threads(1)  # two threads beside a busy neighbour measure the neighbour
    ways = _ways(_examples())
    times: dict[str, list[float]] = {way: [] for way in ways}
    for round_number in range(ROUNDS + 1):
        for way, run in ways.items():
            torch.manual_seed(0)
            model = networks.build(loader.load(name).model)
            optimizer = torch.optim.Adam(model.parameters())
            started = time.perf_counter()
            run(model, optimizer)
            if round_number:  # the first round warms up
                times[way].append(time.perf_counter() - started)
    medians = {way: statistics.median(seconds) for way, seconds in times.items()}
    ours = medians["equal length"]
    print(f"\n{name}, load average {os.getloadavg()[0]:.1f}, {STEPS * BATCH:,} examples, median of {ROUNDS}")
    for way, seconds in medians.items():
        print(f"  {way:<24}{STEPS * BATCH / seconds:9,.0f} examples/s   ours is {seconds / ours:.1f}x")
    assert medians["random, packed"] > 1.2 * ours
    assert medians["padded to the longest"] > 1.5 * ours
