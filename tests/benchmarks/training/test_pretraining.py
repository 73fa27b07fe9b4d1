"""Operations a second of a pretraining step against those of one large matrix product.

The operations are counted by torch.utils.flop_counter over forward and backward pass: products alone, neither softmax
nor layer norm nor the optimizer's step, which all count in the time. Both are timed in turn, in the same number format
and process.
"""

import itertools

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from engine.base import device
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Blocks, Vocabulary
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.objective import BertPretrainingObjective
from engine.families.masked_lm.vocabulary import SPECIALS
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, TextConfig
from tests.benchmarks.timing import load, medians
from tests.factories.recipes import Silent

ROUNDS = 9
SIDE = 2048
BLOCKS = 256
GOAL = 0.4


class _Words:
    """A tokenizer whose tokens are random."""

    def __init__(self, size: int) -> None:
        """Set the number of tokens."""
        self.size = size

    def get_vocab_size(self) -> int:
        """The number of tokens."""
        return self.size


def _bert_pretraining(recipe: Recipe, model: BertConfig, half: bool) -> tuple[TextBert, BertPretrainingObjective]:
    """The network of a recipe and its objective, on full blocks of random words."""
    settings = recipe.text or TextConfig()
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
    return network, BertPretrainingObjective(blocks, blocks, Masking.of(settings, vocabulary), 0, None, half)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_pretraining_step_uses_the_machine(threads, tmp_path):
    """The scale-down's step, from hiding words to the optimizer, reaches two fifths of the rate of a product."""
    from engine.trainer.loop import Trainer

    torch.set_num_threads(threads)
    recipe = loader.load("small-bert-8k-lm")
    assert isinstance(recipe.model, BertConfig)
    half = device.halves(recipe.train.precision)
    network, objective = _bert_pretraining(recipe, recipe.model, half)
    trainer = Trainer(recipe, network, objective, writer=Silent(), state_file=tmp_path / "state")
    size = recipe.train.batch_size
    starts = range(0, BLOCKS - size, size)
    index = itertools.cycle([np.arange(start, start + size) for start in starts])
    with FlopCounterMode(display=False) as counted:
        trainer._step(next(index))
    operations = counted.get_total_flops()
    form = torch.bfloat16 if half else torch.float32
    first, second = (torch.randn(SIDE, SIDE, dtype=form) for _ in range(2))
    seconds = medians({"step": lambda: trainer._step(next(index)), "product": lambda: torch.mm(first, second)}, ROUNDS)
    step, product = operations / seconds["step"], 2 * SIDE**3 / seconds["product"]
    tokens = size * objective.train.lengths[0] / seconds["step"]
    print(
        f"\n{recipe.name}, {threads} thread(s), {form}, {load()}, median of {ROUNDS}: a step of "
        f"{operations / 1e9:.0f} GFLOP at {step / 1e9:.0f} GFLOP/s, {tokens:,.0f} tokens/s; a product of "
        f"{SIDE} at {product / 1e9:.0f} GFLOP/s; {step / product:.2f} of it"
    )
    assert step > GOAL * product
