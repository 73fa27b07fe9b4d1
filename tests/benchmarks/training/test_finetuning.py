"""Our fine-tuning step against the Trainer of transformers with its defaults: same model, pairs, batch and machine.

- Theirs: single precision, batches in random order padded to their own longest pair (``DataCollatorWithPadding``), the
  encoder's own dropout.
- Ours, as ``minilm-mnli-full`` trains: bfloat16 where the processor has it, batches of equal length wherever there are
  enough of them, which need no attention mask, and no dropout, whose masks are slow to draw on a CPU.

The weights are random, which changes no time. A second test checks that both are the same training: with the same
batches, single precision and no dropout their losses agree step by step.
"""

import copy
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    TrainerCallback,
    TrainingArguments,
)
from transformers import Trainer as TheirTrainer

from engine.base import device
from engine.data.batching import batches
from engine.data.tokenizer import Encoded
from engine.families.classification.objective import Classification, Examples
from engine.networks.transformer_classifier import PretrainedClassifier
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer.loop import Trainer, _epoch_seed
from tests.benchmarks.timing import load, medians, print_ratios
from tests.factories.masked_lm import tiny_tokenizer

ROUNDS = 3
EXAMPLES = 14_000  # as in the training file, so that there are as many of each length
STEPS = 10
BATCH = 32


