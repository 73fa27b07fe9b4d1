"""The training loop: one for all variants, resumable at any step.

A run that was killed and goes on ends in the numbers of an unbroken one: batches depend on seed and epoch alone, and
the state holds weights, optimizer, schedule, random generator and the best weights so far.

Several processes may share it (``engine.base.processes``). Then each takes a part of every batch, accelerate averages
their gradients, and the first alone scores, writes and decides.
"""

import copy
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from numpy.typing import NDArray
from torch import nn

from engine.base import device, processes
from engine.base.errors import CheckpointError, DivergedError, InterruptedRunError
from engine.base.progress import Bar, Notes
from engine.checkpoints import checkpoint
from engine.data.batching import batches
from engine.recipes.schema import Recipe
from engine.trainer import resume, schedules
from engine.trainer.evaluation import Scored, scoring
from engine.trainer.objective import Objective
from engine.trainer.resume import FORMER_NAMES, TrainingState
from engine.trainer.shared_step import combined

SAVE_EVERY_S = 60.0
"""Seconds of training that a kill may cost."""

SAVE_EPOCH_EVERY_S = 5.0
"""Seconds between two states at the end of an epoch; the epochs of a mini corpus are shorter."""

SHOW_EVERY_S = 0.5
"""Seconds between two updates of the progress bar."""

CURVE_POINTS = 200
"""Points of the training-loss curve, whatever the number of steps."""


class Writer(Protocol):
    """Where a training's curves and signs of life go: a run of the store, or a part of one."""

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        """Take a curve point."""

    def beat(self, *, force: bool = False) -> None:
        """Renew the heartbeat when it is time, or at once with ``force``."""


@dataclass(frozen=True)
class Trained:
    """The best weights on validation, and where the training ended."""

    weights: dict[str, torch.Tensor]
    state: TrainingState
    validation: Scored


