"""Trainings that are stopped or killed and go on: bit for bit and point for point as if nothing had been."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import engine.trainer.loop
from db.runs.writer import RunWriter
from db.storage.store import Store
from engine.base import device
from engine.base.errors import CheckpointError, InterruptedRunError
from engine.data.corpora import UNLABELLED
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer.loop import Trained, Trainer
from tests.factories.recipes import content, curves, start_writer, toy_trainer

STEPS = 8
"""Steps of an epoch: 60 examples in batches of 8."""

STEP: dict[str, Any] = {"scheduler": "step", "scheduler_step_size": 1, "scheduler_gamma": 0.7}
COSINE: dict[str, Any] = {"scheduler": "cosine", "warmup": 0.4}  # the warm-up ends in the second epoch
KL = {"teacher": "x", "loss_rate": 0.1, "temperature": 2.0}
VARIANTS: dict[str, dict[str, Any]] = {
    "step": {"train": STEP},
    "cyclic": {"train": {"scheduler": "cyclic", "scheduler_base_lr": 0.001}},
    "cosine": {"train": COSINE},
    "bfloat16": {"train": {**COSINE, "precision": "bfloat16", "weight_decay": 0.01}},
    "kl": {"train": STEP, "distill": KL},
    "mse": {"train": COSINE, "distill": {**KL, "loss": "mse"}},
    "unlabelled": {"train": COSINE, "distill": {**KL, "unlabelled": True}},
    "often": {"train": {**COSINE, "validate_every": 3, "held_out": "text", "lr": 0.05}},
    "cnn": {"train": COSINE, "model": {"kind": "cnn", "vocab_size": 120, "embedding_dim": 8, "filters": 4}},
}


@pytest.fixture(scope="module", autouse=True)
def _half_precision() -> Iterator[None]:
    """Compute in bfloat16 also where the processor only converts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "cpu_multiplies_bfloat16", device.cpu_has_bfloat16)
        yield


def _recipe(variant: str) -> Recipe:
    sections = {name: section for name, section in VARIANTS[variant].items() if name != "train"}
    return loader.validate({**content(f"toy-{variant}", **VARIANTS[variant]["train"]), **sections}, variant)


def _trainer(
    variant: str, writer: RunWriter, folder: Path, should_stop: Callable[[int], bool] = lambda step: False
) -> Trainer:
    recipe = _recipe(variant)
    trainer = toy_trainer(recipe, writer, folder, should_stop, soft=recipe.distill is not None)
    if variant == "unlabelled":
        hidden = np.where(np.arange(60) % 3 == 0, UNLABELLED, trainer.objective.train.labels)
        object.__setattr__(trainer.objective.train, "labels", hidden)
    return trainer


def _same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Trained, list[Any]]]:
    """The result and the curves of a training that nothing stopped, made once for each variant."""

    @cache
    def made(variant: str) -> tuple[Trained, list[Any]]:
        folder = tmp_path_factory.mktemp("unbroken")
        store = Store(folder / "b.duckdb")
        writer = start_writer(store, _recipe(variant))
        done = _trainer(variant, writer, folder).run()
        writer.finish([], train_seconds=0)
        return done, curves(store, writer.run_id)

    return made


def _check(done: Trained, store: Store, run_id: str, reference: tuple[Trained, list[Any]]) -> None:
    whole, points = reference
    assert _same(done.weights, whole.weights)
    assert done.validation == whole.validation
    assert (done.state.step, done.state.best_epoch) == (whole.state.step, whole.state.best_epoch)
    assert curves(store, run_id) == points


STOPS = {
    "first step": (1,),
    "within an epoch": (5,),
    "last step of an epoch": (STEPS,),
    "first step of an epoch": (STEPS + 1,),
    "last step of all": (3 * STEPS,),
    "again and again": (2, 3, STEPS, STEPS + 4, 2 * STEPS + 7),
}


