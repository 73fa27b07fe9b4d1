"""The training loop: it learns, keeps to its schedule, stops early, and keeps its best epoch."""

from pathlib import Path
from typing import Any

import pytest
import torch

import engine.families.classification.objective
import engine.trainer.loop
from db.storage.store import Store
from engine.base.errors import DivergedError, InterruptedRunError
from engine.data.corpora import UNLABELLED
from engine.families.classification.objective import _right
from engine.networks.classifier import Prepared
from engine.trainer.evaluation import Scored
from tests.factories.recipes import curves, start_writer, status, toy_recipe, toy_set, toy_trainer

STEPS = 8
"""Steps of an epoch: 60 examples in batches of 8."""


def _same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_a_separable_task_is_learnt(store: Store, tmp_path: Path) -> None:
    """On reviews whose adjective decides, the loss falls and validation ends almost perfect."""
    recipe = toy_recipe(epochs=12)
    writer = start_writer(store, recipe)
    done = toy_trainer(recipe, writer, tmp_path, count=120).run()
    writer.finish([], train_seconds=0)
    losses = [value for series, _, value in curves(store, writer.run_id) if series == "train_loss"]
    assert sum(losses[-5:]) < 0.3 * sum(losses[:5])
    assert done.validation.accuracy >= 0.95
    assert done.state.epoch == 12


def test_curves_have_a_point_for_every_epoch(store: Store, tmp_path: Path) -> None:
    """Validation accuracy, validation loss and learning rate have one point at the end of each epoch."""
    recipe = toy_recipe()
    writer = start_writer(store, recipe)
    toy_trainer(recipe, writer, tmp_path).run()
    writer.beat(force=True)
    points = curves(store, writer.run_id)
    for series in ("validation_accuracy", "validation_loss", "learning_rate"):
        assert [step for name, step, _ in points if name == series] == [STEPS, 2 * STEPS, 3 * STEPS]
    assert [step for name, step, _ in points if name == "train_loss"] == list(range(1, 3 * STEPS + 1))


def _rates(store: Store, folder: Path, count: int = 60, **train: Any) -> list[float]:
    """The learning rate after every step."""
    recipe = toy_recipe(**train)
    rates: list[float] = []

    def note(_: int) -> bool:
        rates.append(float(trainer.optimizer.param_groups[0]["lr"]))
        return False

    trainer = toy_trainer(recipe, start_writer(store, recipe), folder, note, count=count)
    trainer.run()
    return rates


def test_the_step_schedule_decays_by_epochs(store: Store, tmp_path: Path) -> None:
    """With a decay of one half every two epochs, epochs run at 0.01, 0.01, 0.005, 0.005, 0.0025."""
    rates = _rates(store, tmp_path, epochs=5, scheduler="step", scheduler_step_size=2, scheduler_gamma=0.5)
    expected = [rate for rate in (0.01, 0.01, 0.005, 0.005, 0.0025) for _ in range(STEPS)]
    assert rates == pytest.approx(expected)


def test_the_cyclic_schedule_goes_up_and_down_within_an_epoch(store: Store, tmp_path: Path) -> None:
    """Half an epoch up from the base rate to the top, half down: with 8 steps, four of 0.002 each way."""
    rates = _rates(store, tmp_path, epochs=2, scheduler="cyclic", lr=0.009, scheduler_base_lr=0.001)
    up_and_down = [0.003, 0.005, 0.007, 0.009, 0.007, 0.005, 0.003, 0.001]
    assert rates == pytest.approx(up_and_down * 2)


def test_the_constant_schedule_stays(store: Store, tmp_path: Path) -> None:
    """Without a schedule every step runs at the recipe's rate."""
    assert set(_rates(store, tmp_path, scheduler="constant", scheduler_step_size=1)) == {0.01}


def test_the_cycle_survives_a_single_step_epoch(store: Store, tmp_path: Path) -> None:
    """An epoch of one step has no half; the cycle is then one step up, one step down."""
    rates = _rates(store, tmp_path, epochs=4, batch_size=64, scheduler="cyclic", lr=0.009, scheduler_base_lr=0.001)
    assert rates == pytest.approx([0.009, 0.001, 0.009, 0.001])


