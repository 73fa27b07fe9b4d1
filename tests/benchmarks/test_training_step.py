"""Our training step of a distilled Base against two other ways of working, on the same reviews and machine.

- As the documents' code works: the whole set padded to its longest text, batch 64, the teacher's outputs looked up row
  by row in a dict, single precision.
- Batches in random order, padded to their own longest text, single precision.
- Ours: batches of equal length, the teacher's logits in one tensor, the recipe's number format.
"""

import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch

from engine import networks
from engine.data.batching import batches, collate
from engine.recipes import loader
from engine.trainer.objective import distillation_loss

ROUNDS = 5
EXAMPLES = 100_000  # as many as there must be for whole batches of one length
STEPS = 40  # of them are timed
LONGEST = 100
Network = torch.nn.Module
Step = Callable[[Network, torch.optim.Optimizer], None]


def _reviews(seed: int = 0) -> list[np.ndarray]:
    """Token sequences as long as film reviews: mean about 21 tokens, a few up to 100."""
    generator = np.random.default_rng(seed)
    lengths = np.clip(generator.lognormal(2.8, 0.75, EXAMPLES).astype(int), 1, LONGEST)
    return [generator.integers(3, 3000, length).astype(np.int32) for length in lengths]


def _learn(model: Network, optimizer: torch.optim.Optimizer, logits: torch.Tensor, teacher: torch.Tensor) -> None:
    labels = torch.zeros(len(logits), dtype=torch.long)
    loss = distillation_loss(logits, teacher, labels, loss_rate=0.1, temperature=2.0)
    float(loss.detach())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def _ways(sequences: list[np.ndarray], half: bool) -> dict[str, Step]:
    lengths = np.array([len(sequence) for sequence in sequences])
    logits = torch.randn(len(sequences), 2, generator=torch.Generator().manual_seed(0))
    by_id = {f"id-{row}": logits[row].tolist() for row in range(len(sequences))}
    order = np.random.default_rng(1).permutation(len(sequences))
    random_batches = [order[i : i + 64] for i in range(0, STEPS * 64, 64)]
    equal_batches = batches(lengths, 64, seed=0)[:STEPS]
    whole = torch.zeros(len(sequences), LONGEST, dtype=torch.long)
    for row, sequence in enumerate(sequences):
        whole[row, : len(sequence)] = torch.from_numpy(sequence.astype(np.int64))

    def ours(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in equal_batches:
            ids, there = collate(sequences, index)
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                found = model(ids, there).float()
            _learn(model, optimizer, found, logits[torch.from_numpy(index)])

    def own_longest(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            ids, _ = collate(sequences, index)
            found = model(ids, torch.full((64,), ids.shape[1]))  # every row runs to the batch's end, padding included
            _learn(model, optimizer, found, logits[torch.from_numpy(index)])

    def documents(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            teacher = torch.tensor([by_id[f"id-{row}"] for row in index])
            found = model(whole[torch.from_numpy(index)], torch.full((64,), LONGEST))
            _learn(model, optimizer, found, teacher)

    return {"ours": ours, "padded to own longest": own_longest, "as the documents": documents}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", ["tiny", "small", "base"])
def test_our_training_step_is_faster(size, threads):
    """Equal lengths and the recipe's number format beat both other ways on the same examples."""
    torch.set_num_threads(threads)
    wanted = loader.load(f"distilkobilstm-{size}")
    half = wanted.train.precision == "bfloat16"
    ways = _ways(_reviews(), half)
    times: dict[str, list[float]] = {way: [] for way in ways}
    for round_number in range(ROUNDS + 1):
        for way, run in ways.items():
            torch.manual_seed(0)
            model = networks.build(networks.own(wanted))
            optimizer = torch.optim.AdamW(model.parameters(), fused=way == "ours")
            started = time.perf_counter()
            run(model, optimizer)
            if round_number:  # the first round warms up
                times[way].append(time.perf_counter() - started)
    medians = {way: statistics.median(seconds) for way, seconds in times.items()}
    print(
        f"\n{wanted.name}, {threads} thread(s), load average {os.getloadavg()[0]:.1f}, {STEPS * 64:,} reviews, "
        f"median of {ROUNDS}"
    )
    for way, seconds in medians.items():
        print(f"  {way:<24}{STEPS * 64 / seconds:9,.0f} reviews/s   ours is {seconds / medians['ours']:.1f}x")
    assert medians["padded to own longest"] > 1.5 * medians["ours"]
    assert medians["as the documents"] > 3 * medians["ours"]
