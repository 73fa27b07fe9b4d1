"""Training steps of a BiLSTM with batches of equal length, against two other ways.

Three ways of working on the same examples, model and machine, in alternating order: batches of equal length (ours),
batches in random order padded to their own longest text and packed, and the whole set padded to its longest text.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from engine.data.batching import batches, collate
from engine.networks import architectures
from engine.networks.bilstm import BiLSTMClassifier
from engine.recipes import loader
from tests.benchmarks.timing import medians, print_ratios
from tests.benchmarks.training.reviews import reviews

OURS, PACKED, PADDED = "equal length", "random, packed", "padded to the longest"
STEPS = 32
BATCH = 64


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

    return {OURS: equal_length, PACKED: packed, PADDED: all_padded}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kobilstm-tiny", "kobilstm-base"])
def test_batches_of_equal_length_are_faster(name):
    """Equal lengths beat packing and padding to the longest text on the same examples."""
    torch.set_num_threads(1)  # two threads beside a busy neighbour measure the neighbour

    def fresh(_way: str) -> tuple[BiLSTMClassifier, torch.optim.Optimizer]:
        torch.manual_seed(0)
        model = architectures.build(loader.load(name).model)
        return model, torch.optim.Adam(model.parameters())

    seconds = medians(_ways(reviews()), rounds=3, arguments=fresh)
    print_ratios(name, seconds, OURS, STEPS * BATCH, "examples")
    assert seconds[PACKED] > 1.2 * seconds[OURS]
    assert seconds[PADDED] > 1.5 * seconds[OURS]