class _Losses:
    """A writer that keeps the training loss of every step."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def point(self, series: str, step: int, value: float, **_: Any) -> None:
        """Store the value."""
        if series == "train_loss":
            self.values.append(value)

    def beat(self, *, force: bool = False) -> None:
        """Do nothing."""


class _Clock(TrainerCallback):
    """Seconds from their first step to the end of their last, excluding what comes before and after."""

    def __init__(self) -> None:
        self.start, self.seconds = 0.0, 0.0

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Start the clock at the first."""
        self.start = self.start or time.perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Stop the clock at the last."""
        self.seconds = time.perf_counter() - self.start


def _pairs(count: int, vocabulary: int, seed: int = 0) -> Examples:
    """Random pairs as long as those of MultiNLI, 39 tokens on average; the first token decides the label."""
    generator = np.random.default_rng(seed)
    lengths = np.clip(generator.lognormal(3.55, 0.45, count).astype(int), 6, 128)
    sequences = [generator.integers(5, vocabulary, length).astype(np.int32) for length in lengths]
    return Examples(Encoded(sequences, 0.0), np.array([sequence[0] % 3 for sequence in sequences], dtype=np.int64))


def _network(**shape: int) -> BertForSequenceClassification:
    torch.manual_seed(0)
    sizes = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536, **shape}
    return BertForSequenceClassification(BertConfig(num_labels=3, **sizes))


def _rows(examples: Examples) -> list[dict[str, Any]]:
    return [
        {"input_ids": sequence.tolist(), "attention_mask": [1] * len(sequence), "labels": int(label)}
        for sequence, label in zip(examples.encoded.sequences, examples.labels, strict=True)
    ]


def _arguments(folder: Path, **settings: Any) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(folder), use_cpu=True, save_strategy="no", disable_tqdm=True, report_to="none", **settings
    )


def _theirs(network: Any, rows: list[dict[str, Any]], folder: Path, **settings: Any) -> Any:
    arguments = _arguments(folder, **{"per_device_train_batch_size": BATCH, "max_steps": STEPS, **settings})
    collate = DataCollatorWithPadding(tiny_tokenizer())  # pads with zeros, as BERT's own tokenizer
    return TheirTrainer(model=network, args=arguments, train_dataset=rows, data_collator=collate)


def _without_dropout(network: Any) -> Any:
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if hasattr(module, "dropout_prob"):
            module.dropout_prob = 0.0
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        setattr(network.config, name, 0.0)
    return network


def _ours(
    network: Any, recipe: Recipe, train: Examples, validation: Examples, folder: Path, writer: _Losses
) -> Trainer:
    model = PretrainedClassifier(_without_dropout(network))
    if device.halves(recipe.train.precision):
        model.attend_by_products()
    return Trainer(recipe, model, Classification(train, validation), writer=writer, state_file=folder / "state")


def _spread(train: Examples, seed: int) -> list[np.ndarray]:
    """Some batches of an epoch, from the shortest to the longest: one of a single length is not typical."""
    lengths = train.encoded.lengths
    whole = sorted(batches(lengths, BATCH, seed), key=lambda index: float(lengths[index].mean()))
    every = len(whole) // STEPS
    return whole[every // 2 :: every][:STEPS]


def _seconds(trainer: Trainer, order: list[np.ndarray]) -> float:
    start = time.perf_counter()
    for index in order:
        trainer._step(index)
    return time.perf_counter() - start


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("threads", [1, 2])
def test_our_fine_tuning_step_is_faster(threads: int, tmp_path: Path) -> None:
    """At least twice the pairs a second, counted from the first step to the last."""
    torch.set_num_threads(threads)
    recipe = loader.load("minilm-mnli-full", [f"train.batch_size={BATCH}", "model.head=own"])
    train, validation = _pairs(EXAMPLES, 30_522), _pairs(BATCH, 30_522, seed=1)
    network, rows = _network(), _rows(train)
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for number in range(ROUNDS + 1):
        order = _spread(train, number)
        trainer = _ours(copy.deepcopy(network), recipe, train, validation, folder=tmp_path, writer=_Losses())
        ours = _seconds(trainer, order)
        clock = _Clock()
        other = _theirs(copy.deepcopy(network), rows, tmp_path, seed=number)
        other.add_callback(clock)
        other.train()
        if number:  # the first round warms up
            rates["ours"].append(sum(map(len, order)) / ours)
            rates["theirs"].append(STEPS * BATCH / clock.seconds)
    medians = {way: statistics.median(values) for way, values in rates.items()}
    ratio = statistics.median(ours / theirs for ours, theirs in zip(rates["ours"], rates["theirs"], strict=True))
    print(
        f"\nMiniLM on pairs, {threads} thread(s), {load()}, {STEPS} steps of {BATCH}, "
        f"median of {ROUNDS}: ours {medians['ours']:.1f} pairs/s, the Trainer of transformers "
        f"{medians['theirs']:.1f}, {ratio:.2f}x"
    )
    assert ratio >= 2


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_attention_by_products_takes_less_time_than_fused(threads: int, tmp_path: Path) -> None:
    """A step in bfloat16 on pairs, from the first pair to the optimizer."""
    if not device.halves("bfloat16"):
        pytest.skip("This processor does not multiply in bfloat16.")
    torch.set_num_threads(threads)
    recipe = loader.load("minilm-mnli-full", [f"train.batch_size={BATCH}", "model.head=own"])
    train, validation = _pairs(EXAMPLES, 30_522), _pairs(BATCH, 30_522, seed=1)
    ways = {}
    for way, attention in (("products", "eager"), ("fused", "sdpa")):
        trainer = _ours(_network(), recipe, train, validation, folder=tmp_path, writer=_Losses())
        trainer.model.inner.set_attn_implementation(attention)
        ways[way] = partial(_seconds, trainer, _spread(train, 0))
    seconds = medians(ways, ROUNDS)
    print_ratios(f"MiniLM on pairs in bfloat16, {threads} thread(s)", seconds, "fused", STEPS * BATCH, "pairs")
    assert seconds["products"] < seconds["fused"]


def test_both_trainings_have_the_same_losses(tmp_path: Path) -> None:
    """Single precision, the same batches, no dropout: the losses of every step agree to four digits."""
    torch.set_num_threads(1)
    train, validation = _pairs(640, 20), _pairs(16, 20, seed=1)
    network = _without_dropout(
        _network(vocab_size=20, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    )
    recipe = loader.load(
        "minilm-mnli-full",
        [
            "train.batch_size=8",
            "train.epochs=1",
            "train.lr=3e-3",
            "model.head=own",
            "train.scheduler=constant",
            "train.precision=float32",
        ],
    )
    losses = _Losses()
    _ours(copy.deepcopy(network), recipe, train, validation, folder=tmp_path, writer=losses).run()
    order = batches(train.encoded.lengths, 8, _epoch_seed(recipe.seed, 0))

    class Ordered(TheirTrainer):
        """Theirs, on our batches."""

        def get_train_dataloader(self) -> DataLoader:
            """The batches of our first epoch."""
            indices = [index.tolist() for index in order]
            return DataLoader(self.train_dataset, batch_sampler=indices, collate_fn=self.data_collator)

    arguments = _arguments(
        tmp_path, num_train_epochs=1, learning_rate=3e-3, lr_scheduler_type="constant", logging_steps=1
    )
    theirs = Ordered(
        model=copy.deepcopy(network),
        args=arguments,
        train_dataset=_rows(train),
        data_collator=DataCollatorWithPadding(tiny_tokenizer()),
    )
    theirs.train()
    their_losses = [row["loss"] for row in theirs.state.log_history if "loss" in row]
    assert len(their_losses) == len(order) == len(losses.values)
    assert sum(their_losses[-10:]) < 0.8 * sum(their_losses[:10]), "losses that never move prove nothing"
    assert losses.values == pytest.approx(their_losses, abs=1e-3)
