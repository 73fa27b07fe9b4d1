"""Learning-rate schedules: the rate of every step is that of pencil and paper."""

import itertools
import math
from typing import Any

import pytest
import torch

from engine.recipes.schema import TrainConfig
from engine.trainer import schedules


def _rates(steps: int, steps_per_epoch: int, **train: Any) -> list[float]:
    """The rate that each step runs at."""
    settings = TrainConfig(**train)
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=settings.lr)
    schedule = schedules.build(optimizer, settings, steps_per_epoch)
    rates = []
    for step in range(1, steps + 1):
        rates.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        if settings.scheduler in schedules.BY_STEP or step % steps_per_epoch == 0:
            schedule.step()
    return rates


def test_cosine_rises_on_a_line_and_falls_on_half_a_cosine() -> None:
    """20 steps with a warm-up of a quarter: up by fifths to the top, then down a cosine over the other 15."""
    rates = _rates(20, 5, scheduler="cosine", epochs=4, warmup=0.25, lr=0.1)
    rise = [0.02, 0.04, 0.06, 0.08, 0.1]
    fall = [0.05 * (1 + math.cos(math.pi * step / 15)) for step in range(15)]
    assert rates == pytest.approx(rise + fall)
    assert rates[12] == pytest.approx(0.1 * (1 + math.cos(math.pi * 7 / 15)) / 2)
    assert 0 < rates[-1] < 0.002


def test_cosine_ends_at_nothing_and_stays_there() -> None:
    """After its last step the rate is 0, and further steps do not let it rise again."""
    assert _rates(15, 5, scheduler="cosine", epochs=2, warmup=0.2, lr=0.1)[10:] == pytest.approx([0.0] * 5, abs=1e-12)


@pytest.mark.parametrize("warmup", [0.0, 0.01])
def test_a_warm_up_shorter_than_a_step_starts_at_the_top(warmup: float) -> None:
    """Without a warm-up, or with less than a step of it, the first step runs at the full rate."""
    rates = _rates(8, 4, scheduler="cosine", epochs=2, warmup=warmup, lr=0.1)
    assert rates[0] == pytest.approx(0.1)
    assert all(later <= earlier for earlier, later in itertools.pairwise(rates))


@pytest.mark.parametrize("warmup", [0.0, 0.5, 0.99])
def test_cosine_survives_a_training_of_one_step(warmup: float) -> None:
    """One epoch of one step runs at the full rate, whatever the warm-up."""
    assert _rates(1, 1, scheduler="cosine", epochs=1, warmup=warmup, lr=0.1) == pytest.approx([0.1])


def test_cyclic_goes_up_and_down_within_an_epoch() -> None:
    """With 4 steps an epoch the rate goes from the base to the top in two steps and back in two."""
    rates = _rates(9, 4, scheduler="cyclic", lr=0.009, scheduler_base_lr=0.001)
    assert rates == pytest.approx([0.001, 0.005, 0.009, 0.005] * 2 + [0.001])


def test_step_decays_at_the_end_of_every_so_many_epochs() -> None:
    """With a decay of one half every two epochs of two steps, four steps run at each rate."""
    rates = _rates(10, 2, scheduler="step", lr=0.01, scheduler_step_size=2, scheduler_gamma=0.5)
    assert rates == pytest.approx([0.01] * 4 + [0.005] * 4 + [0.0025] * 2)


def test_constant_never_moves() -> None:
    """Without a schedule every step runs at the recipe's rate, whatever the decay says."""
    assert set(_rates(10, 1, scheduler="constant", lr=0.01, scheduler_step_size=1, scheduler_gamma=0.1)) == {0.01}
