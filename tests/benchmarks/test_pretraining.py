"""How much of the machine a pretraining step uses: its operations a second against those of one large matrix product.

The operations are counted by torch.utils.flop_counter over forward and backward pass: products alone, neither softmax
nor layer norm nor the optimizer's step, which all count in the time. Both are timed in turn, in the same number format
and process.
"""

import os
import statistics
import time

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from engine.base import device
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.bert_objective import Reading
from engine.families.masked_lm.blocks import Blocks, Vocabulary
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.vocabulary import SPECIALS
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, TextConfig
from tests.factories.recipes import Silent

ROUNDS = 9
SIDE = 2048
BLOCKS = 256
GOAL = 0.4


class _Words:
    """Stands for a tokenizer where tokens are made up."""

    def __init__(self, size: int) -> None:
        """Know that many tokens."""
        self.size = size

    def get_vocab_size(self) -> int:
        """All of them."""
        return self.size


def _reading(wanted: Recipe, model: BertConfig, half: bool) -> tuple[TextBert, Reading]:
    """The network of a recipe and what it learns, on blocks of made-up words that are full."""
    settings = wanted.text or TextConfig()
    generator = np.random.default_rng(0)
    size = (BLOCKS, settings.block)
    tokens = generator.integers(len(SPECIALS), model.vocab_size, size).astype(np.int32)
    tokens[:, 0], tokens[:, -1] = SPECIALS.index("[CLS]"), SPECIALS.index("[SEP]")
    starts = generator.random(size) < 0.6
    starts[:, [0, 1, -1]] = True
    blocks = Blocks(list(tokens), BLOCKS, 0, list(starts))
    special = frozenset(range(len(SPECIALS)))
    vocabulary = Vocabulary(_Words(model.vocab_size), 5, 4, 6, special, model.vocab_size)  # type: ignore[arg-type]
    torch.manual_seed(0)
    network = TextBert(model, pairs=False)
    if half:
        network.attend_by_products()
    return network, Reading(blocks, blocks, Masking.of(settings, vocabulary), 0, None, half)


def _product(form: torch.dtype) -> float:
    """Operations a second of a square product."""
    first, second = (torch.randn(SIDE, SIDE, dtype=form) for _ in range(2))
    torch.mm(first, second)
    began = time.perf_counter()
    torch.mm(first, second)
    return 2 * SIDE**3 / (time.perf_counter() - began)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_pretraining_step_uses_the_machine(threads, tmp_path):
    """The scale-down's step, from hiding words to the optimizer, reaches two fifths of the rate of a product."""
    from engine.trainer.loop import Trainer

    torch.set_num_threads(threads)
    wanted = loader.load("small-bert-8k-lm")
    assert isinstance(wanted.model, BertConfig)
    half = device.halves(wanted.train.precision)
    network, objective = _reading(wanted, wanted.model, half)
    trainer = Trainer(wanted, network, objective, writer=Silent(), state_file=tmp_path / "state")
    size = wanted.train.batch_size
    index = [np.arange(start, start + size) for start in range(0, BLOCKS - size, size)]
    with FlopCounterMode(display=False) as counted:
        trainer._step(index[0])
    operations = counted.get_total_flops()
    form = torch.bfloat16 if half else torch.float32
    steps, products = [], []
    for round_number in range(ROUNDS):
        products.append(_product(form))
        began = time.perf_counter()
        trainer._step(index[1 + round_number % (len(index) - 1)])
        steps.append(operations / (time.perf_counter() - began))
    step, product = statistics.median(steps), statistics.median(products)
    tokens = size * objective.train.lengths[0] * step / operations
    print(
        f"\n{wanted.name}, {threads} thread(s), {form}, load average {os.getloadavg()[0]:.1f}, median of {ROUNDS}: a "
        f"step of {operations / 1e9:.0f} GFLOP at {step / 1e9:.0f} GFLOP/s, {tokens:,.0f} tokens/s; a product of "
        f"{SIDE} at {product / 1e9:.0f} GFLOP/s; {step / product:.2f} of it"
    )
    assert step > GOAL * product