class Trainer:
    """Trains one model on one set of examples."""

    def __init__(
        self,
        recipe: Recipe,
        model: nn.Module,
        objective: Objective,
        *,
        writer: Writer,
        state_file: Path,
        should_stop: Callable[[int], bool] = lambda step: False,
    ) -> None:
        """Prepare a training; a state that ``state_file`` holds is taken up.

        Args:
            recipe: Everything that decides the figures.
            model: With its first weights; what needs no gradient stays as it is, and out of the state.
            objective: What is learned, and what chooses the epoch; never the test split.
            writer: Where curves and heartbeats go.
            state_file: The resume state.
            should_stop: Asked after every step, with its number; a yes saves the state and stops the run.
        """
        processes.hand_out((recipe, model, objective))
        self.recipe, self.objective = recipe, objective
        self.writer, self.state_file, self.should_stop = writer, state_file, should_stop
        settings = recipe.train
        # Not all of every network gets a gradient in every step: a pooler, or a head that a batch has nothing for.
        unused = DistributedDataParallelKwargs(find_unused_parameters=True)
        self.accelerator = Accelerator(cpu=device.best().type == "cpu", kwargs_handlers=[unused])
        self.half = device.halves(settings.precision)
        self.frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
        learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(learned, lr=settings.lr, weight_decay=settings.weight_decay, fused=True)
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.size = len(objective.lengths)
        self.steps_per_epoch = len(batches(objective.lengths, settings.batch_size))
        self.schedule = schedules.build(optimizer, settings, self.steps_per_epoch)
        self.state, self.notes = TrainingState(), Notes()
        self._began = self._saved = time.monotonic()
        self.best = copy.deepcopy(self._weights())
        self.best_score: Scored | None = None  # of a training that was taken up, scored again at the end
        self._take_up()

    def run(self) -> Trained:
        """Train to the end.

        Raises:
            InterruptedRunError: ``should_stop`` said so; the state is saved.
            DivergedError: The loss stopped being a number.
        """
        self._began = time.monotonic() - self.state.seconds
        settings = self.recipe.train
        done = self.state.epoch * self.size
        with Bar(self.recipe.name, settings.epochs * self.size, done) as bar:
            while self.state.epoch < settings.epochs and not self.state.done:
                self._epoch(bar)
            bar.complete()
        self._set(self.best)
        validation = self.best_score or self._score()
        self.state.seconds = self._clock()
        return Trained(self.best, self.state, validation)

    def _clock(self) -> float:
        return time.monotonic() - self._began

    def save(self) -> None:
        """Write the resume state, and before it the curve points that led up to it."""
        if processes.number() > 0:
            return
        self.writer.beat(force=True)
        self.state.seconds = self._clock()
        tensors, facts = resume.pack(self._weights(), self.best, self.optimizer, self.schedule)
        facts |= {"place": asdict(self.state), "digest": self.recipe.digest()}
        checkpoint.save_state(self.state_file, tensors, facts)
        self._saved = time.monotonic()

    def _load_state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
        if not self.state_file.exists():
            return None
        tensors, facts = checkpoint.load_state(self.state_file)
        if facts["digest"] != self.recipe.digest():
            raise CheckpointError(f"{self.state_file} belongs to another recipe. Nothing was changed.")
        return tensors, facts

    def _take_up(self) -> None:
        loaded = processes.from_first(self._load_state)
        if loaded is None:
            return
        tensors, facts = loaded
        self.state = TrainingState(**{FORMER_NAMES.get(name, name): value for name, value in facts["place"].items()})
        weights, self.best = resume.unpack(tensors, facts, self.optimizer, self.schedule)
        self._set(weights)

    def _weights(self) -> dict[str, torch.Tensor]:
        """What is learned: a frozen encoder under an adapter is neither copied nor saved."""
        weights: dict[str, torch.Tensor] = self.accelerator.unwrap_model(self.model).state_dict()
        return {name: tensor for name, tensor in weights.items() if name not in self.frozen}

    def _set(self, weights: dict[str, torch.Tensor]) -> None:
        self.accelerator.unwrap_model(self.model).load_state_dict(weights, strict=not self.frozen)

    def _epoch(self, bar: Bar) -> None:
        settings, state = self.recipe.train, self.state
        seed = _epoch_seed(self.recipe.seed, state.epoch)
        order = batches(self.objective.lengths, settings.batch_size, seed)
        bar.advance(sum(len(index) for index in order[: state.batch]))
        every = max(1, self.steps_per_epoch * settings.epochs // CURVE_POINTS)
        shown = time.monotonic()
        seen = 0
        for index in order[state.batch :]:
            loss = self._step(index)
            state.batch, state.step = state.batch + 1, state.step + 1
            state.loss_sum, state.loss_steps = state.loss_sum + loss, state.loss_steps + 1
            seen += len(index)
            if state.step % every == 0 or state.batch == len(order):
                self._log_loss()
            now = time.monotonic()
            if now - shown > SHOW_EVERY_S or state.batch == len(order):
                bar.advance(seen, self._facts(loss, seen / max(now - shown, 1e-9)))
                seen, shown = 0, now
                self.writer.beat()
            if settings.validate_every and state.step % settings.validate_every == 0 and state.batch < len(order):
                self._validate(state.epoch + 1, keep=settings.held_out == "text")
            if processes.from_first(lambda: self.should_stop(state.step)):
                self.save()
                raise InterruptedRunError(f"stopped at step {state.step}")
            if now - self._saved > SAVE_EVERY_S:
                self.save()
        self._end_epoch()

    def _facts(self, loss: float, rate: float) -> str:
        state = self.state
        best = f"  val acc {state.best_accuracy:.2%}" if state.best_epoch else ""
        return f"epoch {state.epoch + 1}/{self.recipe.train.epochs}  loss {loss:.3f}{best}  {rate:,.0f} examples/s"

    def _step(self, index: NDArray[np.int64]) -> float:
        settings = self.recipe.train
        self.model.train()
        processes.seed_others(self.recipe.seed, self.state.step)
        own = processes.part(index)
        # A process whose part of a small batch is empty computes the first example, which then counts nothing.
        step_loss = self.objective.loss(
            self._forward, own if len(own) else index[:1], self.accelerator.device, self.state.epoch
        )
        step = combined(step_loss, len(own))
        self.optimizer.zero_grad()
        if not math.isfinite(step.value):
            raise DivergedError(
                f"The loss became {step.value} at step {self.state.step + 1}; a smaller train.lr may help."
            )
        self.accelerator.backward(step.loss)
        self.accelerator.clip_grad_norm_(self.model.parameters(), settings.clip_norm)
        self.optimizer.step()
        if settings.scheduler in schedules.BY_STEP:
            self.schedule.step()
        self.state.read += step.tokens
        for name, part in step.parts.items():
            self.state.parts[name] = self.state.parts.get(name, 0.0) + part
            self.state.part_steps[name] = self.state.part_steps.get(name, 0) + 1
        return step.value

    def _forward(self, *inputs: Any) -> Any:
        # The model's forward pass alone: losses, weights and the optimizer stay in single precision.
        with torch.autocast(self.accelerator.device.type, torch.bfloat16, enabled=self.half):
            return self.model(*inputs)

    def _log_loss(self) -> None:
        state = self.state
        steps = max(state.loss_steps, 1)
        self._point("train_loss", state.loss_sum / steps)
        for name, total in state.parts.items():
            self._point(name, total / state.part_steps.get(name, steps))  # not every step has every part
        state.loss_sum, state.loss_steps, state.parts, state.part_steps = 0.0, 0, {}, {}
        now = self._clock()
        if state.read:
            self._point("tokens_per_s", state.read / max(now - state.point_time, 1e-9))
            state.tokens, state.training_seconds = (
                state.tokens + state.read,
                state.training_seconds + now - state.point_time,
            )
        state.read, state.point_time = 0, now

    def _point(self, series: str, value: float) -> None:
        epoch = self.state.step / self.steps_per_epoch
        self.writer.point(series, self.state.step, value, epoch=epoch, wall_time=self._clock())

    def _end_epoch(self) -> None:
        settings, state = self.recipe.train, self.state
        self._point("learning_rate", float(self.optimizer.param_groups[0]["lr"]))
        if settings.scheduler not in schedules.BY_STEP:
            with warnings.catch_warnings():
                # Resumed at the very end of an epoch, the optimizer's last step lies in another process; torch warns.
                warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")
                self.schedule.step()
        score = self._validate(state.epoch + 1)
        self.notes.tell(
            f"{self.recipe.name} epoch {state.epoch + 1}/{settings.epochs}: "
            f"validation {score.name} {score.accuracy:.2%}, {self._clock():.0f} s"
        )
        state.epoch, state.batch = state.epoch + 1, 0
        state.done = bool(settings.patience) and state.epoch - state.best_epoch >= settings.patience
        state.point_time = self._clock()  # scoring is no training
        if time.monotonic() - self._saved > SAVE_EPOCH_EVERY_S:
            self.save()
        self.writer.beat()

    def _validate(self, epoch: int, *, keep: bool = True) -> Scored:
        """Score the weights on validation, and keep them where none before were better."""
        score, state = self._score(), self.state
        self._point(f"validation_{score.name}", score.accuracy)
        self._point("validation_loss", score.loss)
        # Of two states with the same accuracy the one with the lower loss is better calibrated.
        if keep and (score.accuracy, -score.loss) > (state.best_accuracy, -state.best_loss):
            state.best_accuracy, state.best_loss, state.best_epoch = score.accuracy, score.loss, epoch
            self.best, self.best_score = copy.deepcopy(self._weights()), score
        return score

    def _score(self) -> Scored:
        with scoring(self.recipe):  # as on the test split
            return processes.from_first(lambda: self.objective.score(self.accelerator.unwrap_model(self.model)))


def _epoch_seed(seed: int, epoch: int) -> int:
    return int(np.random.SeedSequence([seed, epoch]).generate_state(1)[0])
