"""Our training step of a distilled Base against two other ways of working, on the same reviews and machine.

- As the documents' code works: the whole set padded to its longest text, batch 64, the teacher's outputs looked up row
  by row in a dict, single precision.
- Batches in random order, padded to their own longest text, single precision.
- Ours: batches of equal length, the teacher's logits in one tensor, the recipe's number format.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from engine.data.batching import batches, collate
from engine.networks import architectures
from engine.recipes import loader
from engine.trainer.objective import distillation_loss
from tests.benchmarks.timing import medians, print_ratios
from tests.benchmarks.training.reviews import LONGEST, reviews

STEPS, BATCH = 40, 64
OURS, OWN_LONGEST, DOCUMENTS = "ours", "padded to own longest", "as the documents"
Network = torch.nn.Module
Step = Callable[[Network, torch.optim.Optimizer], None]


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
    random_batches = [order[i : i + BATCH] for i in range(0, STEPS * BATCH, BATCH)]
    equal_batches = batches(lengths, BATCH, seed=0)[:STEPS]
    whole = torch.zeros(len(sequences), LONGEST, dtype=torch.long)
    for row, sequence in enumerate(sequences):
        whole[row, : len(sequence)] = torch.from_numpy(sequence.astype(np.int64))

    def ours(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in equal_batches:
            ids, sizes = collate(sequences, index)
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                outputs = model(ids, sizes).float()
            _learn(model, optimizer, outputs, logits[torch.from_numpy(index)])

    def own_longest(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            ids, _ = collate(sequences, index)
            outputs = model(ids, torch.full((BATCH,), ids.shape[1]))  # padding is computed too
            _learn(model, optimizer, outputs, logits[torch.from_numpy(index)])

    def documents(model: Network, optimizer: torch.optim.Optimizer) -> None:
        for index in random_batches:
            teacher = torch.tensor([by_id[f"id-{row}"] for row in index])
            outputs = model(whole[torch.from_numpy(index)], torch.full((BATCH,), LONGEST))
            _learn(model, optimizer, outputs, teacher)

    return {OURS: ours, OWN_LONGEST: own_longest, DOCUMENTS: documents}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", ["tiny", "small", "base"])
def test_our_training_step_is_faster(size, threads):
    """Equal lengths and the recipe's number format beat both other ways on the same examples."""
    torch.set_num_threads(threads)
    recipe = loader.load(f"distilkobilstm-{size}")
    ways = _ways(reviews(), recipe.train.precision == "bfloat16")

    def fresh(way: str) -> tuple[Network, torch.optim.Optimizer]:
        torch.manual_seed(0)
        model = architectures.build(architectures.own(recipe))
        return model, torch.optim.AdamW(model.parameters(), fused=way == OURS)

    seconds = medians(ways, rounds=5, arguments=fresh)
    print_ratios(f"{recipe.name}, {threads} thread(s)", seconds, OURS, STEPS * BATCH, "reviews")
    assert seconds[OWN_LONGEST] > 1.5 * seconds[OURS]
    assert seconds[DOCUMENTS] > 3 * seconds[OURS]