@pytest.mark.parametrize(
    ("variant", "when"),
    [
        *(("step", when) for when in STOPS),
        *(("cosine", when) for when in STOPS),
        *(("often", when) for when in STOPS),
        ("cyclic", "within an epoch"),
        ("cyclic", "last step of an epoch"),
        *((variant, "again and again") for variant in VARIANTS if variant not in {"step", "cosine"}),
    ],
)
def test_a_stopped_training_goes_on_to_the_unbroken_result(
    store: Store, tmp_path: Path, unbroken: Any, variant: str, when: str
) -> None:
    """Wherever it is stopped, and however often, weights are bit for bit and curves point for point the same."""
    writer = start_writer(store, _recipe(variant))
    for stop in STOPS[when]:
        with pytest.raises(InterruptedRunError):
            _trainer(variant, writer, tmp_path, lambda step, stop=stop: step == stop).run()
        writer.interrupt()
        torch.rand(3)  # whatever else draws random numbers in between must not matter
        writer = RunWriter(store, writer.run_id)
        writer.resume()
    done = _trainer(variant, writer, tmp_path).run()
    writer.finish([], train_seconds=0)
    _check(done, store, writer.run_id, unbroken(variant))


class _KilledError(BaseException):
    """Stands for a kill: nothing is saved or flushed on the way out."""


@pytest.mark.parametrize(
    ("variant", "setting", "kill"),
    [
        ("step", "SAVE_EPOCH_EVERY_S", 4),
        ("step", "SAVE_EPOCH_EVERY_S", STEPS),
        ("step", "SAVE_EPOCH_EVERY_S", STEPS + 3),
        ("step", "SAVE_EPOCH_EVERY_S", 3 * STEPS),
        ("cyclic", "SAVE_EPOCH_EVERY_S", STEPS + 3),
        ("cyclic", "SAVE_EVERY_S", 5),
        ("cosine", "SAVE_EPOCH_EVERY_S", STEPS + 3),
        ("cosine", "SAVE_EVERY_S", 5),
        ("unlabelled", "SAVE_EVERY_S", 2 * STEPS + 1),
    ],
)
def test_a_killed_training_goes_on_from_its_last_state(
    store: Store, tmp_path: Path, unbroken: Any, monkeypatch: pytest.MonkeyPatch, variant: str, setting: str, kill: int
) -> None:
    """After a kill, from a state at an epoch's end or within an epoch, nothing differs and no curve has a gap."""
    monkeypatch.setattr(engine.trainer.loop, setting, -1.0)

    def killer(step: int) -> bool:
        if step == kill:
            raise _KilledError
        return False

    run_id = start_writer(store, _recipe(variant)).run_id
    with pytest.raises(_KilledError):
        _trainer(variant, RunWriter(store, run_id), tmp_path, killer).run()
    writer = RunWriter(store, run_id)  # what the old writer held in memory is lost
    done = _trainer(variant, writer, tmp_path).run()
    writer.finish([], train_seconds=0)
    _check(done, store, run_id, unbroken(variant))


def test_the_variants_really_differ(unbroken: Any) -> None:
    """Schedule, number format, loss and missing labels each lead to weights of their own."""
    results = [unbroken(variant)[0].weights for variant in VARIANTS if variant != "cnn"]
    for index, first in enumerate(results):
        assert not any(_same(first, second) for second in results[index + 1 :])


def test_half_precision_leaves_weights_and_optimizer_in_single(store: Store, tmp_path: Path) -> None:
    """bfloat16 is the format of the matrix products alone: weights, moments and the saved best are float32."""
    trainer = _trainer("bfloat16", start_writer(store, _recipe("bfloat16")), tmp_path)
    seen: set[torch.dtype] = set()
    trainer.model.classifier.register_forward_hook(
        lambda module, _, out: seen.add(out.dtype) if module.training else None
    )
    done = trainer.run()
    assert seen == {torch.bfloat16}
    moments = [value for state in trainer.optimizer.state_dict()["state"].values() for value in state.values()]
    assert {tensor.dtype for tensor in [*done.weights.values(), *moments]} == {torch.float32}


def test_a_state_of_another_recipe_is_not_taken_up(store: Store, tmp_path: Path) -> None:
    """A resume state that another recipe left is refused, and stays as it is."""
    writer = start_writer(store, _recipe("cosine"))
    with pytest.raises(InterruptedRunError):
        _trainer("cosine", writer, tmp_path, lambda step: step == 3).run()
    before = (tmp_path / "resume.safetensors").read_bytes()
    with pytest.raises(CheckpointError, match="belongs to another recipe"):
        _trainer("bfloat16", writer, tmp_path)
    assert (tmp_path / "resume.safetensors").read_bytes() == before