@pytest.mark.parametrize(("clip", "clipped"), [(1e-3, True), (1e6, False)])
def test_gradients_are_clipped_to_the_recipes_norm(store: Store, tmp_path: Path, clip: float, clipped: bool) -> None:
    """No step sees a gradient longer than the recipe's norm, and a wide norm leaves gradients as they are."""
    recipe = toy_recipe(epochs=1, clip_norm=clip)
    trainer = toy_trainer(recipe, start_writer(store, recipe), tmp_path)
    norms: list[float] = []
    step = trainer.optimizer.step

    def spy(*args: Any) -> Any:
        gradients = [p.grad.flatten() for p in trainer.model.parameters() if p.grad is not None]
        norms.append(float(torch.cat(gradients).norm()))
        return step(*args)

    trainer.optimizer.step = spy
    trainer.run()
    assert len(norms) == STEPS
    assert all((norm <= 1.001 * clip) == clipped or not clipped for norm in norms)
    assert (max(norms) > 1e-2) != clipped


def test_training_stops_early_and_keeps_the_best_epoch(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With patience 2 a run ends two epochs after its best one, and its weights are those of the best one."""
    scores = iter([Scored(0.5, 1.0), Scored(0.9, 0.6), Scored(0.9, 0.7), Scored(0.8, 0.1), Scored(1.0, 0.1)])
    seen: list[dict[str, torch.Tensor]] = []

    prepare = engine.families.classification.objective.prepare

    def noted(model: torch.nn.Module, *more: Any) -> Prepared:
        seen.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        return prepare(model, *more)

    monkeypatch.setattr(engine.families.classification.objective, "prepare", noted)
    monkeypatch.setattr(engine.families.classification.objective, "score", lambda *_: next(scores))
    recipe = toy_recipe(epochs=10, patience=2)
    done = toy_trainer(recipe, start_writer(store, recipe), tmp_path).run()
    assert (done.state.epoch, done.state.best_epoch, done.state.best_accuracy) == (4, 2, 0.9)
    assert _same(done.weights, seen[1])
    assert not _same(done.weights, seen[3])


def test_of_equal_accuracies_the_lower_loss_wins(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An epoch with the same accuracy and a lower loss is better, one with a higher loss is not."""
    scores = iter([Scored(0.9, 0.6), Scored(0.9, 0.5), Scored(0.9, 0.55), Scored(0.9, 0.5)])
    monkeypatch.setattr(engine.families.classification.objective, "score", lambda *_: next(scores))
    recipe = toy_recipe(epochs=3)
    assert toy_trainer(recipe, start_writer(store, recipe), tmp_path).run().state.best_epoch == 2


def test_patience_zero_never_stops(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without patience all epochs run, however bad they are."""
    monkeypatch.setattr(engine.families.classification.objective, "score", lambda *_: Scored(0.5, 1.0))
    recipe = toy_recipe(epochs=6, patience=0)
    assert toy_trainer(recipe, start_writer(store, recipe), tmp_path).run().state.epoch == 6


def test_a_state_holds_the_time_spent(store: Store, tmp_path: Path) -> None:
    """Training seconds add up over interruptions instead of starting at zero."""
    recipe = toy_recipe()
    with pytest.raises(InterruptedRunError):
        toy_trainer(recipe, start_writer(store, recipe), tmp_path, lambda step: step == 10).run()
    again = toy_trainer(recipe, start_writer(store, recipe), tmp_path)
    before = again.state.seconds
    assert before > 0
    assert again.run().state.seconds > before


def test_another_seed_gives_another_model(store: Store, tmp_path: Path) -> None:
    """The seed decides weights and order: two seeds differ, the same one repeats itself."""
    results = []
    for position, seed in enumerate((0, 1, 1)):
        recipe = toy_recipe(epochs=1).model_copy(update={"seed": seed})
        results.append(toy_trainer(recipe, start_writer(store, recipe), tmp_path / str(position)).run().weights)
    assert not _same(results[0], results[1])
    assert _same(results[1], results[2])


def test_a_student_learns_from_its_teacher_alone(store: Store, tmp_path: Path) -> None:
    """With loss rate 0 and labels turned around, the student follows the teacher, not the labels."""
    from engine.recipes.schema import DistillConfig

    recipe = toy_recipe(epochs=10).model_copy(update={"distill": DistillConfig(teacher="x", loss_rate=0.0)})
    trainer = toy_trainer(recipe, start_writer(store, recipe), tmp_path, soft=True, count=120)
    object.__setattr__(trainer.objective.train, "labels", 1 - toy_set(120).labels)
    assert trainer.run().validation.accuracy >= 0.95


def test_a_loss_that_is_no_number_ends_the_training(store: Store, tmp_path: Path) -> None:
    """A loss of NaN stops the run at once, naming the step and a remedy, and leaves the weights untouched by it."""
    recipe = toy_recipe()
    trainer = toy_trainer(recipe, start_writer(store, recipe), tmp_path)
    with torch.no_grad():
        trainer.model.classifier.bias.fill_(float("nan"))
    with pytest.raises(DivergedError, match=r"loss became nan at step 1; a smaller train.lr"):
        trainer.run()


def test_the_run_shows_as_running_while_it_trains(store: Store, tmp_path: Path) -> None:
    """During training the store has the run as running, with a heartbeat."""
    recipe = toy_recipe(epochs=1)
    writer = start_writer(store, recipe)
    seen: list[str] = []
    toy_trainer(recipe, writer, tmp_path, lambda _: bool(seen.append(status(store, writer.run_id)))).run()
    assert set(seen) == {"running"}


def test_a_long_epoch_is_validated_on_its_way(store: Store, tmp_path: Path) -> None:
    """Every so many steps, and at the end of each epoch once; nothing else changes by it."""
    plain, often = toy_recipe(), toy_recipe(validate_every=3)
    writers = [start_writer(store, recipe) for recipe in (plain, often.model_copy(update={"name": "often"}))]
    done = [
        toy_trainer(recipe, writer, tmp_path / writer.run_id).run()
        for recipe, writer in zip((plain, often), writers, strict=True)
    ]
    for writer in writers:
        writer.beat(force=True)
    steps = [step for name, step, _ in curves(store, writers[1].run_id) if name == "validation_accuracy"]
    assert steps == sorted({*range(3, 3 * STEPS, 3), STEPS, 2 * STEPS, 3 * STEPS})
    assert _same(done[0].weights, done[1].weights)


@pytest.mark.parametrize(("held_out", "expected"), [("text", 0), ("seed", 1)])
def test_the_best_weights_within_an_epoch_are_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_out: str, expected: int
) -> None:
    """A training that peaks within an epoch ends with the weights of the peak; one as earlier runs, of its end."""
    scores = iter(
        [Scored(0.9, 0.2), Scored(0.7, 0.4), Scored(0.8, 0.3), Scored(0.6, 0.5), Scored(0.6, 0.6), Scored(1, 0)]
    )
    seen: list[dict[str, torch.Tensor]] = []

    def noted(model: torch.nn.Module, *_: Any) -> Any:
        seen.append({name: tensor.clone() for name, tensor in model.state_dict().items()})

    monkeypatch.setattr(engine.families.classification.objective, "prepare", noted)
    monkeypatch.setattr(engine.families.classification.objective, "score", lambda *_: next(scores))
    recipe = toy_recipe(epochs=2, validate_every=5, held_out=held_out)
    done = toy_trainer(recipe, start_writer(store, recipe), tmp_path).run()
    assert done.state.best_epoch == 1
    assert _same(done.weights, seen[expected])
    assert not _same(done.weights, seen[3])


def test_the_share_answered_right_has_a_curve(store: Store, tmp_path: Path) -> None:
    """A point at every step of a short training, beside the loss; it rises as the task is learnt."""
    recipe = toy_recipe(epochs=12)
    writer = start_writer(store, recipe)
    toy_trainer(recipe, writer, tmp_path, count=120).run()
    writer.beat(force=True)
    points = curves(store, writer.run_id)
    shares = [value for name, _, value in points if name == "train_accuracy"]
    assert len(shares) == len([name for name, _, _ in points if name == "train_loss"])
    assert sum(shares[:5]) / 5 < 0.75
    assert sum(shares[-5:]) / 5 > 0.9


def test_texts_without_labels_have_no_share() -> None:
    """Only labelled examples count, and a batch without any gives no point."""
    logits = torch.tensor([[2.0, 1.0], [0.0, 1.0], [3.0, 0.0]])
    assert float(_right(logits, torch.tensor([0, 0, UNLABELLED]))["train_accuracy"]) == 0.5
    assert _right(logits, torch.full((3,), UNLABELLED)) == {}
