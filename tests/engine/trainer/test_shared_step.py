"""Losses that several processes share: those of the whole batch, for every objective and however unequal the parts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from db.storage.store import Store
from engine.base import processes
from engine.data.corpora import UNLABELLED
from engine.recipes import loader
from engine.trainer import shared_step
from engine.trainer.loop import Trainer
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories import masked_lm, pretraining, span_qa
from tests.factories.recipes import Silent, content, toy_trainer

KL = {"teacher": "x", "loss_rate": 0.3, "temperature": 2.0}


class _MadeError(Exception):
    """Ends a training before its first step."""


def _classification(board: Store, folder: Path) -> Trainer:
    recipe = loader.validate({**content("toy"), "distill": {**KL, "unlabelled": True}}, "toy")
    trainer = toy_trainer(recipe, Silent(), folder, soft=True)
    examples = trainer.objective.train
    object.__setattr__(examples, "labels", np.where(np.arange(60) % 3 == 0, UNLABELLED, examples.labels))
    return trainer


def _made(board: Store, recipe: Any, data: str | None) -> Trainer:
    """What a recipe's training would run."""
    made: list[Trainer] = []

    def run(trainer: Trainer) -> None:
        made.append(trainer)
        raise _MadeError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "run", run)
        with pytest.raises(_MadeError):
            pipeline.train(Job(recipe, data, board))
    return made[0]


def _questions(board: Store, folder: Path) -> Trainer:
    return _made(board, span_qa.span_recipe(span_qa.write_source(folder / "encoder")), None)


def _triple(board: Store, folder: Path) -> Trainer:
    recipe = masked_lm.make_recipe(source=str(masked_lm.tiny_bert(folder / "bert")))
    return _made(board, recipe, str(masked_lm.write_text(folder / "text")))


def _pairs(board: Store, folder: Path) -> Trainer:
    recipe = pretraining.reader(text={"next_sentence": True})
    return _made(board, recipe, str(pretraining.write_text(folder / "text")))


def _gradients(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad(set_to_none=True)
    return gradients


def _shared(trainer: Trainer, index: Any, patch: pytest.MonkeyPatch, count: int) -> tuple[list[shared_step.Step], Any]:
    """The steps of so many processes, one after the other, and the average of their gradients."""
    reports: list[Any] = []
    patch.setattr(processes, "count", lambda: count)

    def step(number: int) -> shared_step.Step:
        patch.setattr(processes, "number", lambda: number)
        own = processes.part(index)
        loss = trainer.objective.loss(trainer.model, own if len(own) else index[:1], torch.device("cpu"))
        return shared_step.combined(loss, len(own))

    patch.setattr(processes, "gathered", lambda value: reports.append(value) or [value])
    for number in range(count):
        step(number)
    patch.setattr(processes, "gathered", lambda _: reports)
    steps, sums = [], dict[str, torch.Tensor]()
    for number in range(count):
        steps.append(step(number))
        steps[-1].loss.backward()
        for name, gradient in _gradients(trainer.model).items():
            sums[name] = sums.get(name, 0) + gradient / count
    return steps, sums


@pytest.mark.parametrize("make", [_classification, _questions, _triple, _pairs])
def test_the_parts_of_a_batch_add_up_to_it(
    board: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Store, Path], Trainer]
) -> None:
    """Loss and gradients of two and three processes are those of one, also where one of them has no example."""
    trainer = make(board, tmp_path)
    trainer.model.eval()  # no dropout, whose draws would differ
    for index, count in ((np.arange(5), 2), (np.arange(5, 12), 3), (np.array([3]), 2)):
        whole = trainer.objective.loss(trainer.model, index, torch.device("cpu"))
        whole.total.backward()
        expected = _gradients(trainer.model)
        steps, gradients = _shared(trainer, index, monkeypatch, count)
        assert [step.value for step in steps] == pytest.approx([float(whole.total.detach())] * count, rel=1e-5)
        assert gradients.keys() == expected.keys()
        for name, gradient in gradients.items():
            torch.testing.assert_close(gradient, expected[name], rtol=1e-3, atol=1e-6, msg=name)
        assert {step.tokens for step in steps} == {whole.tokens}
        assert steps[0].parts.keys() == whole.parts.keys()
